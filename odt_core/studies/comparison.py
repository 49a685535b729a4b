"""Compare candidates, CART and the majority class on the same folds (paper, sections 5.4, 5.6).

Each fold trains every candidate on the fold's training rows and tests it on the fold's test rows.
Bins, cut points, categories and selected features come from the fold's training rows alone. Floors
hold in training only. The test rates are reported.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

from odt_core.confusion import Confusion
from odt_core.data import BinMethod, Binning, ColumnKind, Fold, Folding, Prepared, Schema, Table
from odt_core.errors import InputError
from odt_core.evaluation import Baseline, can_ask_about_sets, fit_baseline
from odt_core.json_data import JsonData
from odt_core.solution import Status
from odt_core.solvers.control import Control
from odt_core.topology import Topology
from odt_core.training import (
    SILENT,
    FeatureSelection,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
)
from odt_core.tree import Tree

MOST_CANDIDATES = 100


class CutPoints(StrEnum):
    """Where a candidate's numerical columns may be cut.

    ``as-set`` keeps each column's own setting. ``deciles`` and ``every`` (every value) apply to all
    numerical columns except those whose cut points the user gave.
    """

    AS_SET = "as-set"
    DECILES = "deciles"
    EVERY = "every"

    def apply(self, schema: Schema) -> Schema:
        """Return the schema with these cut points for its numerical columns."""
        if self is CutPoints.AS_SET:
            return schema
        for column in schema.columns:
            is_own = column.binning.method is BinMethod.CUTS
            if column.kind is ColumnKind.NUMERICAL and not is_own:
                schema = schema.with_binning(column.name, Binning(BinMethod(self.value)))
        return schema


@dataclass(frozen=True)
class TreeCandidate(JsonData):
    """A way to train a tree that is compared with others.

    Attributes
    ----------
    topology : Topology
        The shape.
    max_card : int or None
        Cap on a categorical split's set; None for no cap.
    cuts : CutPoints
        Where numerical columns may be cut.
    feature_selection : FeatureSelection
        Which features may be asked about.
    """

    topology: Topology
    max_card: int | None = None
    cuts: CutPoints = CutPoints.AS_SET
    feature_selection: FeatureSelection = FeatureSelection.NONE

    @property
    def words(self) -> str:
        """The candidate's name: its shape, and settings other than the defaults; plain text."""
        parts = [self.topology.name]
        if self.max_card is not None:
            parts.append(f"sets of at most {self.max_card}")
        if self.cuts is CutPoints.DECILES:
            parts.append("deciles")
        if self.cuts is CutPoints.EVERY:
            parts.append("every cut")
        if self.feature_selection is FeatureSelection.CART:
            parts.append("CART's columns")
        return ", ".join(parts)

    @property
    def complexity(self) -> tuple[float, ...]:
        """A sort key that puts simpler candidates first.

        It compares the shape's number of questions, its depth and the cap on sets. Then coarse cut
        points come before fine ones, and selected features before all features.
        """
        cuts = (CutPoints.DECILES, CutPoints.AS_SET, CutPoints.EVERY)
        return (
            self.topology.n_nodes,
            self.topology.depth,
            float("inf") if self.max_card is None else self.max_card,
            cuts.index(self.cuts),
            self.feature_selection is FeatureSelection.NONE,
        )

    def apply(self, spec: TrainSpec) -> TrainSpec:
        """Return the specification with this candidate's settings."""
        return dataclasses.replace(
            spec,
            topology=self.topology,
            max_card=self.max_card,
            schema=self.cuts.apply(spec.schema),
            feature_selection=self.feature_selection,
        )


Candidate = TreeCandidate | Baseline
"""An entry of a comparison: a way to train a tree, or a baseline."""


@dataclass(frozen=True)
class ComparisonSpec:
    """The candidates and folds of a comparison.

    Attributes
    ----------
    candidates : tuple of TreeCandidate or Baseline
        The candidates in the order of display, each once.
    folding : Folding
        The folds.

    Raises
    ------
    InputError
        If there is no candidate, or too many.
    """

    candidates: tuple[Candidate, ...]
    folding: Folding = Folding()

    def __post_init__(self) -> None:
        if not 1 <= len(self.candidates) <= MOST_CANDIDATES:
            raise InputError(
                f"The comparison has {len(self.candidates)} candidates: give from 1 to "
                f"{MOST_CANDIDATES}, that is, fewer shapes, caps, cut points or selections."
            )

    @classmethod
    def grid(
        cls,
        topologies: Sequence[Topology],
        max_cards: Sequence[int | None] = (None,),
        cuts: Sequence[CutPoints] = (CutPoints.AS_SET,),
        selections: Sequence[FeatureSelection] = (FeatureSelection.NONE,),
        folding: Folding | None = None,
    ) -> ComparisonSpec:
        """Return the comparison of all combinations of the given choices, and of the baselines.

        Raises
        ------
        InputError
            If a list is empty, or there are too many combinations.
        """
        trees = [
            TreeCandidate(*choice)
            for choice in product(
                dict.fromkeys(topologies),
                dict.fromkeys(max_cards),
                dict.fromkeys(cuts),
                dict.fromkeys(selections),
            )
        ]
        if not trees:
            raise InputError("The comparison has no trees: give at least one shape and one cap.")
        return cls((*trees, *Baseline), folding or Folding())

    def fold_parts(self) -> tuple[ComparisonFold, ...]:
        """One part of the study for each fold."""
        return tuple(ComparisonFold(self.candidates, fold) for fold in self.folding)


@dataclass(frozen=True)
class ComparisonFold(JsonData):
    """All candidates on one fold, a part of the study that one job runs.

    Attributes
    ----------
    candidates : tuple of TreeCandidate or Baseline
        The candidates in the order of display.
    fold : Fold
        Which fold.
    """

    candidates: tuple[Candidate, ...]
    fold: Fold


@dataclass(frozen=True)
class FoldRun(JsonData):
    """One candidate on one fold.

    Attributes
    ----------
    candidate : TreeCandidate or Baseline
        The candidate.
    fold : Fold
        The fold.
    status : Status
        Whether the tree is proved the best of its shape in training. A baseline is always
        ``feasible``.
    train, test : Confusion or None
        The counts; None without a tree.
    leaves : int or None
        Number of leaves; None without a tree.
    questions : float or None
        Mean number of questions per test row.
    seconds : float
        Time for solving or fitting.
    has_sets : bool
        Whether a column could be split by sets of categories, which CART cannot do.
    """

    candidate: Candidate
    fold: Fold
    status: Status
    train: Confusion | None
    test: Confusion | None
    leaves: int | None
    questions: float | None
    seconds: float
    has_sets: bool = True

    @classmethod
    def of_tree(
        cls,
        candidate: Candidate,
        fold: Fold,
        prepared: Prepared,
        tree: Tree | None,
        status: Status,
        seconds: float,
    ) -> FoldRun:
        """Count a tree's answers on training and test rows. A class may have no test row."""
        has_sets = can_ask_about_sets(prepared.train.features)
        if tree is None:
            return cls(candidate, fold, status, None, None, None, None, seconds, has_sets)
        assert prepared.test is not None  # a fold always has test rows
        return cls(
            candidate=candidate,
            fold=fold,
            status=status,
            train=tree.confusion(prepared.train),
            test=tree.confusion(prepared.test),
            leaves=tree.n_leaves,
            questions=tree.mean_questions(prepared.test),
            seconds=round(seconds, 4),
            has_sets=has_sets,
        )

    @classmethod
    def of_results(cls, results: Iterable[Mapping[str, Any]]) -> tuple[FoldRun, ...]:
        """Read the runs in the results of a comparison's jobs."""
        return tuple(cls.from_json(run) for result in results for run in result["runs"])


def run_fold(
    table: Table, spec: TrainSpec, part: ComparisonFold, hooks: Hooks = SILENT
) -> tuple[FoldRun, ...]:
    """Train and test all candidates on one fold of the training rows.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        Data, split, goal, rules, engine and the time limit of each tree. The folds divide its
        training rows and leave out its test rows. Each candidate has its own shape, cap, cut points
        and selection.
    part : ComparisonFold
        The candidates and the fold.
    hooks : Hooks
        Called during the fold. A stop ends it without a result.

    Returns
    -------
    tuple of FoldRun
        In the order of the candidates; empty if it was stopped.

    Raises
    ------
    InputError
        If the table or the specification cannot be used, or the fold has too few rows.
    DisagreementError
        If a recount of a tree gives other numbers than the search.
    """
    hooks.on_stage(Stage.PREPARING)
    spec = dataclasses.replace(spec, split=dataclasses.replace(spec.split, fold=part.fold))
    cuts = dict.fromkeys(_cuts_of(part, candidate) for candidate in part.candidates)
    prepared = {
        cut: prepare_training(table, dataclasses.replace(spec, schema=cut.apply(spec.schema)))
        for cut in cuts
    }
    hooks.begin_solving([each.train for each in prepared.values()])
    runs: list[FoldRun] = []
    for candidate in part.candidates:
        fold = prepared[_cuts_of(part, candidate)]
        if isinstance(candidate, Baseline):
            runs.append(_fit(fold, spec, candidate, part.fold))
        else:
            runs.append(_solve(fold, spec, candidate, part.fold, hooks.control(spec)))
        if hooks.should_stop():
            return ()
    return tuple(runs)


def _cuts_of(part: ComparisonFold, candidate: Candidate) -> CutPoints:
    """A candidate's cut points. A baseline gets the finest of the comparison."""
    if isinstance(candidate, TreeCandidate):
        return candidate.cuts
    met = {other.cuts for other in part.candidates if isinstance(other, TreeCandidate)}
    finest = (CutPoints.EVERY, CutPoints.AS_SET, CutPoints.DECILES)
    return next((cuts for cuts in finest if cuts in met), CutPoints.AS_SET)


def _solve(
    prepared: Prepared,
    spec: TrainSpec,
    candidate: TreeCandidate,
    fold: Fold,
    control: Control,
) -> FoldRun:
    """The best tree of a candidate on a fold."""
    from odt_core.solvers import solve  # processes that serve pages never solve

    began = time.perf_counter()
    spec = dataclasses.replace(spec, rules=spec.rules.without(prepared.dropped))
    solution = solve(
        build_problem(prepared, candidate.apply(spec)),
        engine=spec.engine,
        control=control,
        mip_options=spec.mip,
    )
    seconds = time.perf_counter() - began
    return FoldRun.of_tree(candidate, fold, prepared, solution.tree, solution.status, seconds)


def _fit(prepared: Prepared, spec: TrainSpec, baseline: Baseline, fold: Fold) -> FoldRun:
    """A baseline on a fold."""
    began = time.perf_counter()
    groups = None if prepared.groups is None else prepared.groups[prepared.train_rows]
    tree = fit_baseline(
        baseline, prepared.train, spec.objective, seed=spec.split.seed, groups=groups
    )
    status = Status.INFEASIBLE if tree is None else Status.FEASIBLE
    seconds = time.perf_counter() - began
    return FoldRun.of_tree(baseline, fold, prepared, tree, status, seconds)
