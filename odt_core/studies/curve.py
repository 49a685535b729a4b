"""Training against testing sensitivity over many splits (paper, section 5.8), or specificity.

Each repeat draws a new stratified split with its own seed, and searches one frontier for each
shape. For a floor on sensitivity it takes the point with the fewest false positives that keeps the
floor in training. For a floor on specificity it takes the point with the fewest false negatives.
Then it counts the point's tree on the test rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.confusion import Confusion
from odt_core.data import Table
from odt_core.errors import InputError, quoted
from odt_core.json_data import JsonData
from odt_core.problem import EncodedData, Objective
from odt_core.solution import Status
from odt_core.solvers.control import Control
from odt_core.studies.frontier import search_frontier
from odt_core.studies.sweep import Sweep
from odt_core.topology import Topology
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
)

PAPER_LEVELS = tuple(Fraction(text) / 100 for text in "95 96 97 98 98.5 99 99.5 100".split())
"""The paper's floors on training sensitivity."""

MOST_REPEATS = 1000
MOST_LEVELS = 101


@dataclass(frozen=True)
class CurveSpec:
    """The floors, shapes and splits of a curve.

    Attributes
    ----------
    levels : tuple of Fraction
        Floors on sensitivity or specificity in training, each in [0, 1].
    topologies : tuple of Topology
        Tree shapes.
    repeats : int
        Number of splits. Repeat r, from 0, adds r to the seed of the training run's split.
    sweep : Sweep
        The rate that has the floors.

    Raises
    ------
    InputError
        If there are no levels, shapes or repeats, or too many, or a level is outside [0, 1].
    """

    levels: tuple[Fraction, ...] = PAPER_LEVELS
    topologies: tuple[Topology, ...] = (Topology.parse("depth-2"), Topology.parse("depth-3"))
    repeats: int = 10
    sweep: Sweep = Sweep.TPR

    def __post_init__(self) -> None:
        if not 1 <= len(self.levels) <= MOST_LEVELS:
            raise InputError(f"levels are {len(self.levels)}: give from 1 to {MOST_LEVELS}.")
        for level in self.levels:
            if not 0 <= level <= 1:
                raise InputError(
                    f"levels name {100 * float(level):g}: give percentages from 0 to 100."
                )
        if not self.topologies:
            raise InputError("topologies are none: give at least one shape, such as depth-2.")
        if not 1 <= self.repeats <= MOST_REPEATS:
            raise InputError(f"repeats is {self.repeats}: give from 1 to {MOST_REPEATS}.")

    def repeat(self, number: int) -> CurveRepeat:
        """Return the repeat with this number, from 0."""
        return CurveRepeat(self.levels, self.topologies, number, self.sweep)

    def parts(self) -> list[CurveRepeat]:
        """Return all repeats."""
        return [self.repeat(number) for number in range(self.repeats)]


@dataclass(frozen=True)
class CurveRepeat(JsonData):
    """One repeat of a curve, a part of the study that one job runs.

    Attributes
    ----------
    levels : tuple of Fraction
        Floors in training, each in [0, 1].
    topologies : tuple of Topology
        Tree shapes.
    number : int
        The repeat's number, from 0.
    sweep : Sweep
        The rate that has the floors.
    """

    levels: tuple[Fraction, ...]
    topologies: tuple[Topology, ...]
    number: int
    sweep: Sweep = Sweep.TPR


@dataclass(frozen=True)
class CurveRun(JsonData):
    """One shape at one level on one split.

    Attributes
    ----------
    topology : str
        The shape's name.
    level : Fraction
        The floor.
    seed : int
        The split's seed.
    train, test : Confusion
        The tree's counts.
    proved : bool
        Whether no tree of the shape is better at this floor in training, by proof.
    sweep : Sweep
        The rate that has the floor.
    """

    topology: str
    level: Fraction
    seed: int
    train: Confusion
    test: Confusion
    proved: bool
    sweep: Sweep = Sweep.TPR

    @classmethod
    def of_results(cls, results: Iterable[Mapping[str, Any]]) -> tuple[CurveRun, ...]:
        """Read the runs in the results of a curve's jobs."""
        return tuple(cls.from_json(run) for result in results for run in result["runs"])


def check_curve(spec: TrainSpec) -> None:
    """Check that a training run's settings leave test rows for a curve.

    Raises
    ------
    InputError
        If all rows are training rows.
    """
    if spec.split.train_size == "all":
        raise InputError(
            "A curve needs rows to test on: train-size all leaves none, so give a smaller one."
        )


def _check_test(test: EncodedData | None, seed: int) -> None:
    """Check that a split's test rows have both classes."""
    if test is None or test.n_rows == 0:
        raise InputError("A curve needs rows to test on: give a smaller train-size.")
    for count, label in (
        (test.n_positive, test.positive_label),
        (test.n_negative, test.negative_label),
    ):
        if count == 0:
            raise InputError(
                f"None of the {test.n_rows} test rows of the split with seed {seed} has "
                f"{quoted(test.target)} = {quoted(label)}: give a smaller train-size."
            )


def run_repeat(
    table: Table, spec: TrainSpec, repeat: CurveRepeat, hooks: Hooks = SILENT
) -> tuple[CurveRun, ...]:
    """Run one repeat: every shape and level on one new split.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        Data, split, cap, rules and the time limit of each frontier. Its shape is not used.
    repeat : CurveRepeat
        The levels, the shapes and the number of the split.
    hooks : Hooks
        Called during the repeat. A stop ends it; shapes that are not finished are left out.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount of a point gives other numbers than the search.
    """
    check_curve(spec)
    hooks.on_stage(Stage.PREPARING)
    seed = spec.split.seed + repeat.number
    spec = dataclasses.replace(spec, split=dataclasses.replace(spec.split, seed=seed))
    prepared = prepare_training(table, spec)
    _check_test(prepared.test, seed)
    hooks.begin_solving([prepared.train])
    control = Control(spec.time_limit, should_stop=hooks.should_stop)
    runs: list[CurveRun] = []
    for topology in repeat.topologies:
        shaped = dataclasses.replace(spec, topology=topology, objective=Objective())
        problem = build_problem(prepared, shaped)
        found = search_frontier(problem, prepared.test, control)
        if found.status is Status.CANCELLED:
            break
        for level in repeat.levels:
            index = found.at_level(level, repeat.sweep)
            if index is None:
                continue
            train, test = found.points[index].train, found.points[index].test
            assert test is not None  # `_check_test` refuses a split without test rows
            best = found.is_best_at(index, level, repeat.sweep)
            runs.append(CurveRun(topology.name, level, seed, train, test, best, repeat.sweep))
    return tuple(runs)
