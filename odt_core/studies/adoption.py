"""Make a tree of a study the current model. The result has the form of a training run's result."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from odt_core.data import Table
from odt_core.json_data import JsonData
from odt_core.problem import Goal, Objective
from odt_core.solution import Assignment, Engine, Prover, Seconds, make_solution
from odt_core.studies.sweep import Sweep
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainResult,
    TrainSpec,
    build_problem,
    fit_peer,
    prepare_training,
)
from odt_core.tree import count_assignment


class Source(StrEnum):
    """The study that a tree is taken from."""

    FRONTIER = "frontier"
    ALTERNATIVES = "alternatives"

    @property
    def words(self) -> str:
        """Where the tree comes from, in a sentence."""
        return {
            Source.FRONTIER: "The tree was taken from the sensitivity/specificity frontier.",
            Source.ALTERNATIVES: "The tree was chosen among the alternatives to the best tree.",
        }[self]


@dataclass(frozen=True)
class Adoption(JsonData):
    """A tree of a study that becomes a model.

    Attributes
    ----------
    assignment : Assignment
        The tree in the topology's own terms.
    proved : bool
        Whether the study proved that no tree is better at the chosen floor.
    seconds : float
        The time that the study took.
    source : Source
        The study.
    bound : int or None
        For a tree from a list of alternatives: the worth of the best tree (see `Gains`), if it is
        proved. Otherwise None.
    """

    assignment: Assignment
    proved: bool
    seconds: float
    source: Source = Source.FRONTIER
    bound: int | None = None


def floor_objective(level: Fraction, sweep: Sweep = Sweep.TPR) -> Objective:
    """The goal for which a point is chosen: one rate as high as possible, a floor on the other."""
    if sweep is Sweep.TNR:
        return Objective(Goal.MAX_TPR, min_tnr=level)
    return Objective(Goal.MAX_TNR, min_tpr=level)


def run_adoption(
    table: Table, spec: TrainSpec, adoption: Adoption, hooks: Hooks = SILENT
) -> TrainResult:
    """Recount a tree of a study, and return it as the result of a training run.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The study's specification, with the objective for which the tree was chosen.
    adoption : Adoption
        The tree.
    hooks : Hooks
        `on_stage` is called with each stage as it begins.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If the tree breaks a condition, or misses its floor.
    """
    began = time.perf_counter()
    hooks.on_stage(Stage.PREPARING)
    spec.one_topology("A tree that a study found")
    spec = dataclasses.replace(spec, engine=Engine.SEARCH)
    prepared = prepare_training(table, spec)
    problem = build_problem(prepared, spec)
    cart = fit_peer(prepared, spec)
    prepared_at = time.perf_counter()
    hooks.on_stage(Stage.FINISHING)
    chosen = adoption.assignment
    total = problem.gains.total(count_assignment(problem, chosen.splits, chosen.labels))
    solution = make_solution(
        problem,
        engine=Engine.SEARCH,
        assignment=chosen,
        claimed_total=total,
        bound=total if adoption.proved else adoption.bound,
        provers=(Prover.SEARCH,),
        seconds=Seconds(total=adoption.seconds, search=adoption.seconds),
        remark=adoption.source.words,
    )
    return TrainResult(
        table_sha256=table.sha256,
        table_name=table.name,
        spec=spec,
        prepared=prepared,
        problem=problem,
        solution=solution,
        cart=cart,
        seconds_prepare=prepared_at - began,
        seconds_total=time.perf_counter() - began + adoption.seconds,
    )
