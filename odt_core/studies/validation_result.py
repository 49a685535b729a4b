"""The result of a validation, for pages, reports and the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from odt_core.confusion import Confusion
from odt_core.data import Exclusion
from odt_core.evaluation import (
    VALIDATION,
    Calibration,
    DecisionCurve,
    Estimate,
    Floor,
    Metrics,
    Rate,
    Subgroups,
    Tone,
    Verdict,
    decision_curve,
    floors,
    leaf_calibration,
    metrics,
    net_benefit,
    rates_differ,
    verdict,
)
from odt_core.export import Model, tree_from_json, tree_to_json
from odt_core.json_data import JsonData, as_json
from odt_core.problem import Objective
from odt_core.scoring import Difference
from odt_core.training import TrainSpec
from odt_core.tree import Tree
from odt_core.words import count_words, percent_words

REPEATED = (
    "These rows end in the same leaves with the same classes as the rows that trained and tested "
    "the tree: they are probably the same rows."
)
"""Replaces the verdict if a file seems to repeat the training file."""

REPEATED_TRAINING = (
    "These rows end in the same leaves with the same classes as the rows that trained the tree: "
    "they are probably the same rows."
)
"""Replaces the verdict if a file seems to repeat the training rows alone."""

NOT_COMPARED = (
    "Rows of another file are not compared with the training rows one by one: a copy of a training "
    "row counts as a new row."
)
"""A note on every file except the training file."""

RATES = (
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "accuracy",
    "prevalence",
    "balanced_accuracy",
    "lr_positive",
    "lr_negative",
)
"""The attributes of `Metrics` that the JSON has."""


@dataclass(frozen=True)
class DataName(JsonData):
    """The name and hash of a file.

    Attributes
    ----------
    name : str
        The user's name for the file; empty if not known.
    sha256 : str
        The hash of its bytes; empty if not known.
    """

    name: str
    sha256: str

    @classmethod
    def of_model(cls, model: Model) -> DataName:
        """Return the file that a model was trained on."""
        data = model.facts.get("data")
        if not isinstance(data, Mapping):
            return cls("", "")
        return cls(str(data.get("name", "")), str(data.get("sha256", "")))


@dataclass(frozen=True)
class ValidationFlow(JsonData):
    """How many rows were read, left out and used.

    Attributes
    ----------
    read : int
        Number of rows of the table.
    excluded : tuple of Exclusion
        The rows left out by reason, in order.
    used : int
        Number of rows used for the validation.
    """

    read: int
    excluded: tuple[Exclusion, ...]
    used: int


@dataclass(frozen=True)
class DoubtfulRows(JsonData):
    """The number of rows that met a question with a doubtful value, by the kind of doubt.

    Attributes
    ----------
    new : int
        No training row had the value.
    new_here : int
        Training rows had the value, but none that reached the question.
    not_numbers : int
        Text where a number is expected.
    beyond : int
        A number outside the range of the training rows.
    """

    new: int
    new_here: int
    not_numbers: int
    beyond: int = 0


@dataclass(frozen=True, eq=False)
class ValidationResult:
    """The result of a frozen tree on rows that did not train it.

    Attributes
    ----------
    data : DataName
        The file of the validation.
    trained_on : DataName
        The file of the training.
    model_sha256 : str
        The hash of the tree and its encoder.
    tree : Tree
        The tree, with its training counts.
    train_spec : TrainSpec or None
        The specification of the training; None if not known.
    part : str
        The part of the file in words; empty for all rows that did not train the tree.
    flow : ValidationFlow
        The numbers of rows read, left out and used.
    test : Confusion or None
        The tree's counts on the test rows of its training run; None without any.
    leaves : tuple of (int, int)
        Negative and positive validation rows in each leaf, left to right.
    by : str or None
        The requested column, which is the first of `subgroups`.
    subgroups : tuple of Subgroups
        The validation rows by the values of each column that makes groups.
    differences : tuple of Difference
        The differences between the file and the training data.
    doubtful : DoubtfulRows
        Numbers of rows whose answer rests on a doubtful value.
    n_groups : int or None
        Number of groups (such as patients) of the rows; None without a group column.
    group_column : str or None
        The group column, if the file has it.
    test_leaves : tuple of (int, int) or None
        Negative and positive test rows of the training run in each leaf; None if not known.
    """

    data: DataName
    trained_on: DataName
    model_sha256: str
    tree: Tree
    train_spec: TrainSpec | None
    part: str
    flow: ValidationFlow
    test: Confusion | None
    leaves: tuple[tuple[int, int], ...]
    by: str | None
    subgroups: tuple[Subgroups, ...]
    differences: tuple[Difference, ...]
    doubtful: DoubtfulRows
    n_groups: int | None = None
    group_column: str | None = None
    test_leaves: tuple[tuple[int, int], ...] | None = None

    @property
    def is_same_file(self) -> bool:
        """Whether the validation used the training file."""
        return bool(self.data.sha256) and self.data.sha256 == self.trained_on.sha256

    @property
    def objective(self) -> Objective:
        """The tree's objective; accuracy if not known."""
        return Objective() if self.train_spec is None else self.train_spec.objective

    @cached_property
    def train_metrics(self) -> Metrics:
        """The rates of the training rows."""
        return metrics(self.tree.confusion_of_leaves(self.tree.training_counts))

    @cached_property
    def test_metrics(self) -> Metrics | None:
        """The rates of the test rows of the training run; None without any."""
        return None if self.test is None else metrics(self.test)

    @cached_property
    def metrics(self) -> Metrics:
        """The rates of the validation rows."""
        return metrics(self.tree.confusion_of_leaves(self.leaves))

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict: a comparison with training, for the tree's goal and floors.

        If the rows seem to be the training rows, the verdict says so instead.
        """
        found = verdict(self.objective, self.train_metrics, self.metrics, VALIDATION)
        if not self.repetition:
            return found
        return dataclasses.replace(found, remark=self.repetition, tone=Tone.CAUTION)

    @cached_property
    def repetition(self) -> str:
        """A warning that the rows are probably the tree's own rows; empty if not.

        They probably are if every leaf has as many rows of each class as in training, or in
        training and test together. A tree of a single leaf gets no warning, because equal counts
        mean little there.
        """
        if self.is_same_file or self.tree.n_leaves == 1:
            return ""
        trained = tuple(self.tree.training_counts)
        if self.leaves == trained:
            return REPEATED_TRAINING
        if self.test_leaves is None:
            return ""
        both = tuple(
            (train[0] + test[0], train[1] + test[1])
            for train, test in zip(trained, self.test_leaves, strict=True)
        )
        return REPEATED if self.leaves == both else ""

    @property
    def flow_note(self) -> str:
        """A note that rows of another file may be training rows; empty for the training file."""
        return "" if self.is_same_file else NOT_COMPARED

    @property
    def floors(self) -> tuple[Floor, ...]:
        """The floors with the rates in training and validation."""
        return floors(self.objective, self.train_metrics, self.metrics)

    @cached_property
    def calibration(self) -> Calibration:
        """Expected and observed events in each leaf."""
        return leaf_calibration(self.tree, self.leaves)

    def decision_curve(self, thresholds: Sequence[float]) -> DecisionCurve:
        """Net benefit on the validation rows, with the leaves ranked by their training risk."""
        return decision_curve(self.tree, self.leaves, thresholds)

    def net_benefit(self, threshold: float) -> float:
        """Net benefit of the tree's own answers on the validation rows, at one threshold."""
        return net_benefit(self.metrics.confusion, threshold)

    @property
    def prevalence_shift(self) -> str:
        """Compare the prevalence here and in training, in a sentence or two."""
        here, then = self.metrics.prevalence, self.train_metrics.prevalence
        sentence = (
            f"The positive class is {_share(here)} of the validation rows and {_share(then)} of "
            "the training rows."
        )
        if not rates_differ(here, then):
            return f"{sentence} The difference may be chance."
        return (
            f"{sentence} The prevalence differs, so PPV and NPV differ from training even if "
            "sensitivity and specificity are the same."
        )

    @property
    def groups(self) -> Subgroups | None:
        """The groups of the requested column."""
        return None if self.by is None else self.of_column(self.by)

    def of_column(self, column: str) -> Subgroups | None:
        """The groups of a column; None if it makes no groups."""
        return next((each for each in self.subgroups if each.column == column), None)

    def to_json(self) -> dict[str, Any]:
        """Write the result as the command line prints it. `from_json` can read it."""
        groups = self.groups
        return {
            "validation": {
                **self.metrics.confusion.to_json(),
                "rates": _rates_json(self.metrics),
            },
            "train": self.train_metrics.confusion.to_json(),
            "test": as_json(self.test),
            "groups": None if groups is None else _groups_json(groups),
            "by": self.by,
            "n_train": self.train_metrics.confusion.n,
            "n_validation": self.flow.used,
            "n_groups": self.n_groups,
            "group_column": self.group_column,
            "part": self.part,
            "data": {**self.data.to_json(), "flow": self.flow.to_json()},
            "trained_on": self.trained_on.to_json(),
            "model_sha256": self.model_sha256,
            "settings": as_json(self.train_spec),
            "tree": tree_to_json(self.tree),
            "leaves": as_json(self.leaves),
            "test_leaves": as_json(self.test_leaves),
            "repeats_training": bool(self.repetition),
            "calibration": _calibration_json(self.calibration),
            "floors": [_floor_json(floor) for floor in self.floors],
            "subgroups": as_json(self.subgroups),
            "differences": as_json(self.differences),
            "doubtful": self.doubtful.to_json(),
            "words": {"status": self.verdict.text, "remark": self.verdict.remark},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ValidationResult:
        """Rebuild a result from its counts.

        Raises
        ------
        ValueError
            If its leaves do not match its tree.
        """
        tree = tree_from_json(record["tree"])
        leaves = _leaves_from_json(record["leaves"], tree)
        tested = record.get("test_leaves")  # older records lack it
        settings, test, by = record["settings"], record["test"], record["by"]
        n_groups = record["n_groups"]
        return cls(
            data=DataName.from_json(record["data"]),
            trained_on=DataName.from_json(record["trained_on"]),
            model_sha256=str(record["model_sha256"]),
            tree=tree,
            train_spec=None if settings is None else TrainSpec.from_json(settings),
            part=str(record["part"]),
            flow=ValidationFlow.from_json(record["data"]["flow"]),
            test=None if test is None else Confusion(**test),
            leaves=leaves,
            by=None if by is None else str(by),
            subgroups=tuple(Subgroups.from_json(each) for each in record["subgroups"]),
            differences=tuple(Difference.from_json(each) for each in record["differences"]),
            doubtful=DoubtfulRows.from_json(record["doubtful"]),
            n_groups=None if n_groups is None else int(n_groups),
            group_column=record["group_column"],
            test_leaves=None if tested is None else _leaves_from_json(tested, tree),
        )


def _leaves_from_json(record: Any, tree: Tree) -> tuple[tuple[int, int], ...]:
    """Read two counts for each leaf."""
    leaves = tuple((int(negative), int(positive)) for negative, positive in record)
    if len(leaves) != tree.n_leaves or min(map(min, leaves)) < 0:
        raise ValueError("the counts do not fit the tree's leaves")
    return leaves


def _share(rate: Rate) -> str:
    share = "unknown" if rate.value is None else percent_words(rate.value)
    return f"{share} ({rate.successes:,} of {count_words(rate.n, 'row')})"


def _rates_json(found: Metrics) -> dict[str, Any]:
    return {name: _rate_json(getattr(found, name)) for name in RATES}


def _rate_json(rate: Rate | Estimate) -> dict[str, Any]:
    counts = {"x": rate.successes, "n": rate.n} if isinstance(rate, Rate) else {}
    return {**counts, "value": rate.value, "low": rate.low, "high": rate.high}


def _groups_json(groups: Subgroups) -> list[dict[str, Any]]:
    return [
        {
            "value": group.name,
            **group.counts.to_json(),
            "rates": _rates_json(group.metrics),
            "small": group.is_small,
        }
        for group in groups.groups
    ]


def _calibration_json(calibration: Calibration) -> dict[str, Any]:
    return {
        "observed": calibration.observed.successes,
        "expected": calibration.expected,
        "ratio": _rate_json(calibration.ratio),
        "leaves": [
            {
                "leaf": leaf.number,
                "train": _rate_json(leaf.train),
                "observed": _rate_json(leaf.observed),
                "expected": leaf.expected,
                "ratio": _rate_json(leaf.ratio),
            }
            for leaf in calibration.leaves
        ],
    }


def _floor_json(floor: Floor) -> dict[str, Any]:
    return {
        "name": floor.name,
        "asked": float(floor.asked),
        "train": _rate_json(floor.train),
        "validation": None if floor.test is None else _rate_json(floor.test),
        "held": floor.met_in_test,
    }
