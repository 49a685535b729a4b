"""What is wrong or odd about the table under the present choices, and ways to act on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from odt_core.data import ColumnKind, Finding, Level
from odt_core.words import count_words
from pages.build.data_parts.choices import choose_kinds, current
from pages.build.data_parts.derived import Rows, findings
from pages.common.text import plain, sentence, shorten

MOST_NAMES = 12

FEW_REMARKS = 3
"""Up to so many remarks stand open where there is nothing worse."""


@dataclass(frozen=True)
class Remark:
    """Findings that say the same of different columns.

    Attributes
    ----------
    level : Level
        How serious they are.
    message : str
        The first one's sentence.
    columns : tuple of str
        The columns they are about; empty for the table as a whole.
    """

    level: Level
    message: str
    columns: tuple[str, ...]


def grouped(found: Iterable[Finding]) -> tuple[Remark, ...]:
    """Findings that differ only in column and numbers, put together in order of appearance."""
    groups: dict[tuple[Level, str], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.level, _shape(finding)), []).append(finding)
    return tuple(
        Remark(
            level,
            group[0].message,
            tuple(finding.column for finding in group if finding.column is not None),
        )
        for (level, _), group in groups.items()
    )


def _shape(finding: Finding) -> str:
    """The sentence without what is particular to a column."""
    text = finding.message
    if finding.column is not None:
        text = text.replace(repr(finding.column), "…")
    return re.sub(r"'[^']*'|\"[^\"]*\"|[\d.,]*\d", "#", text)


def draw_checks(rows: Rows | str) -> None:
    """Errors in full, warnings in full, remarks folded."""
    dataset, schema, _ = current()
    found = grouped(findings(dataset, schema))
    errors = [remark for remark in found if remark.level is Level.ERROR]
    warnings = [remark for remark in found if remark.level is Level.WARNING]
    remarks = [remark for remark in found if remark.level is Level.INFO]
    notes = [Remark(Level.INFO, note, ()) for note in dataset.table.report.notes]
    if not isinstance(rows, str) and rows.dropped:
        said = {name for remark in remarks for name in remark.columns}
        dropped = [name for name in rows.dropped if name not in said]
        notes += [_dropped(dropped)] if dropped else []
    if not (errors or warnings or remarks or notes):
        return
    st.subheader("Worth knowing", anchor=False)
    for remark in errors:
        st.error(_words(remark))
    if warnings:
        with st.expander(
            f"{count_words(len(warnings), 'warning')} to look at",
            expanded=not errors,
            key="data_warnings",
        ):
            for number, remark in enumerate(warnings):
                _draw_warning(number, remark)
    if remarks or notes:
        smaller = [*remarks, *notes]
        with st.expander(
            count_words(len(smaller), "remark"),
            expanded=len(smaller) <= FEW_REMARKS and not errors and not warnings,
            key="data_remarks",
        ):
            st.markdown("\n".join(f"- {_words(remark)}" for remark in smaller))


def _dropped(names: Sequence[str]) -> Remark:
    shown = ", ".join(map(repr, names[:MOST_NAMES])) + (", …" if len(names) > MOST_NAMES else "")
    return Remark(Level.INFO, f"The same in all training rows, so not used: {shown}.", ())


def _words(remark: Remark) -> str:
    words = sentence(remark.message)
    others = remark.columns[1:]
    if others:
        shown = ", ".join(plain(shorten(name, 30)) for name in others[:MOST_NAMES])
        more = ", …" if len(others) > MOST_NAMES else ""
        words += f" Likewise {count_words(len(others), 'other column')}: {shown}{more}."
    return words


def _draw_warning(number: int, remark: Remark) -> None:
    _, schema, _ = current()
    used = {column.name for column in schema.features}
    columns = [name for name in remark.columns if name in used]
    if not columns:
        st.markdown(_words(remark))
        return
    text, action = st.columns([5, 1], vertical_alignment="center")
    with text:
        st.markdown(_words(remark))
    with action:
        st.button(
            "Ignore it" if len(columns) == 1 else f"Ignore {len(columns)}",
            key=f"data_ignore_{number}",
            width="stretch",
            help="Do not use as a feature: " + plain(shorten(", ".join(columns), 200)),
            on_click=_ignore,
            args=(columns,),
        )


def _ignore(columns: Sequence[str]) -> None:
    choose_kinds(dict.fromkeys(columns, ColumnKind.IGNORE))
