"""Would other patients give the same tree? Bootstrap refits of one training run.

Each refit draws rows with replacement from the training rows and finds the best tree on them, with
the same shape, goal, floors, cap, rules and smallest leaf. Categories, bins, cut points and
selected features come from the drawn rows alone. The exact search solves and proves each refit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.data import Binning, Prepared, Table, draw_resample, prepare_resample
from odt_core.errors import InputError
from odt_core.json_data import JsonData
from odt_core.solution import Engine, Solution, Status
from odt_core.solvers.control import Control
from odt_core.topology import AnyShape
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
)
from odt_core.tree import Leaf, Node, Tree
from odt_core.words import split_words

MOST_RESAMPLES = 10_000
MOST_LEVELS = 64
"""A stored tree with more levels is refused."""
PARTS = 25
"""The largest number of parts of a study."""


@dataclass(frozen=True)
class StabilitySpec:
    """The size of a stability study.

    Attributes
    ----------
    resamples : int
        Number of refits.

    Raises
    ------
    InputError
        If the number is less than 1 or too large.
    """

    resamples: int = 200

    def __post_init__(self) -> None:
        if not 1 <= self.resamples <= MOST_RESAMPLES:
            raise InputError(
                f"resamples is {self.resamples}: give a whole number from 1 to {MOST_RESAMPLES:,}."
            )

    def parts(self) -> tuple[ResampleRange, ...]:
        """Parts of about equal size. The first also fits the tree of all training rows."""
        size = -(-self.resamples // PARTS)
        return tuple(
            ResampleRange(first, min(size, self.resamples - first))
            for first in range(0, self.resamples, size)
        )


@dataclass(frozen=True)
class ResampleRange(JsonData):
    """Some of the resamples of a study, a part that one job runs.

    Attributes
    ----------
    first : int
        Number of the first resample, from 0.
    n : int
        Number of resamples.
    """

    first: int
    n: int

    def __post_init__(self) -> None:
        if self.first < 0 or self.n < 1:
            raise ValueError("a part has at least one resample, with a number from 0")

    @property
    def n_solves(self) -> int:
        """Number of trees: one for each resample, and in the first part one for all rows."""
        return self.n + (self.first == 0)


@dataclass(frozen=True)
class Question(JsonData):
    """A decision node and its subtree, without the training data.

    Two are equal if and only if the trees read the same.

    Attributes
    ----------
    column : str
        The column of the question.
    predicate : str
        The condition: ``<= 4.5``, ``is almond or anise``.
    cut : float or None
        The cut point of a numerical column. None for sets of categories, and if the question
        only separates missing values.
    yes, no : bool or Question
        The next question, or the class of a leaf (True for positive).
    """

    column: str
    predicate: str
    cut: float | None
    yes: Outline
    no: Outline

    def __post_init__(self) -> None:
        if self.depth > MOST_LEVELS:
            raise ValueError(f"a tree has at most {MOST_LEVELS} levels")

    @property
    def depth(self) -> int:
        """Number of levels of questions."""
        below = (each for each in (self.yes, self.no) if isinstance(each, Question))
        return 1 + max((each.depth for each in below), default=0)

    def walk(self) -> Iterator[Question]:
        """Iterate over the question and those below it, in the order node, yes, no."""
        yield self
        for below in (self.yes, self.no):
            if isinstance(below, Question):
                yield from below.walk()


Outline = bool | Question
"""A tree in words: the root's question, or the class of a single leaf."""


def outline_of(tree: Tree) -> Outline:
    """Make the outline of a canonical tree."""

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


@dataclass(frozen=True)
class Refit(JsonData):
    """The tree of one resample.

    Attributes
    ----------
    number : int
        The resample's number, from 0.
    status : Status
        Whether the tree is proved the best on the resample.
    tree : bool, Question or None
        The tree; None if there is none.
    resample, original : Confusion or None
        Its counts on the drawn rows and on all training rows.
    redrawn : int
        Number of draws that were repeated because all their rows had one class.
    reason : str
        A sentence that says why there is no tree; empty if there is a tree.
    """

    number: int
    status: Status
    tree: Outline | None
    resample: Confusion | None
    original: Confusion | None
    redrawn: int = 0
    reason: str = ""


@dataclass(frozen=True)
class OriginalFit(JsonData):
    """The tree of all training rows, to which the refits are compared.

    Attributes
    ----------
    status : Status
        Whether the tree is proved the best.
    tree : bool or Question
        The tree.
    train : Confusion
        Its counts on the training rows.
    test : Confusion or None
        Its counts on the run's test rows; None without any.
    columns : tuple of str
        The columns that the tree may ask about, in the order of the table.
    rows : tuple of int
        The training rows' numbers in the table, from 0.
    leaves : tuple of int
        The leaf of each training row, from 0, left to right.
    labels : tuple of bool
        The class of each leaf.
    positives : tuple of int
        Number of positive training rows in each leaf.
    """

    status: Status
    tree: Outline
    train: Confusion
    test: Confusion | None
    columns: tuple[str, ...]
    rows: tuple[int, ...]
    leaves: tuple[int, ...]
    labels: tuple[bool, ...]
    positives: tuple[int, ...]

    def __post_init__(self) -> None:
        n_leaves = len(self.labels)
        if len(self.rows) != len(self.leaves) or len(self.positives) != n_leaves:
            raise ValueError("rows and leaves do not fit each other")
        if not all(0 <= leaf < n_leaves for leaf in self.leaves):
            raise ValueError("a row reaches a leaf that the tree does not have")


@dataclass(frozen=True)
class RangeRun(JsonData):
    """The results of some resamples.

    Attributes
    ----------
    refits : tuple of Refit
        The refits by number.
    positive : tuple of int
        For each training row, the number of these trees that predict positive.
    original : OriginalFit or None
        The tree of all training rows; only in the first part of a study.
    """

    refits: tuple[Refit, ...]
    positive: tuple[int, ...]
    original: OriginalFit | None = None

    @classmethod
    def joined(cls, runs: Sequence[RangeRun]) -> RangeRun:
        """Join the results of parts."""
        return cls(
            refits=tuple(refit for run in runs for refit in run.refits),
            positive=tuple(map(sum, zip(*(run.positive for run in runs), strict=True))),
            original=next((run.original for run in runs if run.original is not None), None),
        )


def run_range(
    table: Table, spec: TrainSpec, part: ResampleRange, hooks: Hooks = SILENT
) -> RangeRun:
    """Refit the tree on some resamples. The first part also fits it on all training rows.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The training run. Each refit has its time limit.
    part : ResampleRange
        The resamples.
    hooks : Hooks
        Called during the part. A stop ends it; the result has the finished refits.

    Raises
    ------
    InputError
        If the table or the specification cannot be used, or no tree of all training rows is found.
    DisagreementError
        If a recount of a tree gives other numbers than the search.
    """
    hooks.on_stage(Stage.PREPARING)
    prepared = prepare_training(table, spec)
    hooks.begin_solving([prepared.train])
    control = Control(spec.time_limit, seed=spec.seed, should_stop=hooks.should_stop)
    original = _fit_original(prepared, spec, control) if part.first == 0 else None
    spec = _with_fixed_cuts(spec, prepared)
    positive = np.zeros(len(prepared.train.y), dtype=np.int64)
    refits: list[Refit] = []
    for number in range(part.first, part.first + part.n):
        if hooks.should_stop():
            break
        refit, answers = _refit(table, spec, prepared, number, control)
        if refit.status is Status.CANCELLED:
            break
        refits.append(refit)
        positive += answers
    return RangeRun(tuple(refits), tuple(positive.tolist()), original)


def _solve(prepared: Prepared, spec: TrainSpec, control: Control) -> Solution:
    from odt_core.solvers import solve  # processes that serve pages never solve
    from odt_core.solvers.sizes import solve_sizes

    problem = build_problem(prepared, spec)
    if isinstance(spec.topology, AnyShape):
        points = solve_sizes(problem, spec.topology.most_questions, control, every=False)
        return points[-1].solution
    return solve(problem, engine=Engine.SEARCH, control=control)


def _fit_original(prepared: Prepared, spec: TrainSpec, control: Control) -> OriginalFit | None:
    """Fit the tree of all training rows; None if the search was stopped."""
    solution = _solve(prepared, spec, control)
    tree, train = solution.tree, prepared.train
    if solution.status is Status.CANCELLED:
        return None
    if tree is None:
        raise InputError(
            "There is no tree of all training rows to compare with: lower a floor, remove a "
            "rule, or give more time."
        )
    return OriginalFit(
        status=solution.status,
        tree=outline_of(tree),
        train=tree.confusion(train),
        test=None if prepared.test is None else tree.confusion(prepared.test),
        columns=tuple(feature.name for feature in train.features),
        rows=tuple(prepared.train_rows.tolist()),
        leaves=tuple(tree.apply(train.codes).tolist()),
        labels=tuple(leaf.label for leaf in tree.leaves),
        positives=tuple(positive for _, positive in tree.leaf_counts(train)),
    )


def _with_fixed_cuts(spec: TrainSpec, prepared: Prepared) -> TrainSpec:
    """Keep the cut points of all training rows for columns whose cut point a rule fixes."""
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
    control: Control,
) -> tuple[Refit, npt.NDArray[np.bool_]]:
    """Make one refit. Also return its answers for the training rows (without a tree: negative)."""
    groups = None if prepared.groups is None else prepared.groups[prepared.train_rows]
    drawn = draw_resample(prepared.train.y, spec.split.seed, number, groups)
    nothing = np.zeros(len(prepared.train.y), dtype=np.bool_)
    try:
        resample = prepare_resample(table, spec.schema, prepared, drawn.rows)
        spec = dataclasses.replace(spec, rules=spec.rules.without(resample.dropped))
        solution = _solve(resample, spec, control)
    except InputError as error:  # for example, a rule names a category that was not drawn
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
        Confusion.count(whole.y, answers, whole.weight),
        drawn.again,
    )
    return refit, answers
