"""Findings about the outcome, and the remedies for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from odt_core.data.findings import Finding, error, info, row_count, shown, warning
from odt_core.data.missing import DEFAULT_MISSING_TOKENS
from odt_core.data.profile import profile_column
from odt_core.data.remedies import Change, Remedy
from odt_core.data.schema import Schema
from odt_core.data.spelling import without_accents
from odt_core.data.table import Table
from odt_core.data.target import EVENT_NAMES, TARGET_NAMES, Target
from odt_core.errors import quoted

MAX_LABELS_SHOWN = 10
MANY_CLASSES = 10
"""An outcome with more values than this is probably a number or a name, and not a class."""


def target_findings(table: Table, schema: Schema, target: Target) -> Iterator[Finding]:
    """Find what is wrong or odd about the outcome."""
    name, n_known = target.name, int(target.known.sum())
    if any(column.name == name for column in schema.features):
        yield error(name, f"The outcome {quoted(name)} is among the features: set it to ignore.")
    if n_known == 0:
        yield error(
            name,
            f"No rows are left, since the outcome {quoted(name)} is missing in every row: choose "
            "another column or other missing values.",
        )
        return
    if len(target.labels) == 1:
        yield error(name, _single_value_error(table, schema, target))
        return
    yield from _missing_findings(table, schema, target)
    if schema.positive not in target.labels:
        yield error(
            name,
            f"The outcome {quoted(name)} is never {quoted(schema.positive)}: choose the positive "
            f"label among {shown(target.labels, MAX_LABELS_SHOWN)}.",
        )
        return
    if schema.guessed:
        yield _guess_finding(table, schema, target)
    if schema.target_joined is None and len(target.labels) <= MANY_CLASSES:
        yield from _spelling_findings(target)
    strays = target.strays()[:MAX_LABELS_SHOWN]
    for label in strays:
        yield _stray_finding(table, schema, target, label)
    yield from _class_findings(schema, target, strays)


def _single_value_error(table: Table, schema: Schema, target: Target) -> str:
    """Say that there is only one outcome, and which others were read as missing."""
    facts = f"The outcome {quoted(target.name)} has a single value, {quoted(target.labels[0])}"
    profile = profile_column(table, target.name, schema.reading_of(target.name))
    lost = [text for text in profile.values(profile.missing) if text]
    if not lost:
        return f"{facts}: choose a column with at least two."
    are_read = "is read" if len(lost) == 1 else "are read"
    return (
        f"{facts}, since {shown(lost, MAX_LABELS_SHOWN)} {are_read} as missing: choose other "
        "missing values, or another column."
    )


def _missing_findings(table: Table, schema: Schema, target: Target) -> Iterator[Finding]:
    name = target.name
    n_lost = table.n_rows - int(target.known.sum())
    if not n_lost:
        return
    are_left_out = "which is left out" if n_lost == 1 else "which are left out"
    usual = {*DEFAULT_MISSING_TOKENS, *schema.missing_tokens}
    profile = profile_column(table, name, schema.reading_of(name))
    lost = set(profile.values(profile.missing)) - usual
    proposed = [text for text in schema.target_missing or () if text in lost]
    if not proposed:
        yield warning(
            name, f"The outcome {quoted(name)} is missing in {row_count(n_lost)}, {are_left_out}."
        )
        return
    are_read = "is read" if len(proposed) == 1 else "are read"
    yield warning(
        name,
        f"The outcome {quoted(name)} is missing in {row_count(n_lost)}, {are_left_out}: "
        f"{shown(proposed, MAX_LABELS_SHOWN)} {are_read} as missing.",
        Remedy(Change.NOT_MISSING, "Keep as a class", name, texts=tuple(proposed)),
    )


def _guess_finding(table: Table, schema: Schema, target: Target) -> Finding:
    name = target.name
    usual = {*without_accents((*TARGET_NAMES, *EVENT_NAMES))}
    plain = without_accents(table.columns)
    named = next(
        (column for column, key in zip(table.columns, plain, strict=True) if key in usual), None
    )
    reason = "No column has a usual name of an outcome"
    if named is not None:
        n = profile_column(table, named, schema.reading_of(named)).n_distinct
        values = {0: "no value", 1: "one value only"}.get(n, f"{n:,} values")
        reason = f"Column {quoted(named)} has a usual name of an outcome, but has {values}"
    return replace(
        warning(
            name,
            f"{reason}, so {quoted(name)} was guessed from its values, with "
            f"{quoted(schema.positive)} as positive: confirm it, or choose another column.",
            Remedy(Change.CONFIRM, "It is the outcome", name),
        ),
        needs_answer=True,
    )


def _spelling_findings(target: Target) -> Iterator[Finding]:
    name, alike = target.name, target.spellings()
    if not alike:
        return
    shown_pairs = alike[:MAX_LABELS_SHOWN]
    pairs = "; ".join(f"{quoted(text)} and {quoted(label)}" for text, label in shown_pairs)
    yield replace(
        warning(
            name,
            f"The outcome {quoted(name)} has labels that differ only in how they are written "
            f"({pairs}), and count as different outcomes: join them if they are the same.",
            Remedy(Change.JOIN, "Join them", name, joined=alike),
            Remedy(Change.JOIN, "Keep them apart", name),
        ),
        needs_answer=True,
    )


def _stray_finding(table: Table, schema: Schema, target: Target, label: str) -> Finding:
    name = target.name
    code = target.labels.index(label)
    rows = [table.where(int(row)) for row in (target.classes == code).nonzero()[0][:2]]
    side = "positive" if label == schema.positive else "negative"
    return warning(
        name,
        f"The outcome {quoted(name)} is {quoted(label)} in {' and '.join(rows)} only, which counts "
        f"as {side}: if that is a stray text, such as a total below the table, read it as missing.",
        Remedy(Change.MISSING, "Read as missing", name, texts=(label,)),
    )


def _class_findings(schema: Schema, target: Target, strays: tuple[str, ...]) -> Iterator[Finding]:
    name = target.name
    n_labels = len(target.labels) - len(strays)
    if n_labels > MANY_CLASSES:
        yield warning(
            name,
            f"The outcome {quoted(name)} has {n_labels} values: {quoted(schema.positive)} is "
            "positive and all others are negative; choose another column if this is wrong.",
        )
    elif n_labels > 2:
        others = [label for label in target.others(schema.positive) if label not in strays]
        yield info(
            name,
            f"The outcome {quoted(name)} has {n_labels} values: {quoted(schema.positive)} is "
            f"positive, the rest ({shown(others, MAX_LABELS_SHOWN)}) is negative.",
        )
