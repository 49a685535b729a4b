"""Preparation of a table for training: encoded training and test rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.data.checks import check_schema
from odt_core.data.column_checks import training_leaks
from odt_core.data.division_checks import division_findings
from odt_core.data.encoder import Encoder, fit_encoder
from odt_core.data.findings import Finding, Severity
from odt_core.data.profile import profile_column
from odt_core.data.schema import Schema
from odt_core.data.splitting import SplitSpec, split_rows
from odt_core.data.table import Table
from odt_core.data.target import Target, read_target
from odt_core.errors import InputError, quoted
from odt_core.json_data import JsonData
from odt_core.problem import EncodedData


@dataclass(frozen=True)
class Exclusion:
    """Rows that are not used, and the reason."""

    reason: str
    rows: int


@dataclass(frozen=True)
class Flow(JsonData):
    """The numbers of rows at each step, as TRIPOD and STARD ask for them.

    Attributes
    ----------
    read : int
        Number of rows of the table.
    excluded : tuple of Exclusion
        Rows that cannot be used.
    train, test : int
        Numbers of rows that are used.
    unused : int
        Number of usable rows in neither set, because the user asked for a smaller test set.
    """

    read: int
    excluded: tuple[Exclusion, ...]
    train: int
    test: int
    unused: int


_PREPARED = "prepared"


@dataclass(frozen=True, eq=False)
class Prepared:
    """Encoded training and test rows.

    Attributes
    ----------
    train : EncodedData
        The training rows.
    test : EncodedData or None
        The test rows; None if there are none.
    encoder : Encoder
        The encoder that was fitted on the training rows, for further tables.
    train_rows, test_rows : int64[n], int64[m]
        Numbers of these rows in the table, from 0, rising.
    flow : Flow
        The numbers of rows at each step.
    dropped : tuple of str
        Features left out because all training rows have the same value.
    findings : tuple of Finding
        Warnings and other remarks on the table.
    divided : tuple of Finding
        Warnings and other remarks on the division of its rows.
    groups : int64[N] or None
        The group of each row of the table, from 0; None if no rows are kept together.
    """

    train: EncodedData
    test: EncodedData | None
    encoder: Encoder
    train_rows: npt.NDArray[np.int64]
    test_rows: npt.NDArray[np.int64]
    flow: Flow
    dropped: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    divided: tuple[Finding, ...] = ()
    groups: npt.NDArray[np.int64] | None = None


def prepare(
    table: Table,
    schema: Schema,
    split: SplitSpec,
    weight: npt.NDArray[np.int64] | None = None,
) -> Prepared:
    """Check, split and encode a table.

    Rows without an outcome are left out. Categories and bins come from the training rows alone.

    Parameters
    ----------
    weight : int64[N], optional
        Number of rows for which each row of the table stands, at least 1; by default 1.

    Raises
    ------
    InputError
        For the first error of `check_schema`; if the split asks for more rows than there are; or if
        the training rows are all of one class or alike in every feature.
    """
    known = table.remembered.get((_PREPARED, schema, split))
    if known is not None and weight is None:
        prepared: Prepared = known
        return prepared
    findings = _require_no_error(check_schema(table, schema))
    target = read_target(table, schema.target, schema.reading_of(schema.target))
    groups = row_groups(table, schema)
    train, test = _split(target, schema.positive, split, groups)
    weight = np.ones(table.n_rows, dtype=np.int64) if weight is None else weight
    encoder = _fit_encoder(table, schema, train, weight[train])
    data = EncodedData(
        encoder.encode(table),
        target.has_label(schema.positive),
        weight,
        encoder.features,
        schema.target,
        schema.positive,
        target.negative_label(schema.positive),
    )
    kept = {feature.name for feature in encoder.features}
    return Prepared(
        train=data if len(train) == table.n_rows else data.take(train),
        test=data.take(test) if len(test) else None,
        encoder=encoder,
        train_rows=train,
        test_rows=test,
        flow=_flow(table, target, len(train), len(test)),
        dropped=tuple(c.name for c in schema.features if c.name not in kept),
        findings=findings,
        divided=(
            *division_findings(table, target, schema.positive, train, test),
            *training_leaks(table, schema, target, train),
        ),
        groups=groups,
    )


def _fit_encoder(
    table: Table, schema: Schema, train: npt.NDArray[np.int64], weight: npt.NDArray[np.int64]
) -> Encoder:
    """Fit the encoder, and check that the training rows differ in a feature."""
    encoder = fit_encoder(table, schema, train, weight)
    if not encoder.columns:
        raise InputError(
            f"The {len(train)} training rows are alike in every feature: choose a larger "
            "training set."
        )
    return encoder


def _require_no_error(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    for finding in findings:
        if finding.severity is Severity.ERROR:
            raise InputError(finding.message)
    return findings


def _split(
    target: Target, positive: str, split: SplitSpec, groups: npt.NDArray[np.int64] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Split the rows that have an outcome; return the training and the test rows."""
    usable, is_positive = np.flatnonzero(target.known), target.has_label(positive)
    divided = split_rows(is_positive[usable], split, None if groups is None else groups[usable])
    train, test = (usable[chosen] for chosen in divided)
    _require_both_classes(target, positive, is_positive[train])
    return train, test


def prepare_beforehand(table: Table, schema: Schema, split: SplitSpec) -> None:
    """Prepare a table now, so that a later call of `prepare` with the same arguments is fast.

    Raises
    ------
    InputError
        As for `prepare`.
    """
    table.remember((_PREPARED, schema, split), lambda: prepare(table, schema, split))


def row_groups(table: Table, schema: Schema) -> npt.NDArray[np.int64] | None:
    """Find the group of each row, int64[N] from 0; None if no rows are kept together.

    A row whose group is missing is a group of its own.

    Raises
    ------
    InputError
        If the table lacks the schema's group column.
    """
    if schema.group is None:
        return None
    profile = profile_column(table, schema.group, schema.reading_of(schema.group))
    groups = profile.factor.codes.astype(np.int64)
    lost = np.flatnonzero(profile.missing[groups])
    groups[lost] = len(profile.missing) + np.arange(len(lost))
    return groups


def _require_both_classes(target: Target, positive: str, train: npt.NDArray[np.bool_]) -> None:
    if train.any() and not train.all():
        return
    label = quoted(target.negative_label(positive) if train.all() else positive)
    rows = f"None of the {len(train):,} training rows" if len(train) > 1 else "No training row"
    raise InputError(f"{rows} has {quoted(target.name)} = {label}: choose a larger training set.")


def _flow(table: Table, target: Target, n_train: int, n_test: int) -> Flow:
    n_known = int(target.known.sum())
    n_lost = table.n_rows - n_known
    excluded = (
        (Exclusion(f"the outcome {quoted(target.name)} is missing", n_lost),) if n_lost else ()
    )
    return Flow(table.n_rows, excluded, n_train, n_test, n_known - n_train - n_test)
