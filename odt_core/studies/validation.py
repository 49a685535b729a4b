"""A frozen tree on rows that did not train it: another file, or another part of the same file.

The tree is never refitted. It keeps the categories, cut points, risks and answers of training.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.data import Exclusion, Schema, Table, row_groups
from odt_core.data.profile import profile_column
from odt_core.data.target import Target, read_target
from odt_core.errors import InputError, quoted
from odt_core.evaluation import Judged, Subgroups, column_subgroups, subgroup_columns
from odt_core.export import Model
from odt_core.export.fields import Fields
from odt_core.json_data import JsonData
from odt_core.problem import MISSING
from odt_core.scoring import Doubt, Scores, score
from odt_core.studies.validation_result import (
    DataName,
    DoubtfulRows,
    ValidationFlow,
    ValidationResult,
)
from odt_core.training import SILENT, Hooks, Stage, TrainSpec, prepare_training
from odt_core.tree import Tree
from odt_core.words import category_words, count_words, list_words

MOST_VALUES_NAMED = 5


@dataclass(frozen=True)
class PartOfTable(JsonData):
    """The rows with certain values of a column.

    Attributes
    ----------
    column : str
        The column, such as a site or a year.
    values : tuple of str
        The values as in the file; ``(missing)`` for cells without a value.

    Raises
    ------
    InputError
        If there is no value.
    """

    column: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError(f"Column {quoted(self.column)}: choose the values to validate on.")

    @property
    def words(self) -> str:
        """The part in words, such as ``site is A or B``."""
        named = [category_words(value) for value in self.values[:MOST_VALUES_NAMED]]
        rest = len(self.values) - len(named)
        named += [f"one of {rest} others"] if rest else []
        return f"{self.column} is {list_words(named, ' or ')}"

    def rows(self, table: Table, schema: Schema) -> npt.NDArray[np.bool_]:
        """Return which rows of a table belong to the part, bool[N].

        Raises
        ------
        InputError
            If the table has no such column.
        """
        profile = profile_column(table, self.column, schema.reading_of(self.column))
        wanted = set(self.values)
        chosen = np.array([text in wanted for text in profile.factor.texts], dtype=np.bool_)
        chosen = np.where(profile.missing, MISSING in wanted, chosen)
        return np.asarray(chosen[profile.factor.codes], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class ValidationSpec(JsonData):
    """The tree and the rows of a validation.

    Attributes
    ----------
    model : Model
        The frozen tree.
    run : str
        The id of the run that trained it; empty if not known.
    part : PartOfTable or None
        The rows; None for all rows that did not train the tree.
    by : str or None
        A column whose groups are reported first.
    """

    model: Model
    run: str = ""
    part: PartOfTable | None = None
    by: str | None = None


def run_validation(table: Table, spec: ValidationSpec, hooks: Hooks = SILENT) -> ValidationResult:
    """Validate a frozen tree on rows that did not train it.

    If the table is the training file, its training rows are left out. So are all rows of their
    groups (such as patients).

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : ValidationSpec
        The tree and the rows.
    hooks : Hooks
        `on_stage` is called with each stage as it begins.

    Raises
    ------
    InputError
        If a column of the tree is absent, the outcome's labels differ from training, or no row is
        left.
    """
    hooks.on_stage(Stage.PREPARING)
    model = spec.model
    schema = Schema.from_json(model.schema)
    if not table.n_rows:
        raise InputError(
            f"{table.name} has no rows below the header: choose a file with rows to validate on."
        )
    tree, training = model.tree, trained_rows(model, table)
    target = _target(table, schema)
    by_label = _Labels.of(target, tree)
    if spec.by is not None:
        profile_column(table, spec.by, schema.reading_of(spec.by))  # refuses an unknown column
    rows, flow = _usable_rows(table, schema, spec, by_label, training)
    hooks.on_stage(Stage.FINISHING)
    scores = score(model, table)
    judged = Judged(rows, by_label.is_positive[rows], scores.positive[rows])
    subgroups = tuple(_subgroups(table, schema, spec.by, judged))
    settings = model.facts.get("settings")
    groups = row_groups(table, schema) if schema.group in table.factors else None
    return ValidationResult(
        data=DataName(table.name, table.sha256),
        trained_on=DataName.of_model(model),
        model_sha256=model_sha256(model),
        tree=tree,
        train_spec=None if settings is None else TrainSpec.from_json(settings),
        part="" if spec.part is None else spec.part.words,
        flow=flow,
        test=counts_of_test(model),
        test_leaves=leaves_of_test(model),
        leaves=_leaf_counts(tree, scores.leaves[rows], judged.y),
        by=spec.by,
        subgroups=subgroups,
        differences=scores.differences,
        doubtful=_doubtful(scores, rows),
        n_groups=None if groups is None else len(np.unique(groups[rows])),
        group_column=schema.group if groups is not None else None,
    )


def model_sha256(model: Model) -> str:
    """Return the hash of a model's tree and encoder, which decide its answers."""
    whole = model.to_json()
    text = json.dumps([whole["tree"], whole["encoder"]], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def result_facts(model: Model) -> Fields:
    """Return the facts about the result of its training in a model's file; empty if it has none."""
    facts = Fields(model.facts, "facts")
    return facts.record("result") if "result" in facts else Fields({}, "facts.result")


def counts_of_test(model: Model) -> Confusion | None:
    """Return the 2x2 table of the test rows; None without test rows.

    Raises
    ------
    InputError
        If it is damaged in the model.
    """
    result = result_facts(model)
    if "test" not in result or result.is_null("test"):
        return None
    return result.value("test", Confusion)


def leaves_of_test(model: Model) -> tuple[tuple[int, int], ...] | None:
    """Return the numbers of negative and positive test rows in each leaf; None without test rows.

    Raises
    ------
    InputError
        If these numbers are damaged in the model.
    """
    result = result_facts(model)
    if "test_leaves" not in result or result.is_null("test_leaves"):
        return None
    counts = result.record("test_leaves")
    negative, positive = counts.counts("negative"), counts.counts("positive")
    if not len(negative) == len(positive) == model.tree.n_leaves:
        raise result.error("test_leaves", "does not hold two counts for each leaf")
    return tuple(zip(negative, positive, strict=True))


def trained_rows(model: Model, table: Table) -> npt.NDArray[np.int64] | None:
    """Return the rows of a table that trained a model; None for a model of another file.

    Raises
    ------
    InputError
        If the file is the same, but was read differently in training.
    """
    data, settings = model.facts.get("data"), model.facts.get("settings")
    if not isinstance(data, Mapping) or settings is None or data.get("sha256") != table.sha256:
        return None
    prepared = prepare_training(table, TrainSpec.from_json(settings))
    is_same = model.tree.reads(prepared.train)
    if not is_same or model.tree.leaf_counts(prepared.train) != model.tree.training_counts:
        raise InputError(
            f"{table.name} is the file that the tree was trained on, but it was read differently "
            "in training, so the training rows are not known: read it as in training."
        )
    return prepared.train_rows


def _target(table: Table, schema: Schema) -> Target:
    if schema.target not in table.factors:
        raise InputError(
            f"The table has no column {quoted(schema.target)}, which holds the outcome: a "
            "validation needs it. To get answers only, score the table."
        )
    return read_target(table, schema.target, schema.reading_of(schema.target))


@dataclass(frozen=True, eq=False)
class _Labels:
    """Each row's outcome in terms of the tree's classes.

    Attributes
    ----------
    is_positive, is_missing, is_other : bool[N]
        Whether a row is positive, has no outcome, or has a label of neither class.
    others : tuple of str
        The labels of neither class.
    """

    is_positive: npt.NDArray[np.bool_]
    is_missing: npt.NDArray[np.bool_]
    is_other: npt.NDArray[np.bool_]
    others: tuple[str, ...]

    @classmethod
    def of(cls, target: Target, tree: Tree) -> _Labels:
        """Match the outcome's labels with the classes of a tree.

        Raises
        ------
        InputError
            If no row is of either class.
        """
        positive, negative = tree.positive_label, tree.negative_label
        takes_all = negative == f"not {positive}" and negative not in target.labels
        is_other = np.array(
            [label not in (positive, negative) and not takes_all for label in target.labels],
            dtype=np.bool_,
        )
        if is_other.all():
            found = list_words([*map(quoted, target.labels[:MOST_VALUES_NAMED])], " and ")
            raise InputError(
                f"The outcome {quoted(target.name)} has the labels {found or 'of no row'}, but the "
                f"tree tells {quoted(positive)} from {quoted(negative)}: give the labels the same "
                "names."
            )
        is_positive = np.array([label == positive for label in target.labels], dtype=np.bool_)
        missing = ~target.known
        return cls(
            is_positive[target.classes] & ~missing,
            missing,
            is_other[target.classes] & ~missing,
            tuple(label for label, other in zip(target.labels, is_other, strict=True) if other),
        )


def _usable_rows(
    table: Table,
    schema: Schema,
    spec: ValidationSpec,
    labels: _Labels,
    training: npt.NDArray[np.int64] | None,
) -> tuple[npt.NDArray[np.int64], ValidationFlow]:
    """The numbers of the rows to use, from 0, and the numbers left out by reason."""
    left = np.ones(table.n_rows, dtype=np.bool_)
    excluded: list[Exclusion] = []
    for reason, out in _reasons(table, schema, spec, labels, training):
        n = int(np.count_nonzero(left & out))
        if n:
            excluded.append(Exclusion(reason, n))
        left &= ~out
    rows = np.flatnonzero(left)
    flow = ValidationFlow(table.n_rows, tuple(excluded), len(rows))
    if not len(rows):
        why = "; ".join(f"{count_words(each.rows, 'row')}: {each.reason}" for each in excluded)
        raise InputError(
            f"No row is left to validate on ({why or 'the table is empty'}): choose another file "
            "or another part."
        )
    return rows, flow


def _reasons(
    table: Table,
    schema: Schema,
    spec: ValidationSpec,
    labels: _Labels,
    training: npt.NDArray[np.int64] | None,
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """The reasons for leaving rows out, in order, each with its rows."""
    if spec.part is not None:
        yield f"not in the part ({spec.part.words})", ~spec.part.rows(table, schema)
    if training is not None:
        trained = np.zeros(table.n_rows, dtype=np.bool_)
        trained[training] = True
        yield "trained the tree", trained
        groups = row_groups(table, schema)
        if groups is not None:
            known = np.isin(groups, np.unique(groups[training]))
            yield f"the same {schema.group} as a training row", known
    yield f"the outcome {quoted(schema.target)} is missing", labels.is_missing
    named = list_words([*map(quoted, labels.others[:MOST_VALUES_NAMED])])
    yield f"the outcome {quoted(schema.target)} is neither class ({named})", labels.is_other


def _leaf_counts(
    tree: Tree, leaves: npt.NDArray[np.int64], y: npt.NDArray[np.bool_]
) -> tuple[tuple[int, int], ...]:
    counts = np.zeros((tree.n_leaves, 2), dtype=np.int64)
    np.add.at(counts, (leaves, y.astype(np.int64)), 1)
    return tuple((int(negative), int(positive)) for negative, positive in counts)


def _subgroups(table: Table, schema: Schema, by: str | None, judged: Judged) -> Iterator[Subgroups]:
    """The groups of each column. The requested column comes first."""
    columns = subgroup_columns(table, schema)
    if by is not None:
        columns = (by, *(column for column in columns if column != by))
    for column in columns:
        yield column_subgroups(table, schema, column, judged)


def _doubtful(scores: Scores, rows: npt.NDArray[np.int64]) -> DoubtfulRows:
    """Count the rows that meet a question with a doubtful value."""
    patterns, of_row = scores.patterns
    counts = np.bincount(of_row[rows], minlength=len(patterns))

    def with_doubt(doubt: Doubt) -> int:
        return sum(
            int(n) for n, pattern in zip(counts, patterns, strict=True) if pattern.columns(doubt)
        )

    return DoubtfulRows(*(with_doubt(doubt) for doubt in Doubt))
