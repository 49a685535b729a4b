"""What is wrong or odd about a table under a schema, in sentences for the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from odt_core.data.dialect import DELIMITER_NAMES
from odt_core.data.profile import MANY_CATEGORIES, Profile, profile_column
from odt_core.data.schema import ColumnKind, Schema
from odt_core.data.table import Table
from odt_core.data.target import Target, read_target

MAX_LABELS_SHOWN = 10
MANY_CLASSES = 10
"""More outcomes than this are likely a number or a name, not a class."""

_MAX_STRAYS = 3
"""A column of numbers with at most so many other texts is said to be one."""


class Level(StrEnum):
    """How serious a finding is: an error forbids training."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """Something the user should know.

    Attributes
    ----------
    level : Level
        How serious it is.
    column : str or None
        The column it is about, if it is about one.
    message : str
        A sentence that names the column or row and says what to do.
    """

    level: Level
    column: str | None
    message: str


def check_schema(table: Table, schema: Schema) -> tuple[Finding, ...]:
    """Everything that is wrong or odd, errors first.

    `odt_core.data.prepare` refuses a table with an error, in the same words.

    Parameters
    ----------
    table : Table
        The data, as read.
    schema : Schema
        What it is taken to mean.
    """
    findings = list(_all_findings(table, schema))
    levels = list(Level)
    return tuple(sorted(findings, key=lambda finding: levels.index(finding.level)))


def _all_findings(table: Table, schema: Schema) -> Iterator[Finding]:
    shape = shape_error(table)
    if shape is not None:
        yield shape
        return
    present = set(table.columns)
    absent = [
        name
        for name in (
            schema.target,
            *(column.name for column in schema.features),
            *(() if schema.group is None else (schema.group,)),
        )
        if name not in present
    ]
    if absent:
        yield from (_error(name, _absent_message(table, name)) for name in absent)
        return
    target = read_target(table, schema.target, schema.reading_of(schema.target))
    yield from _target_findings(table, schema, target)
    used = 0
    for column in schema.columns:
        if column.name == schema.target or column.name not in present:
            continue
        profile = profile_column(table, column.name, schema.reading_of(column.name))
        if column.kind is ColumnKind.IGNORE:
            if profile.proposed_kind is ColumnKind.IGNORE:
                yield from column_findings(table, profile, column.kind)
            continue
        used += not profile.is_constant
        yield from column_findings(table, profile, column.kind, target.classes, target.name)
    if not used:
        yield _error(
            None,
            "There is no feature to split on: set at least one column that is not constant to "
            "categorical or numerical.",
        )
    yield from _unnamed_findings(table, schema)


def shape_error(table: Table) -> Finding | None:
    """A table without rows, or with a single column, cannot be learned from."""
    if table.n_rows == 0:
        return _error(None, "The table has no rows below the column names: add some.")
    if len(table.columns) == 1:
        mark = DELIMITER_NAMES.get(table.report.delimiter, repr(table.report.delimiter))
        doubt = f"are not separated by {mark}" if table.report.delimiter else "are separated"
        return _error(
            None,
            f"The table has one column only, {table.columns[0]!r}, where an outcome and a feature "
            f"are needed: if cells {doubt}, name the delimiter.",
        )
    return None


def _absent_message(table: Table, name: str) -> str:
    return (
        f"The table has no column {name!r}: choose among its columns, "
        f"{_shown(table.columns, 2 * MAX_LABELS_SHOWN)}."
    )


def _target_findings(table: Table, schema: Schema, target: Target) -> Iterator[Finding]:
    name, n_known = target.name, int(target.known.sum())
    if any(column.name == name for column in schema.features):
        yield _error(name, f"The outcome {name!r} is among the features: set it to ignore.")
    if n_known == 0:
        yield _error(
            name,
            f"No rows are left, since the outcome {name!r} is missing in every row: choose "
            "another column or other missing values.",
        )
        return
    if len(target.labels) == 1:
        yield _error(
            name,
            f"The outcome {name!r} has a single value, {target.labels[0]!r}: choose a column with "
            "at least two.",
        )
        return
    if n_known < table.n_rows:
        lost = _rows(table.n_rows - n_known)
        yield _warning(name, f"The outcome {name!r} is missing in {lost}, which are left out.")
    labels = _shown(target.labels, MAX_LABELS_SHOWN)
    if schema.positive not in target.labels:
        yield _error(
            name,
            f"The outcome {name!r} is never {schema.positive!r}: choose the positive label among "
            f"{labels}.",
        )
        return
    if len(target.labels) > MANY_CLASSES:
        yield _warning(
            name,
            f"The outcome {name!r} has {len(target.labels)} values: {schema.positive!r} is "
            "positive and all others are negative; choose another column if that is not meant.",
        )
    elif len(target.labels) > 2:
        others = _shown(target.others(schema.positive), MAX_LABELS_SHOWN)
        yield _info(
            name,
            f"The outcome {name!r} has {len(target.labels)} values: {schema.positive!r} is "
            f"positive, the rest ({others}) is negative.",
        )


def column_findings(
    table: Table,
    profile: Profile,
    kind: ColumnKind,
    classes: npt.NDArray[np.int64] | None = None,
    target: str = "",
) -> Iterator[Finding]:
    """What is wrong or odd about a column that is used as the given kind.

    Parameters
    ----------
    table : Table
        Says where a row stands.
    profile : Profile
        The column.
    kind : ColumnKind
        How it is used; for an ignored column, only the reasons to ignore it.
    classes : int64[N], optional
        The outcome of each row (-1: missing), to see whether the column gives it away.
    target : str
        The outcome's name.
    """
    name = profile.name
    if profile.is_constant:
        what = "is the same" if profile.n_distinct else "has no value"
        where = "every row" if profile.n_distinct else "any row"
        yield _info(name, f"Column {name!r} {what} in {where}, so it is ignored.")
        return
    if kind is ColumnKind.NUMERICAL:
        yield from _number_findings(table, profile)
    is_numerical = kind is ColumnKind.NUMERICAL
    if profile.numbers_rows or (profile.has_too_many_categories and not is_numerical):
        facts = (
            f"Column {name!r} has {profile.n_distinct} different values in "
            f"{_rows(profile.n_rows)}, as identifiers have"
        )
        if kind is ColumnKind.IGNORE:
            yield _info(name, f"{facts}: it is ignored unless you set another kind.")
        else:
            yield _warning(name, f"{facts}: set it to ignore, or expect the tree to fit chance.")
        return
    if kind is ColumnKind.CATEGORICAL:
        yield from _category_findings(profile)
    suspects = profile.suspected_codes()
    if suspects and profile.is_numeric:
        yield _info(
            name,
            f"Column {name!r} holds {_shown(suspects, _MAX_STRAYS)}, apart from its other values: "
            "if that means a missing value, name it as one.",
        )
    if classes is not None and profile.decides(kind, classes):
        yield _warning(
            name,
            f"Column {name!r} alone determines the outcome {target!r}: if it is not known "
            "before the outcome is, ignore it.",
        )


def _number_findings(table: Table, profile: Profile) -> Iterator[Finding]:
    bad = ~np.isfinite(profile.numbers) & ~profile.missing
    if bad.any():
        yield _error(profile.name, number_error(table, profile, bad))


def number_error(table: Table, profile: Profile, bad: npt.NDArray[np.bool_]) -> str:
    """The sentence about the first cell that is not a usable number.

    Parameters
    ----------
    table : Table
        Says where the row stands.
    profile : Profile
        The numerical column.
    bad : bool[V]
        Which of its distinct values cannot be used.
    """
    row = int(np.argmax(bad[profile.factor.codes]))
    code = int(profile.factor.codes[row])
    text = profile.factor.values[code].as_py()
    where = f"Column {profile.name!r}, {table.where(row)}: {text!r}"
    if not np.isnan(profile.numbers[code]):
        return f"{where} is too large a number: correct it, or name it as a missing value."
    return (
        f"{where} is not a number: correct it, name it as a missing value, or set the column to "
        "categorical."
    )


def _category_findings(profile: Profile) -> Iterator[Finding]:
    name = profile.name
    if profile.n_distinct > MANY_CATEGORIES:
        yield _warning(
            name,
            f"Column {name!r} has {profile.n_distinct} categories: a tree may fit chance with so "
            "many; group them, cap the subset size, or ignore the column.",
        )
    alike = profile.lookalikes()
    if alike is not None:
        first, second = alike
        yield _warning(
            name,
            f"Column {name!r} has both {first!r} and {second!r}, which count as different "
            "categories: correct the file if they are the same.",
        )
    strays = ~np.isfinite(profile.numbers) & ~profile.missing
    n_stray = int(np.count_nonzero(strays))
    if 0 < n_stray <= _MAX_STRAYS and profile.n_distinct - n_stray > MANY_CLASSES:
        yield _info(
            name,
            f"Column {name!r} holds numbers but for "
            f"{_shown(profile.values(strays), _MAX_STRAYS)}: name that as a missing value to use "
            "the column as numerical.",
        )


def _unnamed_findings(table: Table, schema: Schema) -> Iterator[Finding]:
    named = {schema.target, *(column.name for column in schema.columns)}
    others = [column for column in table.columns if column not in named]
    if others:
        yield _info(None, f"Columns that are not described are ignored: {_shown(others, 10)}.")


def _shown(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"


def _error(column: str | None, message: str) -> Finding:
    return Finding(Level.ERROR, column, message)


def _warning(column: str | None, message: str) -> Finding:
    return Finding(Level.WARNING, column, message)


def _info(column: str | None, message: str) -> Finding:
    return Finding(Level.INFO, column, message)
