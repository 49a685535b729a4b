"""How many questions are worth asking? The best trees of any shape by number of questions.

For each k a path has the best tree on the training rows, over all shapes with at most k questions,
with a proof. Cross-validation estimates the errors of such trees on unseen rows. In each fold,
bins, cut points, categories and selected features come from the fold's training rows alone.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from odt_core.confusion import Confusion
from odt_core.data import Fold, Folding, Prepared, Table
from odt_core.export import tree_from_json, tree_to_json
from odt_core.export.csv_cells import signed_csv
from odt_core.json_data import JsonData, as_json
from odt_core.solution import Status
from odt_core.topology import AnyShape
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
)
from odt_core.training.result import Origin, number
from odt_core.words import count_words, rules_line, seconds_words, status_words

if TYPE_CHECKING:
    from odt_core.solvers.sizes import SizePoint

DEFAULT_QUESTIONS = 7


@dataclass(frozen=True)
class PathPart(JsonData):
    """A path on all training rows or on a fold's, a part of the study that one job runs.

    Attributes
    ----------
    most_questions : int
        The largest number of questions, from 1 to 15.
    fold : Fold or None
        The fold; None for all training rows.
    """

    most_questions: int = DEFAULT_QUESTIONS
    fold: Fold | None = None

    def __post_init__(self) -> None:
        AnyShape(self.most_questions)


@dataclass(frozen=True)
class PathSpec:
    """A path and its cross-validation.

    Attributes
    ----------
    most_questions : int
        The largest number of questions, from 1 to 15.
    folding : Folding or None
        The folds; None for no cross-validation.
    """

    most_questions: int = DEFAULT_QUESTIONS
    folding: Folding | None = None

    def parts(self) -> tuple[PathPart, ...]:
        """The path on all training rows first, then one for each fold."""
        folds = () if self.folding is None else tuple(self.folding)
        return tuple(PathPart(self.most_questions, fold) for fold in (None, *folds))


@dataclass(frozen=True, eq=False, kw_only=True)
class PathResult(Origin):
    """A path by number of questions.

    Attributes
    ----------
    points : tuple of SizePoint
        For k = 0, 1, 2, ...
    seconds : float
        Total time.
    """

    points: tuple[SizePoint, ...]
    seconds: float

    @property
    def status(self) -> Status:
        """``optimal`` if every point is proved."""
        found = {point.solution.status for point in self.points}
        if all(status.is_settled for status in found):
            return Status.OPTIMAL
        return Status.CANCELLED if Status.CANCELLED in found else Status.FEASIBLE

    @property
    def words(self) -> str:
        """The status in words."""
        if self.status is Status.OPTIMAL:
            return "Proved for each number of questions"
        proved = sum(point.solution.status.is_settled for point in self.points)
        began = "Stopped after" if self.status is Status.CANCELLED else "Best found in"
        return (
            f"{began} {seconds_words(self.seconds)}: {proved} of "
            f"{count_words(len(self.points), 'number')} of questions are proved"
        )

    def to_json(self) -> dict[str, Any]:
        """The result as the command line prints it."""
        return {
            "points": [_point_to_json(point, self.prepared) for point in self.points],
            "status": self.status.value,
            "words": {"status": self.words},
            "seconds": round(self.seconds, 4),
            "max_card": self.spec.max_card,
            "objective": self.spec.objective.goal.value,
            **self.origin_to_json(),
        }


def _point_to_json(point: SizePoint, prepared: Prepared) -> dict[str, Any]:
    solution, tree = point.solution, point.solution.tree
    test = None if tree is None or prepared.test is None else tree.confusion(prepared.test)
    return {
        "questions": point.questions,
        "errors": None if solution.confusion is None else solution.confusion.errors,
        "topology": None if tree is None else point.topology_name,
        "status": solution.status.value,
        "value": number(solution.value),
        "bound": number(solution.value_bound),
        "words": status_words(point.problem, solution, among=among_words(point.questions)),
        "train": as_json(solution.confusion),
        "test": as_json(test),
        "tree": None if tree is None else tree_to_json(tree),
    }


def among_words(questions: int) -> str:
    """The trees that a proof covers, such as ``of any shape with at most 3 questions``."""
    return AnyShape(questions).words if questions else "without a question"


def run_path(table: Table, spec: TrainSpec, part: PathPart, hooks: Hooks = SILENT) -> PathResult:
    """Find the best tree of any shape with at most k questions for each k, and test it.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        Data, split, goal, cap, conditions and time limit. Its shape is not used.
    part : PathPart
        The largest number of questions and the fold.
    hooks : Hooks
        They get the progress for the largest k, and the path so far when a point becomes better or
        is proved. A stop ends the search with the trees found so far.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount of a tree gives other numbers than the search.
    """
    from odt_core.solvers.sizes import solve_sizes  # processes that serve pages never solve

    began = time.perf_counter()
    hooks.on_stage(Stage.PREPARING)
    spec, prepared = _prepare(table, spec, part)
    problem = build_problem(prepared, spec)
    hooks.begin_solving([problem.data])

    def result_of(points: tuple[SizePoint, ...]) -> PathResult:
        return PathResult(
            table_sha256=table.sha256,
            table_name=table.name,
            spec=spec,
            prepared=prepared,
            points=points,
            seconds=time.perf_counter() - began,
        )

    def report(points: tuple[SizePoint, ...]) -> None:
        found = result_of(points)
        hooks.report(lambda: found)

    points = solve_sizes(
        problem,
        part.most_questions,
        hooks.control(spec, problem),
        engine=spec.engine,
        on_points=None if hooks.on_best is None else report,
    )
    hooks.on_stage(Stage.FINISHING)
    return result_of(points)


def _prepare(table: Table, spec: TrainSpec, part: PathPart) -> tuple[TrainSpec, Prepared]:
    """The specification and the rows of a part."""
    spec = dataclasses.replace(spec, topology=AnyShape(part.most_questions))
    if part.fold is None:
        return spec, prepare_training(table, spec)
    spec = dataclasses.replace(spec, split=dataclasses.replace(spec.split, fold=part.fold))
    prepared = prepare_training(table, spec)
    return dataclasses.replace(spec, rules=spec.rules.without(prepared.dropped)), prepared


# ---------------------------------------------------------------- cross-validation


@dataclass(frozen=True)
class UnseenError:
    """The errors, on unseen rows, of trees with at most so many questions.

    Attributes
    ----------
    questions : int
        The largest number of questions.
    errors, rows : int
        Wrong test rows and all test rows, summed over the folds. A row counts once in each repeat.
    share : float
        The share of wrong test rows, averaged over the folds.
    standard_error : float or None
        The standard error of `share`, from the folds; None with fewer than two folds.
    """

    questions: int
    errors: int
    rows: int
    share: float
    standard_error: float | None


@dataclass(frozen=True)
class PathView:
    """A path as pages and files read it.

    Attributes
    ----------
    points : tuple of PathPoint
        The best trees on all training rows, for k = 0, 1, 2, ...
    unseen : tuple of UnseenError
        The errors for the same k, from the finished folds; empty without folds.
    n_folds : int
        Number of finished folds.
    """

    points: tuple[PathPoint, ...]
    unseen: tuple[UnseenError, ...]
    n_folds: int

    @classmethod
    def of(cls, results: Sequence[Mapping[str, Any]]) -> PathView:
        """Read the JSON of the path on all training rows, which comes first, and of the folds.

        A fold that was stopped does not count.
        """
        whole, *others = results
        points = tuple(PathPoint.from_json(record) for record in whole["points"])
        folds = [
            [PathPoint.from_json(record) for record in fold["points"]]
            for fold in others
            if Status(fold["status"]) is not Status.CANCELLED
        ]
        unseen = [_unseen([fold[k] for fold in folds]) for k in range(len(points))]
        return cls(points, tuple(each for each in unseen if each is not None), len(folds))

    @property
    def least(self) -> UnseenError | None:
        """The least error on unseen rows. Of several equal errors, it has the fewest questions."""
        return min(self.unseen, key=lambda each: (each.share, each.questions), default=None)

    @property
    def best(self) -> int | None:
        """The smallest number of questions with the least error on unseen rows."""
        return None if self.least is None else self.least.questions

    @property
    def elbow(self) -> int | None:
        """The fewest questions whose error is within one standard error of the least.

        None with fewer than two folds. This is the one-standard-error rule (Breiman et al.,
        Classification and Regression Trees, section 3.4).
        """
        least = self.least
        if least is None or least.standard_error is None:
            return None
        most = least.share + least.standard_error
        return min(each.questions for each in self.unseen if each.share <= most)

    def to_json(self) -> dict[str, Any]:
        """Write the cross-validation as the command line prints it."""
        return {
            "n_folds": self.n_folds,
            "points": as_json(self.unseen),
            "best": self.best,
            "one_standard_error": self.elbow,
        }


@dataclass(frozen=True)
class PathPoint(JsonData):
    """A point of a path, read from a result's JSON.

    Attributes
    ----------
    questions : int
        The largest number of questions.
    topology : str or None
        The tree's shape; ``.`` for a single leaf, None without a tree.
    status : Status
        ``optimal`` if no tree of any shape with at most so many questions is better.
    words : str
        The status in a sentence, with the gap.
    train, test : Confusion or None
        The counts; None without a tree or test rows.
    tree : dict or None
        The tree's JSON.
    """

    questions: int
    topology: str | None
    status: Status
    words: str
    train: Confusion | None
    test: Confusion | None
    tree: Mapping[str, Any] | None

    @property
    def is_proved(self) -> bool:
        """Whether a proof shows that no tree is better, or that no tree keeps the floors."""
        return self.status.is_settled


def _unseen(points: Sequence[PathPoint]) -> UnseenError | None:
    """Average the errors with one number of questions over the folds; None without a tree."""
    counts = [point.test for point in points if point.test is not None and point.test.n]
    if not counts:
        return None
    shares = [count.errors / count.n for count in counts]
    n = len(shares)
    return UnseenError(
        questions=points[0].questions,
        errors=sum(count.errors for count in counts),
        rows=sum(count.n for count in counts),
        share=statistics.fmean(shares),
        standard_error=statistics.stdev(shares) / math.sqrt(n) if n > 1 else None,
    )


CSV_HEAD = (
    "questions", "shape", "proved", "train_errors", "train_rows", "test_errors", "test_rows",
    "unseen_errors", "unseen_rows", "unseen_share", "unseen_standard_error", "tree",
)  # fmt: skip


def path_csv(view: PathView) -> bytes:
    """Write CSV (UTF-8): one line for each number of questions, with the tree's rules on one line.

    The columns that begin with ``unseen`` are for the folds' test rows.
    """
    unseen = {each.questions: each for each in view.unseen}
    lines: list[list[object]] = [list(CSV_HEAD)]
    for point in view.points:
        line: list[object] = [point.questions, point.topology or ""]
        line.append("yes" if point.is_proved else "no")
        for counts in (point.train, point.test):
            line += ["", ""] if counts is None else [counts.errors, counts.n]
        each = unseen.get(point.questions)
        if each is None:
            line += [""] * 4
        else:
            error = "" if each.standard_error is None else f"{each.standard_error:.6f}"
            line += [each.errors, each.rows, f"{each.share:.6f}", error]
        rules = "" if point.tree is None else rules_line(tree_from_json(point.tree))
        lines.append([*line, rules])
    return signed_csv(lines)
