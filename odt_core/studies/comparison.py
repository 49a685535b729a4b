"""Which tree? Candidates on the same folds, beside CART and one answer for all (paper, 5.4, 5.6).

Each fold trains every candidate on its own training rows and tests it on its own test rows: bins,
cut points, categories and selected features come from the fold's training rows alone. Under floors
each candidate is the best tree that keeps them in training, and its test rates are reported.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

from odt_core.confusion import Confusion
from odt_core.data import BinMethod, Binning, ColumnKind, Fold, Folding, Prepared, Schema, Table
from odt_core.errors import InputError
from odt_core.evaluation import Baseline, can_ask_about_sets, fit_baseline
from odt_core.problem import EncodedData
from odt_core.solution import Status
from odt_core.studies.progress import StudyProgress, run_parts
from odt_core.topology import Topology
from odt_core.training import (
    FeatureSelection,
    Stage,
    TrainSpec,
    build_problem,
    confusion_to_json,
    prepare_training,
)
from odt_core.tree import Tree

MOST_CANDIDATES = 100


class CutPoints(StrEnum):
    """Where a candidate's numerical columns may be cut.

    ``as-set`` leaves each column as it is set. ``deciles`` and ``every`` (every value) apply to all
    numerical columns but those with cut points of the user's own.
    """

    AS_SET = "as-set"
    DECILES = "deciles"
    EVERY = "every"

    def apply(self, schema: Schema) -> Schema:
        """The schema with its numerical columns cut so."""
        if self is CutPoints.AS_SET:
            return schema
        for column in schema.columns:
            is_own = column.binning.method is BinMethod.CUTS
            if column.kind is ColumnKind.NUMERICAL and not is_own:
                schema = schema.with_binning(column.name, Binning(BinMethod(self.value)))
        return schema


@dataclass(frozen=True)
class TreeCandidate:
    """A way to train a tree that is compared with others.

    Attributes
    ----------
    topology : Topology
        The shape.
    max_card : int or None
        Cap on a categorical split's set; None for no cap.
    cuts : CutPoints
        Where numerical columns may be cut.
    selection : FeatureSelection
        Which features may be asked about.
    """

    topology: Topology
    max_card: int | None = None
    cuts: CutPoints = CutPoints.AS_SET
    selection: FeatureSelection = FeatureSelection.NONE

    @property
    def words(self) -> str:
        """What it is called: its shape, and what differs from the usual; plain text."""
        parts = [self.topology.name]
        if self.max_card is not None:
            parts.append(f"sets of at most {self.max_card}")
        if self.cuts is CutPoints.DECILES:
            parts.append("deciles")
        if self.cuts is CutPoints.EVERY:
            parts.append("every cut")
        if self.selection is FeatureSelection.CART:
            parts.append("CART's columns")
        return ", ".join(parts)

    @property
    def complexity(self) -> tuple[float, ...]:
        """How complex it is, for the choice of the simplest one; less is simpler.

        By the number of questions of the shape, its depth, the largest set, then coarse cut points
        before fine ones and selected features before all.
        """
        cuts = (CutPoints.DECILES, CutPoints.AS_SET, CutPoints.EVERY)
        return (
            self.topology.n_nodes,
            self.topology.depth,
            float("inf") if self.max_card is None else self.max_card,
            cuts.index(self.cuts),
            self.selection is FeatureSelection.NONE,
        )

    def apply(self, spec: TrainSpec) -> TrainSpec:
        """The training run of this candidate, everything else as the specification says."""
        return dataclasses.replace(
            spec,
            topology=self.topology,
            max_card=self.max_card,
            schema=self.cuts.apply(spec.schema),
            feature_selection=self.selection,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `candidate_from_json`."""
        return {
            "topology": self.topology.text,
            "max_card": self.max_card,
            "cuts": self.cuts.value,
            "feature_selection": self.selection.value,
        }


Candidate = TreeCandidate | Baseline
"""What is compared."""


def candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    """A plain dictionary, complete enough for `candidate_from_json`."""
    if isinstance(candidate, Baseline):
        return {"baseline": candidate.value}
    return candidate.to_json()


def candidate_from_json(record: Mapping[str, Any]) -> Candidate:
    """Rebuild a candidate."""
    if "baseline" in record:
        return Baseline(record["baseline"])
    cap = record["max_card"]
    if cap is not None and type(cap) is not int:
        raise TypeError("a cap is a whole number")
    return TreeCandidate(
        topology=Topology.parse(record["topology"]),
        max_card=cap,
        cuts=CutPoints(record["cuts"]),
        selection=FeatureSelection(record["feature_selection"]),
    )


@dataclass(frozen=True)
class ComparisonSpec:
    """What is compared, and on which folds.

    Attributes
    ----------
    candidates : tuple of TreeCandidate or Baseline
        In the order in which they are shown, each once.
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
        """Every combination of the given choices, and the baselines.

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
        """One piece of work for each fold."""
        return tuple(ComparisonFold(self.candidates, fold) for fold in self.folding)


@dataclass(frozen=True)
class ComparisonFold:
    """All candidates on one fold: a piece of work of its own.

    Attributes
    ----------
    candidates : tuple of TreeCandidate or Baseline
        As in `ComparisonSpec`.
    fold : Fold
        Which fold.
    """

    candidates: tuple[Candidate, ...]
    fold: Fold

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "candidates": [candidate_to_json(candidate) for candidate in self.candidates],
            "fold": self.fold.to_json(),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ComparisonFold:
        """Rebuild a piece of work."""
        found = tuple(candidate_from_json(candidate) for candidate in record["candidates"])
        return cls(found, Fold.from_json(record["fold"]))


@dataclass(frozen=True)
class FoldRun:
    """One candidate on one fold.

    Attributes
    ----------
    candidate : TreeCandidate or Baseline
        What was trained.
    fold : Fold
        On which rows.
    status : Status
        Whether the tree is proved the best of its shape in training. A baseline proves nothing and
        is ``feasible``.
    train, test : Confusion or None
        The counts; None without a tree.
    leaves : int or None
        Of the tree.
    questions : float or None
        Questions asked per test row, on average.
    seconds : float
        For solving or fitting.
    has_sets : bool
        Whether a column could be asked about sets of categories, which CART cannot do.
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
        """Count what a tree says of training and test rows; a class may have no test row."""
        has_sets = can_ask_about_sets(prepared.train.features)
        if tree is None:
            return cls(candidate, fold, status, None, None, None, None, seconds, has_sets)
        test = _test_of(prepared)
        return cls(
            candidate=candidate,
            fold=fold,
            status=status,
            train=tree.confusion(prepared.train),
            test=tree.confusion(test),
            leaves=tree.n_leaves,
            questions=tree.mean_questions(test),
            seconds=round(seconds, 4),
            has_sets=has_sets,
        )

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "candidate": candidate_to_json(self.candidate),
            "fold": self.fold.to_json(),
            "status": self.status.value,
            "train": None if self.train is None else confusion_to_json(self.train),
            "test": None if self.test is None else confusion_to_json(self.test),
            "leaves": self.leaves,
            "questions": self.questions,
            "seconds": self.seconds,
            "has_sets": self.has_sets,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> FoldRun:
        """Rebuild a run."""
        train, test = record["train"], record["test"]
        return cls(
            candidate=candidate_from_json(record["candidate"]),
            fold=Fold.from_json(record["fold"]),
            status=Status(record["status"]),
            train=None if train is None else Confusion(**train),
            test=None if test is None else Confusion(**test),
            leaves=record["leaves"],
            questions=record["questions"],
            seconds=record["seconds"],
            has_sets=record.get("has_sets", True),
        )


def run_fold(
    table: Table,
    spec: TrainSpec,
    part: ComparisonFold,
    *,
    on_stage: Callable[[Stage], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[FoldRun, ...]:
    """All candidates on one fold of the training rows.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        Data, split, goal, rules, engine and the time limit of each tree. Its training rows are
        divided; its test rows stay out. A candidate has its own shape, cap, cut points and
        selection.
    part : ComparisonFold
        Which candidates, and which fold.
    on_stage : callable, optional
        Told what begins: preparing, solving.
    should_stop : callable, optional
        Asked while a tree is searched; true ends the fold, and nothing of it is kept.

    Returns
    -------
    tuple of FoldRun
        In the order of the candidates; empty if it was stopped.

    Raises
    ------
    InputError
        If the table or the specification cannot be used, or the fold has too few rows.
    DisagreementError
        If a tree of the search does not survive our recount.
    """
    from odt_core.solvers.search.loader import loader  # processes that serve pages never solve

    loader.load()
    tell = on_stage or (lambda stage: None)
    stopped = should_stop or (lambda: False)
    tell(Stage.PREPARING)
    spec = dataclasses.replace(spec, split=dataclasses.replace(spec.split, fold=part.fold))
    cuts = dict.fromkeys(_cuts_of(part, candidate) for candidate in part.candidates)
    prepared = {
        cut: prepare_training(table, dataclasses.replace(spec, schema=cut.apply(spec.schema)))
        for cut in cuts
    }
    tell(Stage.SOLVING)
    runs: list[FoldRun] = []
    for candidate in part.candidates:
        rows = prepared[_cuts_of(part, candidate)]
        if isinstance(candidate, Baseline):
            runs.append(_fit(rows, spec, candidate, part.fold))
        else:
            runs.append(_solve(rows, spec, candidate, part.fold, should_stop))
        if stopped():
            return ()
    return tuple(runs)


def _cuts_of(part: ComparisonFold, candidate: Candidate) -> CutPoints:
    """A candidate's cut points; a baseline has the finest of those that are compared."""
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
    should_stop: Callable[[], bool] | None,
) -> FoldRun:
    """The best tree of a candidate on a fold."""
    from odt_core.solvers import solve  # processes that serve pages never solve

    began = time.perf_counter()
    spec = dataclasses.replace(spec, rules=spec.rules.without(prepared.dropped))
    solution = solve(
        build_problem(prepared, candidate.apply(spec)),
        engine=spec.engine,
        time_limit=spec.time_limit,
        threads=spec.threads,
        seed=spec.seed,
        should_stop=should_stop,
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


def _test_of(prepared: Prepared) -> EncodedData:
    assert prepared.test is not None  # a fold always has test rows
    return prepared.test


def run_comparison(
    table: Table,
    spec: TrainSpec,
    comparison: ComparisonSpec,
    *,
    on_progress: Callable[[StudyProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[FoldRun, ...]:
    """All folds, one after the other, in this process.

    Parameters
    ----------
    on_progress : callable, optional
        Told after each fold.

    Returns
    -------
    tuple of FoldRun
        By fold and candidate; whole folds only if it was stopped.

    Raises
    ------
    InputError, DisagreementError
        As `run_fold`.
    """
    folds = run_parts(
        comparison.fold_parts(),
        lambda part: run_fold(table, spec, part, should_stop=should_stop),
        on_progress=on_progress,
        should_stop=should_stop,
    )
    return tuple(run for fold in folds for run in fold)
