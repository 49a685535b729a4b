"""A table of class counts with bars and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from odt_core.words import count_words, percent_words
from pages.common.markup import html_text, shorten

_POSITIVE = "#23879a"  # readable as a surface on white and on the dark background
_NEGATIVE = "color-mix(in srgb, currentColor 22%, transparent)"
_TABLE = "width:100%;border-collapse:collapse;font-size:.93rem;line-height:1.35;border:0"
_CELL = "padding:.28rem .6rem .28rem 0;border:0;text-align:left;font-weight:400;white-space:nowrap"
_RIGHT = _CELL + ";text-align:right;font-variant-numeric:tabular-nums"
_NAME = _RIGHT + ";white-space:normal;overflow-wrap:anywhere;vertical-align:bottom"
_HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"


@dataclass(frozen=True)
class ClassCounts:
    """The numbers of rows of each class in a group of rows.

    Attributes
    ----------
    group : str
        The name of the group, such as ``Training``.
    n_positive, n_negative : int
        Rows of each class.
    """

    group: str
    n_positive: int
    n_negative: int

    @property
    def n_rows(self) -> int:
        return self.n_positive + self.n_negative


def class_table(groups: Sequence[ClassCounts], positive: str, negative: str, caption: str) -> str:
    """Write a row of HTML for each group: its size, a bar, and each class with count and share.

    Parameters
    ----------
    groups : sequence of ClassCounts
        The rows of the table.
    positive, negative : str
        The user's names of the classes.
    caption : str
        The caption for screen readers.
    """
    head = "".join(
        f'<th scope="col" style="{style}">{text}</th>'
        for text, style in (
            (f'<span style="{_HIDDEN}">Which rows</span>', _CELL),
            ('<span style="opacity:.75">rows</span>', _RIGHT),
            (f'<span style="{_HIDDEN}">Shares</span>', _CELL),
            (_key(_POSITIVE, positive), _NAME),
            (_key(_NEGATIVE, negative), _NAME),
        )
    )
    body = "".join(_row(group) for group in groups)
    return (
        f'<table style="{_TABLE}"><caption style="{_HIDDEN}">{html_text(caption)}</caption>'
        f'<thead><tr style="border:0">{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _key(colour: str, label: str) -> str:
    swatch = (
        f'<span aria-hidden="true" style="display:inline-block;width:.7em;height:.7em;'
        f'border-radius:2px;margin-right:.4em;background:{colour}"></span>'
    )
    return f'{swatch}<span title="{html_text(label)}">{html_text(shorten(label, 24))}</span>'


def _row(group: ClassCounts) -> str:
    if group.n_rows:
        cells = _number(group.n_positive, group.n_rows), _number(group.n_negative, group.n_rows)
    else:
        cells = "–", "–"
    return (
        f'<tr style="border:0"><th scope="row" style="{_CELL}">{html_text(group.group)}</th>'
        f'<td style="{_RIGHT}">{group.n_rows:,}</td>'
        f'<td style="{_CELL};width:45%">{_bar(group)}</td>'
        f'<td style="{_RIGHT}">{cells[0]}</td><td style="{_RIGHT}">{cells[1]}</td></tr>'
    )


def _number(n: int, n_rows: int) -> str:
    return f'<b>{n:,}</b> <span style="opacity:.75">({percent_words(n / n_rows)})</span>'


def _bar(group: ClassCounts) -> str:
    if not group.n_rows:
        return ""
    share = 100 * group.n_positive / group.n_rows
    text = f"{count_words(group.n_positive, 'positive row')} of {group.n_rows:,}"
    return (
        f'<div role="img" aria-label="{html_text(text)}" style="display:flex;gap:2px;'
        f'height:.85rem;min-width:3rem;border-radius:3px;overflow:hidden">'
        f'<span style="width:{share:.3f}%;background:{_POSITIVE}"></span>'
        f'<span style="flex:1;background:{_NEGATIVE}"></span></div>'
    )
