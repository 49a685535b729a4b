"""Would the tree come out the same on other patients? Bootstrap refits of one training run.

Each refit finds the best tree on rows drawn with replacement from the training rows, for the same
shape, goal, floors, cap, rules and smallest leaf. Categories, bins, cut points and selected
features come from the rows drawn alone. The exact search alone solves and proves each refit.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.data import Binning, Prepared, Table, draw_resample, prepare_resample
from odt_core.errors import InputError
from odt_core.problem import EncodedData
from odt_core.solution import Engine, Solution, Status
from odt_core.studies.progress import StudyProgress, run_parts
from odt_core.topology import AnyShape
from odt_core.training import (
    Stage,
    TrainSpec,
    build_problem,
    confusion_to_json,
    prepare_training,
)
from odt_core.tree import Leaf, Node, Tree
from odt_core.words import split_words

MOST_RESAMPLES = 10_000
MOST_LEVELS = 64
"""Levels beyond which a stored tree is refused."""
PARTS = 25
"""Pieces of work that a study is divided into, if it has so many resamples."""


@dataclass(frozen=True)
class StabilitySpec:
    """How many resamples a study draws.

    Attributes
    ----------
    resamples : int
        Refits.

    Raises
    ------
    InputError
        If there is none, or there are too many.
    """

    resamples: int = 200

    def __post_init__(self) -> None:
        if not 1 <= self.resamples <= MOST_RESAMPLES:
            raise InputError(
                f"resamples is {self.resamples}: give a whole number from 1 to {MOST_RESAMPLES:,}."
            )

    def parts(self) -> tuple[ResampleRange, ...]:
        """Pieces of work of about equal size; the first one has the tree of all rows too."""
        size = -(-self.resamples // PARTS)
        return tuple(
            ResampleRange(first, min(size, self.resamples - first))
            for first in range(0, self.resamples, size)
        )


@dataclass(frozen=True)
class ResampleRange:
    """Some of the resamples of a study: a piece of work of its own.

    Attributes
    ----------
    first : int
        Number of the first resample, from 0.
    n : int
        How many.
    """

    first: int
    n: int

    @property
    def n_solves(self) -> int:
        """Trees to find: one for each resample, and that of all training rows in the first part."""
        return self.n + (self.first == 0)

    def to_json(self) -> dict[str, int]:
        """A plain dictionary, complete enough for `from_json`."""
        return {"first": self.first, "n": self.n}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ResampleRange:
        """Rebuild a piece of work."""
        first, n = record["first"], record["n"]
        if type(first) is not int or type(n) is not int or first < 0 or n < 1:
            raise TypeError("the numbers of resamples are whole")
        return cls(first, n)


@dataclass(frozen=True)
class Question:
    """A decision node without the data it was trained on, and with all that is below it.

    Two are equal if and only if the canonical trees are the same to a reader.

    Attributes
    ----------
    column : str
        What is asked about.
    predicate : str
        What is asked of it: ``<= 4.5``, ``is almond or anise``.
    cut : float or None
        Where a numerical column is cut; None for sets, and where only missing values part.
    yes, no : bool or Question
        What follows: a class (True for positive) or the next question.
    """

    column: str
    predicate: str
    cut: float | None
    yes: Outline
    no: Outline

    def walk(self) -> Iterator[Question]:
        """The question and all below it, in the order node, yes, no."""
        yield self
        for below in (self.yes, self.no):
            if isinstance(below, Question):
                yield from below.walk()


Outline = bool | Question
"""A tree as a reader sees it: the root's question, or the class of a lone leaf."""


def outline_of(tree: Tree) -> Outline:
    """A canonical tree as a reader sees it."""

    def visit(node: Node) -> Outline:
        if isinstance(node, Leaf):
            return node.label
        feature = tree.features[node.split.feature]
        ordered = [code for code in node.split.left if code < feature.n_ordered]
        is_cut = feature.is_numerical and ordered and max(ordered) < feature.n_ordered - 1
        return Question(
            feature.name,
            split_words(tree, node).predicate,
            feature.cuts[max(ordered)] if is_cut else None,
            visit(node.left),
            visit(node.right),
        )

    return visit(tree.root)


def outline_to_json(outline: Outline) -> Any:
    """Plain data, complete enough for `outline_from_json`."""
    if isinstance(outline, bool):
        return outline
    return {
        "column": outline.column,
        "predicate": outline.predicate,
        "cut": outline.cut,
        "yes": outline_to_json(outline.yes),
        "no": outline_to_json(outline.no),
    }


def outline_from_json(record: Any, level: int = 0) -> Outline:
    """Rebuild an outline.

    Raises
    ------
    TypeError
        If the record is not an outline.
    """
    if isinstance(record, bool):
        return record
    column, predicate, cut = record["column"], record["predicate"], record["cut"]
    is_number = type(cut) in (int, float) and math.isfinite(cut)
    if not (isinstance(column, str) and isinstance(predicate, str) and (cut is None or is_number)):
        raise TypeError("a question has a column, a predicate and perhaps a cut point")
    if level > MOST_LEVELS:
        raise TypeError(f"a tree has at most {MOST_LEVELS} levels")
    yes, no = (outline_from_json(record[answer], level + 1) for answer in ("yes", "no"))
    return Question(column, predicate, cut, yes, no)


@dataclass(frozen=True)
class Refit:
    """The tree of one resample.

    Attributes
    ----------
    number : int
        Of the resample, from 0.
    status : Status
        Whether the tree is proved the best on the resample.
    outline : bool, Question or None
        The tree; None if there is none.
    resample, original : Confusion or None
        Its counts on the rows drawn, and on all training rows that they were drawn from.
    redrawn : int
        Draws that were thrown away because they had rows of one class only.
    reason : str
        Why there is no tree, in a sentence; empty if there is one.
    """

    number: int
    status: Status
    outline: Outline | None
    resample: Confusion | None
    original: Confusion | None
    redrawn: int = 0
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "number": self.number,
            "status": self.status.value,
            "tree": None if self.outline is None else outline_to_json(self.outline),
            "resample": None if self.resample is None else confusion_to_json(self.resample),
            "original": None if self.original is None else confusion_to_json(self.original),
            "redrawn": self.redrawn,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Refit:
        """Rebuild a refit."""
        tree, drawn, whole = record["tree"], record["resample"], record["original"]
        return cls(
            number=record["number"],
            status=Status(record["status"]),
            outline=None if tree is None else outline_from_json(tree),
            resample=None if drawn is None else Confusion(**drawn),
            original=None if whole is None else Confusion(**whole),
            redrawn=record["redrawn"],
            reason=record["reason"],
        )


@dataclass(frozen=True)
class OriginalFit:
    """The tree of all training rows, which the refits are compared with.

    Attributes
    ----------
    status : Status
        Whether it is proved the best.
    outline : bool or Question
        The tree.
    train : Confusion
        Its counts on the training rows.
    test : Confusion or None
        Its counts on the run's test rows; None without any.
    columns : tuple of str
        The columns that it could ask about, in the order of the table.
    rows : tuple of int
        Rows of the table, from 0, that are the training rows.
    leaves : tuple of int
        The leaf that each training row reaches, left to right from 0.
    labels : tuple of bool
        The class of each leaf.
    positives : tuple of int
        Positive training rows in each leaf.
    """

    status: Status
    outline: Outline
    train: Confusion
    test: Confusion | None
    columns: tuple[str, ...]
    rows: tuple[int, ...]
    leaves: tuple[int, ...]
    labels: tuple[bool, ...]
    positives: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "status": self.status.value,
            "tree": outline_to_json(self.outline),
            "train": confusion_to_json(self.train),
            "test": None if self.test is None else confusion_to_json(self.test),
            "columns": list(self.columns),
            "rows": list(self.rows),
            "leaves": list(self.leaves),
            "labels": list(self.labels),
            "positives": list(self.positives),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> OriginalFit:
        """Rebuild the fit."""
        found = cls(
            status=Status(record["status"]),
            outline=outline_from_json(record["tree"]),
            train=Confusion(**record["train"]),
            test=None if record["test"] is None else Confusion(**record["test"]),
            columns=tuple(record["columns"]),
            rows=tuple(record["rows"]),
            leaves=tuple(record["leaves"]),
            labels=tuple(record["labels"]),
            positives=tuple(record["positives"]),
        )
        n_leaves = len(found.labels)
        if len(found.rows) != len(found.leaves) or len(found.positives) != n_leaves:
            raise ValueError("rows and leaves do not fit each other")
        if not all(type(leaf) is int and 0 <= leaf < n_leaves for leaf in found.leaves):
            raise ValueError("a row reaches a leaf that the tree does not have")
        return found


@dataclass(frozen=True)
class RangeRun:
    """What some resamples brought.

    Attributes
    ----------
    refits : tuple of Refit
        In the order of their numbers.
    positive : tuple of int
        How many of their trees call each training row positive.
    original : OriginalFit or None
        The tree of all training rows, in the first part of a study.
    """

    refits: tuple[Refit, ...]
    positive: tuple[int, ...]
    original: OriginalFit | None = None

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "refits": [refit.to_json() for refit in self.refits],
            "positive": list(self.positive),
            "original": None if self.original is None else self.original.to_json(),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> RangeRun:
        """Rebuild what a part brought."""
        original = record["original"]
        return cls(
            refits=tuple(Refit.from_json(refit) for refit in record["refits"]),
            positive=tuple(record["positive"]),
            original=None if original is None else OriginalFit.from_json(original),
        )

    @classmethod
    def joined(cls, runs: Sequence[RangeRun]) -> RangeRun:
        """What several parts brought, as one; there is at least one part."""
        return cls(
            refits=tuple(refit for run in runs for refit in run.refits),
            positive=tuple(map(sum, zip(*(run.positive for run in runs), strict=True))),
            original=next((run.original for run in runs if run.original is not None), None),
        )


def run_range(
    table: Table,
    spec: TrainSpec,
    part: ResampleRange,
    *,
    on_stage: Callable[[Stage], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> RangeRun:
    """Refit the tree on some resamples, and on all training rows if it is the first part.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The training run; its time limit is that of each refit.
    part : ResampleRange
        Which resamples.
    on_stage : callable, optional
        Told what begins: preparing, solving.
    should_stop : callable, optional
        Asked while a tree is searched; true ends the part with the refits that are done.

    Raises
    ------
    InputError
        If the table or the specification cannot be used, or no tree of all training rows is found.
    DisagreementError
        If a tree of the search does not survive our recount.
    """
    from odt_core.solvers.search.loader import loader  # processes that serve pages never solve

    loader.load()
    tell = on_stage or (lambda stage: None)
    stopped = should_stop or (lambda: False)
    tell(Stage.PREPARING)
    prepared = prepare_training(table, spec)
    tell(Stage.SOLVING)
    original = _fit_original(prepared, spec, should_stop) if part.first == 0 else None
    spec = _with_fixed_cuts(spec, prepared)
    positive = np.zeros(len(prepared.train.y), dtype=np.int64)
    refits: list[Refit] = []
    for number in range(part.first, part.first + part.n):
        if stopped():
            break
        refit, answers = _refit(table, spec, prepared, number, should_stop)
        if refit.status is Status.CANCELLED:
            break
        refits.append(refit)
        positive += answers
    return RangeRun(tuple(refits), tuple(positive.tolist()), original)


def _solve(prepared: Prepared, spec: TrainSpec, should_stop: Callable[[], bool] | None) -> Solution:
    from odt_core.solvers import solve  # processes that serve pages never solve
    from odt_core.solvers.search.sizes import solve_sizes

    problem = build_problem(prepared, spec)
    if isinstance(spec.topology, AnyShape):
        points = solve_sizes(
            problem,
            spec.topology.most_questions,
            every=False,
            time_limit=spec.time_limit,
            should_stop=should_stop,
        )
        return points[-1].solution
    return solve(
        problem,
        engine=Engine.SEARCH,
        time_limit=spec.time_limit,
        seed=spec.seed,
        should_stop=should_stop,
    )


def _fit_original(
    prepared: Prepared, spec: TrainSpec, should_stop: Callable[[], bool] | None
) -> OriginalFit | None:
    """The tree of all training rows; None if it was stopped before one was found."""
    solution = _solve(prepared, spec, should_stop)
    tree, train = solution.tree, prepared.train
    if solution.status is Status.CANCELLED:
        return None
    if tree is None:
        raise InputError(
            "There is no tree of all training rows to compare with: lower a floor, take back a "
            "rule, or give more time."
        )
    return OriginalFit(
        status=solution.status,
        outline=outline_of(tree),
        train=tree.confusion(train),
        test=None if prepared.test is None else tree.confusion(prepared.test),
        columns=tuple(feature.name for feature in train.features),
        rows=tuple(prepared.train_rows.tolist()),
        leaves=tuple(tree.apply(train.codes).tolist()),
        labels=tuple(leaf.label for leaf in tree.leaves),
        positives=tuple(positive for _, positive in tree.leaf_counts(train)),
    )


def _with_fixed_cuts(spec: TrainSpec, prepared: Prepared) -> TrainSpec:
    """A column whose cut point a rule fixes keeps the cut points of all training rows."""
    schema = spec.schema
    cuts = {feature.name: feature.cuts for feature in prepared.train.features}
    for rule in spec.rules.nodes:
        if rule.feature is not None and rule.threshold is not None:
            schema = schema.with_binning(rule.feature, Binning.at(cuts[rule.feature]))
    return dataclasses.replace(spec, schema=schema)


def _refit(
    table: Table,
    spec: TrainSpec,
    prepared: Prepared,
    number: int,
    should_stop: Callable[[], bool] | None,
) -> tuple[Refit, npt.NDArray[np.bool_]]:
    """A refit, and its answers for the training rows (all negative without a tree)."""
    groups = None if prepared.groups is None else prepared.groups[prepared.train_rows]
    drawn = draw_resample(prepared.train.y, spec.split.seed, number, groups)
    nothing = np.zeros(len(prepared.train.y), dtype=np.bool_)
    try:
        resample = prepare_resample(table, spec.schema, prepared, drawn.rows)
        spec = dataclasses.replace(spec, rules=spec.rules.without(resample.dropped))
        solution = _solve(resample, spec, should_stop)
    except InputError as error:  # as where a rule names a category that was not drawn
        refit = Refit(number, Status.INFEASIBLE, None, None, None, drawn.again, str(error))
        return refit, nothing
    tree, whole = solution.tree, resample.test
    if tree is None:
        reason = "No tree was found that keeps all conditions."
        return Refit(number, solution.status, None, None, None, drawn.again, reason), nothing
    assert whole is not None
    answers = tree.predict(whole.codes)
    refit = Refit(
        number,
        solution.status,
        outline_of(tree),
        tree.confusion(resample.train),
        _count(whole, answers),
        drawn.again,
    )
    return refit, answers


def _count(data: EncodedData, answers: npt.NDArray[np.bool_]) -> Confusion:
    return Confusion.count(data.y, answers, data.weight)


def run_stability(
    table: Table,
    spec: TrainSpec,
    stability: StabilitySpec,
    *,
    on_progress: Callable[[StudyProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[RangeRun, ...]:
    """All resamples, one after the other, in this process.

    Parameters
    ----------
    on_progress : callable, optional
        Told after each part.

    Returns
    -------
    tuple of RangeRun
        One for each part; fewer if it was stopped.

    Raises
    ------
    InputError, DisagreementError
        As `run_range`.
    """
    return tuple(
        run_parts(
            stability.parts(),
            lambda part: run_range(table, spec, part, should_stop=should_stop),
            size=lambda part: part.n,
            on_progress=on_progress,
            should_stop=should_stop,
        )
    )
