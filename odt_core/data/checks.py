"""Findings about a table and its schema, in sentences for the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from odt_core.data.column_checks import column_findings
from odt_core.data.dialect import DELIMITER_NAMES
from odt_core.data.findings import Finding, Severity, error, info, shown, warning
from odt_core.data.limits import has_column
from odt_core.data.profile import Profile, profile_column
from odt_core.data.remedies import Change, Remedy
from odt_core.data.schema import ColumnKind, Schema
from odt_core.data.table import Table
from odt_core.data.target import Target, read_target
from odt_core.data.target_checks import MAX_LABELS_SHOWN, target_findings
from odt_core.data.title_checks import title_finding
from odt_core.errors import quoted

MAX_UNITS = 5
"""Largest number of units that a sentence names."""


def check_schema(table: Table, schema: Schema) -> tuple[Finding, ...]:
    """Find everything that is wrong or odd; errors come first.

    If there is an error, `odt_core.data.prepare` refuses the table with the same sentence.
    """
    return table.remember(schema, lambda: _sorted_findings(table, schema))


def _sorted_findings(table: Table, schema: Schema) -> tuple[Finding, ...]:
    order = list(Severity)
    findings = _all_findings(table, schema)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def _all_findings(table: Table, schema: Schema) -> Iterator[Finding]:
    unusable = _reasons_to_refuse(table, schema)
    if unusable:
        yield from unusable
        return
    title = title_finding(table)
    if title is not None:
        yield title
    target = read_target(table, schema.target, schema.reading_of(schema.target))
    for finding in target_findings(table, schema, target):
        if title is None or finding.severity is Severity.ERROR or finding.needs_answer:
            yield finding
    columns = [
        (column.kind, profile_column(table, column.name, schema.reading_of(column.name)))
        for column in schema.columns
        if column.name != schema.target and has_column(table, column.name)
    ]
    units = [] if title is not None else _units_columns(columns)
    if units:
        yield _units_finding(table, units)
    for kind, profile in columns:
        only_errors = title is not None or profile in units
        for finding in _column_findings(table, schema, target, kind, profile):
            if finding.severity is Severity.ERROR or not only_errors:
                yield _without_applied(finding, schema)
    if all(kind is ColumnKind.IGNORE or profile.is_constant for kind, profile in columns):
        yield error(
            None,
            "There is no feature to split on: set at least one column that is not constant to "
            "categorical or numerical.",
        )
    yield from _group_findings(schema, [profile for _, profile in columns])
    yield from _unnamed_findings(table, schema)


def _reasons_to_refuse(table: Table, schema: Schema) -> list[Finding]:
    """The errors that make all other checks useless: a wrong shape, or columns that are absent."""
    shape = shape_error(table)
    if shape is not None:
        return [shape]
    named = [schema.target, *(column.name for column in schema.features)]
    named += [] if schema.group is None else [schema.group]
    absent = [name for name in named if not has_column(table, name)]
    return [error(name, _absent_message(table, name)) for name in absent]


def _column_findings(
    table: Table, schema: Schema, target: Target, kind: ColumnKind, profile: Profile
) -> tuple[Finding, ...]:
    """The findings about a feature, or the reasons why an ignored column should be ignored."""
    if kind is not ColumnKind.IGNORE:
        return column_findings(table, profile, kind, target, schema.positive)
    if profile.proposed_kind is ColumnKind.IGNORE and profile.name != schema.group:
        return column_findings(table, profile, kind)
    return ()


def _without_applied(finding: Finding, schema: Schema) -> Finding:
    """Remove offers that are already taken: marks of limits that are there, and a second group."""
    left = tuple(
        remedy
        for remedy in finding.remedies
        if not (remedy.with_mark and remedy.applied(schema) == schema)
        and not (remedy.change is Change.GROUP and schema.group is not None)
    )
    return replace(finding, remedies=left)


def _units_columns(columns: Sequence[tuple[ColumnKind, Profile]]) -> list[Profile]:
    """Columns of numbers with text in the first row, if each column of numbers has text there."""
    found = []
    for _, profile in columns:
        first = profile.factor.codes[0]
        if profile.missing[first]:
            continue
        if not profile.strays[first] or _is_odd_number(profile, first):
            return []
        if profile.counts[profile.strays].sum() == 1 and profile.n_distinct > 1:
            found.append(profile)
    return found


def _is_odd_number(profile: Profile, code: int) -> bool:
    """Whether a stray text is a number in another form, such as ``<0.5``."""
    form = profile.odd_form
    text: str = profile.factor.values[code].as_py()
    return form is not None and text not in profile.strays_beyond(form)


def _units_finding(table: Table, units: Sequence[Profile]) -> Finding:
    texts = [profile.factor.values[profile.factor.codes[0]].as_py() for profile in units]
    columns = "a column" if len(units) == 1 else f"{len(units)} columns"
    remedy = Remedy(Change.UNITS_ROW, "Leave that row out", units[0].name)
    return warning(
        None,
        f"The first row below the column names, {table.where(0)}, seems to hold units "
        f"({shown(texts, MAX_UNITS)}), so that {columns} of numbers would be text: leave it out.",
        remedy,
    )


def _group_findings(schema: Schema, profiles: Sequence[Profile]) -> Iterator[Finding]:
    """Report columns that mark rows of one patient or the like, and whether these stay together."""
    for profile in profiles:
        name = profile.name
        is_group = name == schema.group
        if not is_group and (schema.group is not None or not profile.repeats_ids):
            if schema.group is None and profile.may_mark_clusters:
                yield _cluster_finding(profile)
            continue
        n_known = profile.n_rows - profile.n_missing
        if is_group and profile.n_distinct + profile.n_missing == 1:
            yield error(
                name,
                f"Column {quoted(name)} has the same value in every row, so its rows cannot be "
                "kept together and divided: choose another group column, or none.",
                Remedy(Change.UNGROUP, "Divide them freely", name),
            )
            continue
        facts = f"Column {quoted(name)} has {profile.n_distinct:,} values in {n_known:,} rows"
        if is_group:
            yield info(
                name,
                f"{facts}: rows with the same value stay together, in training or in test.",
                Remedy(Change.UNGROUP, "Divide them freely", name),
            )
        else:
            yield warning(
                name,
                f"{facts}, so several rows may belong to one patient: such rows may stand in "
                "training and in test, which makes test results too good; keep them together.",
                Remedy(Change.GROUP, "Keep them together", name),
            )


def _cluster_finding(profile: Profile) -> Finding:
    name = profile.name
    return info(
        name,
        f"Column {quoted(name)} has {profile.n_distinct:,} values. If rows with the same value are "
        "alike and new cases will have other values, test results are too good: keep such rows "
        "together, in training or in test.",
        Remedy(Change.GROUP, "Keep them together", name),
    )


def shape_error(table: Table) -> Finding | None:
    """Make the error for a table without rows or with a single column; None for other tables."""
    if table.n_rows == 0:
        return error(None, "The table has no rows below the column names: add some.")
    if len(table.columns) == 1:
        mark = DELIMITER_NAMES.get(table.report.delimiter, repr(table.report.delimiter))
        doubt = f"are not separated by {mark}" if table.report.delimiter else "are separated"
        remedy = f"if cells {doubt}, name the delimiter"
        if table.report.container:
            remedy = (
                "if the table is elsewhere in the file, such as on another sheet, save it as a "
                "file of its own"
            )
        return error(
            None,
            f"The table has only one column, {quoted(table.columns[0])}, but an outcome and a "
            f"feature are needed: {remedy}.",
        )
    return None


def _absent_message(table: Table, name: str) -> str:
    return (
        f"The table has no column {quoted(name)}: choose among its columns, "
        f"{shown(table.columns, 2 * MAX_LABELS_SHOWN)}."
    )


def _unnamed_findings(table: Table, schema: Schema) -> Iterator[Finding]:
    named = {schema.target, *(column.name for column in schema.columns)}
    others = [column for column in table.columns if column not in named]
    if others:
        yield info(None, f"Columns that are not described are ignored: {shown(others, 10)}.")
