"""Propose what the columns of a table mean; the user decides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from odt_core.data.cells import CellReading
from odt_core.data.checks import shape_error
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.profile import MANY_CATEGORIES, profile_column
from odt_core.data.schema import ColumnSchema, Schema
from odt_core.data.table import Table
from odt_core.data.target import Target, read_target
from odt_core.errors import InputError

TARGET_NAMES = (
    "class",
    "target",
    "outcome",
    "label",
    "diagnosis",
    "y",
    "result",
    "response",
    "status",
)
"""Names of columns that are guessed to be the outcome, likeliest first."""

POSITIVE_LABELS = (
    "positive pos yes y true t + case event malignant abnormal disease diseased sick ill present "
    "dead died death won win admitted"
).split()
NEGATIVE_LABELS = (
    "negative neg no n false f 0 -1 - control none benign normal healthy well absent alive "
    "survived lost discharged"
).split()


def infer_schema(
    table: Table,
    target: str | None = None,
    positive: str | None = None,
    missing_tokens: Sequence[str] = DEFAULT_MISSING_TOKENS,
) -> Schema:
    """Propose a schema.

    The outcome is a column named as in `TARGET_NAMES`, else the last with two values (one with
    such a word in its name first), else the last with at most 50. The positive label is a word of
    `POSITIVE_LABELS`, else the one opposed to a word of `NEGATIVE_LABELS` (or to ``not`` and
    itself), else the rarest (of equally rare ones the last). Kinds are those of
    `odt_core.data.describe_columns`.

    Parameters
    ----------
    table : Table
        The data, as read.
    target, positive : str, optional
        The outcome and its positive label, if the user has named them.
    missing_tokens : sequence of str
        Texts read as missing.

    Raises
    ------
    InputError
        If the table has a single column or no rows, there is no column `target`, it has no such
        label as `positive`, or no column can be the outcome.
    """
    finding = shape_error(table)
    if finding is not None:
        raise InputError(finding.message)
    tokens, decimal = tuple(missing_tokens), table.report.decimal
    reading = CellReading(tokens, decimal)
    if target is None:
        target = _guess_target(table, reading)
    outcome = read_target(table, target, reading)
    if positive is None:
        positive = guess_positive(outcome)
    elif positive not in outcome.labels:
        raise InputError(
            f"The outcome {target!r} is never {positive!r}: choose the positive label among "
            f"{', '.join(map(repr, outcome.labels[:10]))}."
        )
    columns = tuple(
        ColumnSchema(name, profile_column(table, name, reading).proposed_kind)
        for name in table.columns
        if name != target
    )
    return Schema(target, positive, columns, tokens, decimal)


def _guess_target(table: Table, reading: CellReading) -> str:
    distinct = {name: profile_column(table, name, reading).n_distinct for name in table.columns}
    usable = [name for name, n in distinct.items() if 2 <= n <= MANY_CATEGORIES]
    for wanted in TARGET_NAMES:
        named = [name for name in usable if name.casefold() == wanted]
        if named:
            return named[-1]
    two_valued = [name for name in usable if distinct[name] == 2]
    for wanted in TARGET_NAMES:
        named = [name for name in two_valued if wanted in re.split(r"[^a-z]+", name.casefold())]
        if named:
            return named[-1]
    if two_valued or usable:
        return (two_valued or usable)[-1]
    raise InputError(
        f"No column can be the outcome, since each has one value or more than {MANY_CATEGORIES}: "
        "name the outcome, or add one."
    )


def guess_positive(outcome: Target) -> str:
    """The label that is likely meant by positive, see `infer_schema`; "" if there is none."""
    labels = outcome.labels
    if not labels:
        return ""
    for word in POSITIVE_LABELS:
        for label in labels:
            if label.casefold() == word:
                return label
    opposed = [label for label in labels if not _is_negative(label, labels)]
    if len(labels) == 2 and len(opposed) == 1:
        return opposed[0]
    rarest = min(outcome.counts)
    return [label for label, n in zip(labels, outcome.counts, strict=True) if n == rarest][-1]


def _is_negative(label: str, labels: Sequence[str]) -> bool:
    """Whether a label is a word such as ``no``, or ``not`` and another label."""
    text = label.casefold()
    return text in NEGATIVE_LABELS or any(
        re.fullmatch(rf"(not?|non)[ _-]*{re.escape(other.casefold())}", text) for other in labels
    )
