"""Escaping and shortening of text from files, so that it is never read as Markdown or HTML."""

from __future__ import annotations

import html
import re

from odt_core.words import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")
_JOINER = "\u2060"
# Streamlit replaces these after it has parsed Markdown, so a backslash does not help: icons and
# emoji (`:name:`), links and addresses (`http:`, `www.`, `@`), and arrows (`->`, `--`, `>=`).
# An invisible joiner inside keeps them as text.
_LATE = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=[-<>=~])(?=[-<>=])", re.IGNORECASE)


MOST_LETTERS = 700
"""The most characters of a sentence on the screen."""


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())


def plain(text: str) -> str:
    """Escape `text` for a Markdown label or paragraph, on one line."""
    return _SPECIAL.sub(r"\\\1", _LATE.sub(_JOINER, _one_line(text)))


def sentence(message: str) -> str:
    """Escape a message that may quote a file, for Markdown, and cut it if it is very long."""
    return plain(shorten(message, MOST_LETTERS))


def html_text(text: str) -> str:
    """Escape `text` for ``st.html``, inside an element or an attribute."""
    return html.escape(_one_line(text), quote=True)


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
