"""A table of class counts with bars and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from odt_core.words import count_words, percent_words
from pages.common.markup import html_text, plain_table, shorten, value_html

_POSITIVE = "#23879a"  # readable as a surface on white and on the dark background
_NEGATIVE = "color-mix(in srgb, currentColor 22%, transparent)"


def class_table(
    counts: Mapping[str, tuple[int, int]], positive: str, negative: str, caption: str
) -> str:
    """Write a table of groups of rows: the size, a bar, and each class with its share.

    The counts of a group, such as ``Training``, are its rows of the positive and of the negative
    class.
    """
    head = ["Rows", "", _key(_POSITIVE, positive), _key(_NEGATIVE, negative)]
    rows = [
        [
            f'{html_text(group)} · <span style="white-space:nowrap">{sum(both):,}</span>',
            _bar(*both),
            *(value_html(f"{n:,}", f"({percent_words(n / sum(both))})") for n in both),
        ]
        for group, both in counts.items()
    ]
    return plain_table(caption, head, rows)


def _key(colour: str, label: str) -> str:
    swatch = (
        f'<span aria-hidden="true" style="display:inline-block;width:.7em;height:.7em;'
        f'border-radius:2px;margin-right:.4em;background:{colour}"></span>'
    )
    return f'{swatch}<span title="{html_text(label)}">{html_text(shorten(label, 24))}</span>'


def _bar(n_positive: int, n_negative: int) -> str:
    n_rows = n_positive + n_negative
    text = f"{count_words(n_positive, 'positive row')} of {n_rows:,}"
    return (
        f'<div role="img" aria-label="{html_text(text)}" style="display:flex;gap:2px;height:.85rem;'
        "width:clamp(2.5rem,30vw - 4.5rem,20rem);margin-top:.25rem;border-radius:3px;"
        'overflow:hidden">'
        f'<span style="width:{100 * n_positive / n_rows:.3f}%;background:{_POSITIVE}"></span>'
        f'<span style="flex:1;background:{_NEGATIVE}"></span></div>'
    )
