"""Text from files as Markdown and HTML: escaping, shortening, and small HTML tables."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

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


_JOINED = re.compile(r"(?<=[A-Za-z0-9][_\-./])(?=[A-Za-z])")
_TINT = "color-mix(in srgb, #23879a 16%, transparent)"
_RULE = "1px solid color-mix(in srgb, currentColor 16%, transparent)"
_TABLE = "width:100%;border-collapse:collapse;border:0;font-size:.93rem;line-height:1.4"
_HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
_FAINT = "opacity:.75"
_HEAD = f"padding:.2rem .6rem .3rem 0;border:0;text-align:left;font-weight:400;{_FAINT}"
_MANY_COLUMNS = 5
"""A table with at least this many columns may scroll on a narrow page."""
LONG_WORD = 12
"""The most letters of a word that does not break inside a name."""
_CELL = (
    f"padding:.35rem .6rem .35rem 0;border:0;border-top:{_RULE};text-align:left;"
    "font-weight:400;vertical-align:top;font-variant-numeric:tabular-nums"
)


def name_html(text: str, most: int = 24) -> str:
    """Write a name from a file, shortened, with the full name as a tooltip.

    A name may break after a sign that joins words, such as the underscore. Only a long word may
    break inside, so that a narrow column does not break every word.
    """
    whole = printable(text)
    shown = shorten(whole, most)
    words = _JOINED.split(shown)
    has_long_word = any(len(word) > LONG_WORD for part in words for word in part.split())
    style = ' style="overflow-wrap:anywhere"' if has_long_word else ""
    broken = "<wbr>".join(map(html_text, words))
    return f'<span title="{html_text(whole)}"{style}>{broken}</span>'


def value_html(value: str, *details: str) -> str:
    """Write a value in bold with details beside it, each on one line; from plain text to HTML."""
    spans = "".join(
        f' <span style="white-space:nowrap;{_FAINT}">{html_text(detail)}</span>'
        for detail in details
        if detail
    )
    return f'<b style="white-space:nowrap">{html_text(value)}</b>{spans}'


def plain_table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, is_wide: bool = False
) -> str:
    """Write a table. The first cell of each row is its header.

    Parameters
    ----------
    caption : str
        The caption for screen readers; plain text.
    head : sequence of str
        Column headers as HTML. An empty header becomes an empty cell.
    rows : sequence of sequence of str
        Cells as HTML.
    is_wide : bool
        Whether the table scrolls on a narrow page, instead of breaking words.
    """
    names = "".join(
        f'<th scope="col" style="{_HEAD}">{name}</th>' if name else '<td style="border:0"></td>'
        for name in head
    )
    body = "".join(
        f'<tr style="border:0"><th scope="row" style="{_CELL}">{first}</th>'
        + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    may_scroll = is_wide or len(head) >= _MANY_COLUMNS
    least = ";min-width:34rem" if is_wide else ""
    return _table(caption, f'<tr style="border:0">{names}</tr>', body, least, may_scroll=may_scroll)


def count_table(caption: str, positive: str, negative: str, counts: Sequence[int]) -> str:
    """Write a 2x2 table with the user's class names and tinted right answers.

    The counts are true positives, false positives, false negatives and true negatives. The caption
    is plain text for screen readers.
    """
    yes, no = name_html(positive), name_html(negative)
    head = "".join(
        f'<th scope="col" style="{_HEAD};padding-left:.6rem;width:34%">is <b>{name}</b></th>'
        for name in (yes, no)
    )
    names = ("true positives", "false positives", "false negatives", "true negatives")
    cells = [
        _count(count, name, right=name.startswith("true"))
        for count, name in zip(counts, names, strict=True)
    ]
    body = "".join(
        f'<tr style="border:0"><th scope="row" style="{_HEAD};vertical-align:middle">'
        f"tree says<br><b>{name}</b></th>{first}{second}</tr>"
        for name, first, second in ((yes, *cells[:2]), (no, *cells[2:]))
    )
    return _table(caption, f'<tr style="border:0"><td style="border:0"></td>{head}</tr>', body)


def _count(count: int, name: str, *, right: bool) -> str:
    tint = f";background:{_TINT}" if right else ""
    return (
        f'<td style="border:{_RULE};padding:.4rem .6rem{tint}">'
        f'<b style="font-size:1.25rem;font-variant-numeric:tabular-nums">{count:,}</b><br>'
        f'<span style="font-size:.82rem;{_FAINT}">{name}</span></td>'
    )


def _table(caption: str, head: str, body: str, style: str = "", *, may_scroll: bool = False) -> str:
    """Write a table. If it may scroll, the keyboard can reach it."""
    focus = f' tabindex="0" role="region" aria-label="{html_text(caption)}"' if may_scroll else ""
    return (
        f'<div style="overflow-x:auto"{focus}><table style="{_TABLE}{style}">'
        f'<caption style="{_HIDDEN}">{html_text(caption)}</caption>'
        f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )
