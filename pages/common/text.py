"""Escaping and shortening of text from files, so that it is never read as Markdown or HTML."""

from __future__ import annotations

import html
import re

from odt_core.words import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")
_JOINER = "\u2060"
# Streamlit replaces some texts after it has parsed Markdown, so a backslash does not help: icons
# and emoji (`:name:`), links and addresses (`http:`, `www.`, `@`), and arrows (`->`, `--`, `>=`).
# An invisible joiner inside keeps them as text.
_LATE = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=[-<>=~])(?=[-<>=])", re.IGNORECASE)

_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
# From the first to the last letter of such a script, without the signs between names in a
# sentence: quotes, commas, comparisons.
_PHRASE = re.compile(
    f"[{_RIGHT_TO_LEFT}](?:[{_RIGHT_TO_LEFT}\\d \\-_./\u200c\u200d]*[{_RIGHT_TO_LEFT}])?"
)
_ISOLATE, _POP = "\u2068", "\u2069"

MOST_LETTERS = 700
"""The most characters of a sentence on the screen."""


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())


def isolate(text: str) -> str:
    r"""Put Unicode's isolates around Arabic and Hebrew words, for text on the screen.

    Without them, the browser writes a comparison that begins with such a word from right to left:
    first the number, then the sign, then the word.

    Examples
    --------
    >>> isolate("\u05d2\u05d9\u05dc <= 40.5") == "\u2068\u05d2\u05d9\u05dc\u2069 <= 40.5"
    True
    """
    return _PHRASE.sub(rf"{_ISOLATE}\g<0>{_POP}", text)


def plain(text: str) -> str:
    """Escape `text` for a Markdown label or paragraph, on one line."""
    return _SPECIAL.sub(r"\\\1", _LATE.sub(_JOINER, isolate(_one_line(text))))


def sentence(message: str) -> str:
    """Escape a message that may quote a file, for Markdown, and cut it if it is very long."""
    return plain(shorten(message, MOST_LETTERS))


def html_text(text: str) -> str:
    """Escape `text` for ``st.html``, inside an element or an attribute."""
    return html.escape(isolate(_one_line(text)), quote=True)


def shorten(text: str, most: int = 60) -> str:
    """Cut `text` to `most` characters, with an ellipsis if something is left out."""
    text = _one_line(text)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def file_stem(table: str, topology: str) -> str:
    """Make a file name from the table's name and the shape.

    Examples
    --------
    >>> file_stem("ward 7 (new).csv", "depth-2"), file_stem("x.csv.gz", "((. .)(. .))")
    ('ward-7-new-depth-2', 'x-tree')
    """
    table = re.sub(r"\.(csv|tsv|txt|gz)\b", "", table, flags=re.IGNORECASE)
    shape = topology if topology[0].isalpha() else "tree"
    return re.sub(r"[^\w.]+", "-", f"{table}-{shape}").strip("-.")[:80] or "tree"
