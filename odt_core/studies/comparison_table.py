"""The table of a comparison: means with intervals, differences to the best, and the choice."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.evaluation import Baseline, Measure, ResampledMean, resampled_mean
from odt_core.export.csv_cells import signed_csv
from odt_core.json_data import as_json
from odt_core.problem import Objective
from odt_core.solution import Status
from odt_core.studies.comparison import (
    Candidate,
    FoldRun,
    TreeCandidate,
)
from odt_core.training import FeatureSelection


@dataclass(frozen=True)
class FoldRates:
    """One rate over folds.

    Attributes
    ----------
    n : int
        Folds in which the rate is defined: they have a tree, and rows to measure the rate on.
    mean : float or None
        The mean over these folds; None without any.
    deviation : float or None
        The sample standard deviation; None for fewer than two folds.
    """

    n: int
    mean: float | None
    deviation: float | None

    @classmethod
    def of(cls, rates: Iterable[Fraction | None]) -> FoldRates:
        """Summarise the rates of all folds; None stands for an undefined rate."""
        found = [rate for rate in rates if rate is not None]
        return cls(
            n=len(found),
            mean=float(statistics.mean(found)) if found else None,
            deviation=math.sqrt(statistics.variance(found)) if len(found) > 1 else None,
        )


@dataclass(frozen=True)
class CandidateRow:
    """The results of one candidate over all folds.

    Attributes
    ----------
    candidate : TreeCandidate or Baseline
        The candidate.
    runs : tuple of FoldRun
        Its folds, in order.
    score : ResampledMean or None
        The goal's rate on test rows, with an interval within [0, 1] that allows for overlapping
        training sets; None if no fold has the rate.
    difference : ResampledMean or None
        The candidate's rate minus the best candidate's, fold by fold. None without common folds,
        and for the best candidate.
    """

    candidate: Candidate
    runs: tuple[FoldRun, ...]
    score: ResampledMean | None
    difference: ResampledMean | None = None

    @property
    def words(self) -> str:
        """The candidate's name; plain text."""
        return self.candidate.words

    @property
    def is_baseline(self) -> bool:
        """Whether the candidate is a baseline, which the comparison never chooses."""
        return isinstance(self.candidate, Baseline)

    @property
    def n_trees(self) -> int:
        """Folds that have a tree."""
        return sum(run.test is not None for run in self.runs)

    @property
    def n_proved(self) -> int:
        """Folds whose tree is proved the best of its shape in training."""
        return sum(run.status is Status.OPTIMAL for run in self.runs)

    @property
    def is_complete(self) -> bool:
        """Whether each fold has a tree and a rate to compare by."""
        return self.score is not None and self.score.n == len(self.runs)

    @property
    def leaves(self) -> float | None:
        """Mean number of leaves of its trees."""
        return _mean(run.leaves for run in self.runs)

    @property
    def questions(self) -> float | None:
        """Mean number of questions per test row."""
        return _mean(run.questions for run in self.runs)

    @property
    def seconds(self) -> float:
        """Mean time for one fold, in seconds."""
        return statistics.fmean(run.seconds for run in self.runs)

    def train(self, measure: Measure) -> FoldRates:
        """A rate on training rows over the folds."""
        return FoldRates.of(None if r.train is None else measure.of(r.train) for r in self.runs)

    def test(self, measure: Measure) -> FoldRates:
        """A rate on test rows over the folds."""
        return FoldRates.of(None if r.test is None else measure.of(r.test) for r in self.runs)

    def n_below(self, measure: Measure, floor: Fraction) -> int:
        """Number of folds whose test rate is below a floor that holds in training."""
        rates = [measure.of(run.test) for run in self.runs if run.test is not None]
        return sum(rate is not None and rate < floor for rate in rates)

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        tree = self.candidate if isinstance(self.candidate, TreeCandidate) else None
        accuracy = self.test(Measure.ACCURACY)
        return {
            "name": self.words,
            "topology": None if tree is None else tree.topology.name,
            "max_card": None if tree is None else tree.max_card,
            "cuts": None if tree is None else tree.cuts.value,
            "feature_selection": None if tree is None else tree.feature_selection.value,
            "baseline": None if tree is not None else self.candidate.to_json()["baseline"],
            "folds": [_fold_json(run) for run in self.runs],
            "mean_test_accuracy": accuracy.mean,
            "score": as_json(self.score),
            "difference_to_best": as_json(self.difference),
            "train": {measure.value: as_json(self.train(measure)) for measure in Measure},
            "test": {measure.value: as_json(self.test(measure)) for measure in Measure},
            "leaves": self.leaves,
            "questions": self.questions,
            "seconds": round(self.seconds, 4),
            "trees": self.n_trees,
            "proved": self.n_proved,
        }


def _fold_json(run: FoldRun) -> dict[str, Any]:
    return {
        "repeat": run.fold.repeat,
        "part": run.fold.part,
        "status": run.status.value,
        "train": as_json(run.train),
        "test": as_json(run.test),
        "leaves": run.leaves,
        "questions": run.questions,
        "seconds": run.seconds,
    }


@dataclass(frozen=True)
class Comparison:
    """All candidates over the finished folds.

    Attributes
    ----------
    objective : Objective
        The goal of all trees.
    rows : tuple of CandidateRow
        In the order of the candidates.
    n_folds : int
        Number of finished folds.
    best : int or None
        Index in `rows` of the tree (never a baseline) with the highest mean rate on test rows, and
        the simplest of equally good trees. None if no tree has a rate in every fold.
    simplest : int or None
        Index in `rows` of the simplest tree whose mean is within one standard error of the best.
    n_asked : int or None
        Number of folds requested; None if not known.
    """

    objective: Objective
    rows: tuple[CandidateRow, ...]
    n_folds: int
    best: int | None
    simplest: int | None
    n_asked: int | None = None

    @property
    def scored(self) -> tuple[CandidateRow, ...]:
        """The candidates that have a rate."""
        return tuple(row for row in self.rows if row.score is not None)

    @property
    def is_partial(self) -> bool:
        """Whether some requested folds are not finished."""
        return self.n_asked is not None and self.n_folds < self.n_asked

    @property
    def has_simpler(self) -> bool:
        """Whether some candidate is simpler than the best."""
        if self.best is None:
            return False
        most = _complexity(self.rows[self.best])
        return any(() < _complexity(row) < most for row in self.rows)

    @property
    def measure(self) -> Measure:
        """The rate that the candidates are compared by."""
        return Measure.of_goal(self.objective.goal)

    @property
    def floors(self) -> tuple[tuple[Measure, Fraction], ...]:
        """The rates that have a floor in training, each with its floor."""
        asked = (
            (Measure.SENSITIVITY, self.objective.min_tpr),
            (Measure.SPECIFICITY, self.objective.min_tnr),
        )
        return tuple((measure, floor) for measure, floor in asked if floor is not None)

    @property
    def better_baselines(self) -> tuple[CandidateRow, ...]:
        """Baselines whose mean is above the best tree's."""
        return tuple(
            row
            for row in self.rows
            if isinstance(row.candidate, Baseline)
            and row.difference is not None
            and row.difference.mean > 0
        )

    @property
    def has_sets(self) -> bool:
        """Whether some fold's trees could split by sets of categories, which CART cannot do."""
        return any(run.has_sets for row in self.rows for run in row.runs)

    def to_json(self) -> dict[str, Any]:
        """Write a dictionary; ``best`` and ``one_standard_error`` are indices in ``candidates``."""
        return {
            "candidates": [
                row.to_json()
                | {
                    "below_floor_in_test": {
                        measure.value: row.n_below(measure, floor) for measure, floor in self.floors
                    }
                }
                for row in self.rows
            ],
            "best": self.best,
            "one_standard_error": self.simplest,
            "compared_by": self.measure.value,
            "folds_done": self.n_folds,
        }


def compare_runs(
    runs: Sequence[FoldRun], objective: Objective, n_asked: int | None = None
) -> Comparison:
    """Make the table from the runs of all folds.

    Parameters
    ----------
    runs : sequence of FoldRun
        The runs of finished folds, each with all candidates, in any order.
    objective : Objective
        The goal of all trees.
    n_asked : int, optional
        Number of folds requested. Some may not be finished.
    """
    by_candidate: dict[Candidate, list[FoldRun]] = {}
    for run in sorted(runs, key=lambda run: (run.fold.repeat, run.fold.part)):
        by_candidate.setdefault(run.candidate, []).append(run)
    ratio, rate = _test_to_train(runs), _goal_rate(objective)
    rows = []
    for candidate, mine in by_candidate.items():
        rates = [found for run in mine if (found := rate(run)) is not None]
        score = resampled_mean(rates, ratio).within(0.0, 1.0) if rates else None
        rows.append(CandidateRow(candidate, tuple(mine), score))
    best = _best(rows)
    n_folds = len({run.fold for run in runs})
    if best is None:
        return Comparison(objective, tuple(rows), n_folds, None, None, n_asked)
    compared = tuple(
        row if place == best else _with_difference(row, rows[best], rate, ratio)
        for place, row in enumerate(rows)
    )
    return Comparison(objective, compared, n_folds, best, _simplest(rows, best), n_asked)


def _goal_rate(objective: Objective) -> Callable[[FoldRun], float | None]:
    """Return a function for a run's goal rate on test rows; accuracy uses the class weight."""
    measure = Measure.of_goal(objective.goal)

    def rate(run: FoldRun) -> float | None:
        found = None if run.test is None else measure.of(run.test, objective.class_weight)
        return None if found is None else float(found)

    return rate


def _test_to_train(runs: Sequence[FoldRun]) -> float:
    """The ratio of test rows to training rows, over all runs that have a tree."""
    tested = sum(run.test.n for run in runs if run.test is not None)
    trained = sum(run.train.n for run in runs if run.train is not None)
    return tested / trained if trained else 0.0


def _best(rows: Sequence[CandidateRow]) -> int | None:
    places = [place for place, row in enumerate(rows) if _complexity(row) and row.is_complete]
    return min(places, key=lambda at: (-_mean_of(rows[at]), _complexity(rows[at])), default=None)


def _simplest(rows: Sequence[CandidateRow], best: int) -> int:
    score = rows[best].score
    assert score is not None
    least = score.mean - (score.error or 0.0)
    near = [
        place
        for place, row in enumerate(rows)
        if _complexity(row) and row.is_complete and _mean_of(row) >= least
    ]
    return min(near, key=lambda at: (_complexity(rows[at]), -_mean_of(rows[at])))


def _complexity(row: CandidateRow) -> tuple[float, ...]:
    """Empty for a baseline, which is never chosen."""
    return row.candidate.complexity if isinstance(row.candidate, TreeCandidate) else ()


def _mean_of(row: CandidateRow) -> float:
    assert row.score is not None
    return row.score.mean


def _with_difference(
    row: CandidateRow,
    best: CandidateRow,
    rate: Callable[[FoldRun], float | None],
    ratio: float,
) -> CandidateRow:
    theirs = {run.fold: rate(run) for run in best.runs}
    pairs = [(rate(run), theirs.get(run.fold)) for run in row.runs]
    found = [mine - other for mine, other in pairs if mine is not None and other is not None]
    difference = resampled_mean(found, ratio).within(-1.0, 1.0) if found else None
    return CandidateRow(row.candidate, row.runs, row.score, difference)


def _mean(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return statistics.fmean(found) if found else None


TABLE_HEAD = (
    "candidate", "topology", "max_card", "cuts", "feature_selection", "folds", "trees", "proved",
    "compared_by", "test_mean_percent", "test_low_percent", "test_high_percent",
    "difference_percent", "difference_low_percent", "difference_high_percent",
    *(
        f"{rows}_{measure.value}_{number}"
        for rows in ("train", "test")
        for measure in Measure
        for number in ("mean_percent", "sd_percent")
    ),
    "leaves", "questions", "seconds", "choice",
)  # fmt: skip
"""Columns of the table's CSV."""


def comparison_csv(comparison: Comparison) -> bytes:
    """Write the table as CSV (UTF-8), one line for each candidate."""
    lines: list[list[object]] = [list(TABLE_HEAD)]
    for place, row in enumerate(comparison.rows):
        tree = row.candidate if isinstance(row.candidate, TreeCandidate) else None
        choice = [
            name
            for name, at in (("best", comparison.best), ("simplest", comparison.simplest))
            if at == place
        ]
        lines.append(
            [row.words]
            + (["", "", "", ""] if tree is None else _settings_cells(tree))
            + [len(row.runs), row.n_trees, row.n_proved, comparison.measure.value]
            + _interval_cells(row.score)
            + _interval_cells(row.difference)
            + [
                _percent(number)
                for rates in (row.train, row.test)
                for measure in Measure
                for number in (rates(measure).mean, rates(measure).deviation)
            ]
            + [_plain(row.leaves), _plain(row.questions), f"{row.seconds:.4f}", " ".join(choice)]
        )
    return signed_csv(lines)


def _settings_cells(tree: TreeCandidate) -> list[object]:
    cap = "none" if tree.max_card is None else tree.max_card
    is_all = tree.feature_selection is FeatureSelection.NONE
    return [
        tree.topology.name,
        cap,
        tree.cuts.value,
        "" if is_all else tree.feature_selection.value,
    ]


def _interval_cells(interval: ResampledMean | None) -> list[object]:
    if interval is None:
        return ["", "", ""]
    return [_percent(number) for number in (interval.mean, interval.low, interval.high)]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.4f}"


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
