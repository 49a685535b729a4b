"""Findings about the table and its settings, with buttons for remedies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from odt_core.data import (
    Change,
    Finding,
    Prepared,
    ReadOptions,
    Remedy,
    Schema,
    Severity,
    check_schema,
)
from odt_core.errors import quoted
from odt_core.words import count_words
from pages.common.markup import plain, sentence, shorten
from pages.common.session import update
from pages.data.current_table import apply_remedies, current
from pages.data.source import read_differently

MOST_NAMES = 12

FEW_REMARKS = 3
"""The most remarks for which their expander is open, if there are no errors or warnings."""

_DONE = "data_now_done"


@dataclass(frozen=True)
class SharedFinding:
    """A finding that one or several columns share.

    Attributes
    ----------
    severity : Severity
        The severity.
    message : str
        The sentence of the first finding.
    columns : tuple of str
        The columns; empty for a finding about the table.
    actions : tuple of tuple of Remedy
        The remedies for all of them, one tuple for each button.
    """

    severity: Severity
    message: str
    columns: tuple[str, ...]
    actions: tuple[tuple[Remedy, ...], ...] = ()


@dataclass(frozen=True)
class _Done:
    """The last click on a remedy, for Undo.

    Attributes
    ----------
    words : str
        The remedy and its columns in words.
    sha256 : str
        The SHA-256 of the file.
    before : Schema
        The schema before the click.
    read : ReadOptions
        The reading options before the click.
    after : Schema or ReadOptions
        The schema or the reading options after the click.
    earlier : _Done or None
        The click before this one, if nothing else was changed between them.
    """

    words: str
    sha256: str
    before: Schema
    read: ReadOptions
    after: Schema | ReadOptions
    earlier: _Done | None


def grouped(found: Iterable[Finding]) -> tuple[SharedFinding, ...]:
    """Group findings that only differ in column and numbers, in order of appearance."""
    groups: dict[tuple[Severity, str, tuple[str, ...]], list[Finding]] = {}
    for finding in found:
        labels = tuple(remedy.label for remedy in finding.remedies)
        groups.setdefault((finding.severity, _alike(finding), labels), []).append(finding)
    return tuple(
        SharedFinding(
            severity,
            group[0].message,
            tuple(dict.fromkeys(f.column for f in group if f.column is not None)),
            tuple(zip(*(finding.remedies for finding in group), strict=True)),
        )
        for (severity, _, _), group in groups.items()
    )


def _alike(finding: Finding) -> str:
    """The sentence without the names, texts and numbers that differ between alike findings."""
    text = finding.message
    if finding.column is not None:
        text = text.replace(quoted(finding.column), "…")
    return re.sub(r"('[^']*'|\"[^\"]*\")(, ('[^']*'|\"[^\"]*\"))*|[\d.,]*\d", "#", text)


def draw_questions(found: Sequence[Finding]) -> None:
    """Draw the questions that the user must answer before training. The answers are buttons."""
    for number, finding in enumerate(found):
        title = f"Question {number + 1} of {len(found)}" if len(found) > 1 else "A question first"
        with st.container(border=True, key=f"data_question_{number}"):
            st.markdown(f"**{title}.** {sentence(finding.message)}")
            with st.container(horizontal=True, gap="small"):
                for place, remedy in enumerate(finding.remedies):
                    _draw_action(f"data_answer_{number}_{place}", (remedy,))


def draw_checks(rows: Prepared | str) -> None:
    """Draw errors, then warnings and remarks in expanders."""
    data = current()
    table = data.dataset.table
    found = [f for f in check_schema(table, data.schema) if not f.needs_answer]
    if not isinstance(rows, str):
        found += rows.divided
    shared = grouped(found)
    errors, warnings, smaller = (
        [each for each in shared if each.severity is severity] for severity in Severity
    )
    smaller += [SharedFinding(Severity.INFO, note, ()) for note in table.report.notes]
    if not isinstance(rows, str) and rows.dropped:
        said = {name for each in shared for name in each.columns}
        dropped = [name for name in rows.dropped if name not in said]
        smaller += [_dropped(dropped)] if dropped else []
    if not (errors or warnings or smaller or _done()):
        return
    st.header("Worth knowing", anchor=False)
    _draw_done()
    for number, finding in enumerate(errors):
        st.error(_words(finding))
        _draw_actions(f"data_mend_{number}", finding)
    title = f"{count_words(len(warnings), 'warning')} to look at"
    _draw_expander("data_warning", title, warnings, expanded=not errors)
    few = len(smaller) <= FEW_REMARKS and not errors and not warnings
    _draw_expander("data_remark", count_words(len(smaller), "remark"), smaller, expanded=few)


def _draw_expander(key: str, title: str, found: Sequence[SharedFinding], *, expanded: bool) -> None:
    if not found:
        return
    with st.expander(title, expanded=expanded, key=f"{key}s"):
        for number, finding in enumerate(found):
            _draw_finding(f"{key}_{number}", finding)


def _dropped(names: Sequence[str]) -> SharedFinding:
    shown = ", ".join(map(quoted, names[:MOST_NAMES])) + (", …" if len(names) > MOST_NAMES else "")
    return SharedFinding(Severity.INFO, f"Constant in the training rows, so not used: {shown}.", ())


def _words(finding: SharedFinding) -> str:
    words = sentence(finding.message)
    others = finding.columns[1:]
    if others:
        shown = ", ".join(plain(shorten(name, 30)) for name in others[:MOST_NAMES])
        more = ", …" if len(others) > MOST_NAMES else ""
        words += f" Likewise {count_words(len(others), 'other column')}: {shown}{more}."
    return words


def _draw_finding(key: str, finding: SharedFinding) -> None:
    """Draw a sentence with its buttons beside it, or below the names of their columns."""
    if not finding.actions:
        st.markdown(_words(finding))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_words(finding), width="stretch")
        if len(finding.columns) > MOST_NAMES + 1:
            with st.popover(f"All {len(finding.columns)} columns", key=f"{key}_names"):
                st.markdown(", ".join(plain(shorten(name, 60)) for name in finding.columns))
        _draw_actions(key, finding)


def _draw_actions(key: str, finding: SharedFinding) -> None:
    for place, remedies in enumerate(finding.actions):
        _draw_action(f"{key}_{place}", remedies)


def _draw_action(key: str, remedies: Sequence[Remedy]) -> None:
    label, n = remedies[0].label, len(remedies)
    names = ", ".join(dict.fromkeys(remedy.column for remedy in remedies))
    st.button(
        label if n == 1 else f"{label} ({n} columns)",
        key=key,
        help=plain(shorten(names, 200)) + _detail(remedies[0]),
        on_click=_act,
        args=(tuple(remedies),),
    )


def _detail(remedy: Remedy) -> str:
    """Describe the joined or missing texts, or the date of the ages."""
    if remedy.joined:
        pairs = ", ".join(f"{quoted(text)} as {quoted(label)}" for text, label in remedy.joined)
        return f": {plain(shorten(pairs, 300))}"
    words = "" if remedy.reference is None else f": completed years on {remedy.reference}"
    if remedy.texts:
        texts = plain(shorten(", ".join(map(quoted, remedy.texts)), 300))
        words += f"; missing: {texts}" if words else f": {texts}"
    return words


def _act(remedies: Sequence[Remedy]) -> None:
    """Apply remedies, and store the earlier state for Undo."""
    data, earlier, first = current(), _done(), remedies[0]
    read = data.dataset.read
    after: Schema | ReadOptions
    if first.change is Change.UNITS_ROW:
        after = replace(read, units_row=True)
        read_differently(after)
    elif first.change is Change.TITLE:
        after = replace(read, skip_lines=first.skip_lines)
        read_differently(after)
    else:
        apply_remedies(remedies)
        after = current().schema
    names = ", ".join(dict.fromkeys(remedy.column for remedy in remedies))
    words = f"{first.label}: {names}" if isinstance(after, Schema) else first.label
    st.session_state[_DONE] = _Done(words, data.dataset.sha256, data.schema, read, after, earlier)


def _done() -> _Done | None:
    """The last click; None if something was changed after it."""
    done = st.session_state.get(_DONE)
    if not isinstance(done, _Done):
        return None
    data = current()
    now = data.schema if isinstance(done.after, Schema) else data.dataset.read
    return done if (done.sha256, done.after) == (data.dataset.sha256, now) else None


def _draw_done() -> None:
    done = _done()
    if done is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="data_done"):
        st.markdown(f"Done. {plain(done.words)}.")
        st.button("Undo", key="data_undo", on_click=_undo)


def _undo() -> None:
    done = _done()
    if done is None:
        return
    st.session_state[_DONE] = done.earlier
    if isinstance(done.after, Schema):
        update(schema=done.before)
    else:
        read_differently(done.read, done.before)
