"""Text on the screen: what came from a file is shown as it is, never read as Markdown or HTML."""

from __future__ import annotations

import html
import re

from odt_core.words import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")
_JOINER = "\u2060"
# Streamlit replaces these after Markdown was parsed, where a backslash no longer helps: icons and
# emoji (`:name:`), links and addresses (`http:`, `www.`, `@`), and arrows (`->`, `--`, `>=`).
# An invisible joiner inside keeps them text.
_LATE = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=[-<>=~])(?=[-<>=])", re.IGNORECASE)


MOST_LETTERS = 700
"""Of a sentence on the screen."""


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())


def plain(text: str) -> str:
    """`text` for a Markdown label or paragraph: every sign as it stands, on one line."""
    return _SPECIAL.sub(r"\\\1", _LATE.sub(_JOINER, _one_line(text)))


def sentence(message: str) -> str:
    """A message that may quote a file, for Markdown; a cell of a million letters is cut."""
    return plain(shorten(message, MOST_LETTERS))


def html_text(text: str) -> str:
    """`text` for ``st.html``, inside an element or an attribute."""
    return html.escape(_one_line(text), quote=True)


def shorten(text: str, most: int = 60) -> str:
    """`text` cut to `most` characters, with an ellipsis where something is left out."""
    text = _one_line(text)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def file_stem(table: str, topology: str) -> str:
    """A file name that says what it is: the table's name and the shape.

    Examples
    --------
    >>> file_stem("ward 7 (new).csv", "depth-2"), file_stem("x.csv.gz", "((. .)(. .))")
    ('ward-7-new-depth-2', 'x-tree')
    """
    table = re.sub(r"\.(csv|tsv|txt|gz)\b", "", table, flags=re.IGNORECASE)
    shape = topology if topology[0].isalpha() else "tree"
    return re.sub(r"[^\w.]+", "-", f"{table}-{shape}").strip("-.")[:80] or "tree"
