"""Run a training specification: prepare, select features, solve, test, compare with CART."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from odt_core.data import Prepared, Table, prepare
from odt_core.evaluation import cart_feature_selection, fit_cart
from odt_core.problem import Problem
from odt_core.solution import Engine, Found, Solution, Status, TracePoint, make_solution
from odt_core.topology import AnyShape, Topology
from odt_core.training.progress import Stage
from odt_core.training.result import TrainedTree, TrainResult
from odt_core.training.spec import FeatureSelection, TrainSpec
from odt_core.tree import Tree

if TYPE_CHECKING:
    from odt_core.export import Model
    from odt_core.solvers.search.sizes import SizePoint

SMALLEST = Topology.parse("depth-1")
NOT_ASKED = "The integer program was not asked: it solves one shape, and this answer is over all."


def prepare_training(table: Table, spec: TrainSpec) -> Prepared:
    """Encode a table as the specification says.

    Raises
    ------
    InputError
        If the table does not fit the schema or the split.
    """
    return prepare(table, spec.schema, spec.split)


def build_problem(prepared: Prepared, spec: TrainSpec) -> Problem:
    """The training problem of a specification on prepared rows.

    With feature selection, features that a default CART on the training rows does not use are
    forbidden, which is what the paper's v = 0 does (section 5.1). Where any shape will do, the
    problem has the smallest one, and the answer has a problem of its own.

    Raises
    ------
    InputError
        If a cap, floor or rule does not fit the data.
    """
    train, shape = prepared.train, spec.topology
    selected = select_features(prepared, spec)
    return Problem(
        data=train,
        topology=SMALLEST if isinstance(shape, AnyShape) else shape,
        objective=spec.objective,
        max_card=spec.max_card,
        rules=spec.resolve_rules(train, selected),
        forbid_empty_branches=spec.forbid_empty_branches,
        smallest_leaf=spec.smallest_leaf,
    )


def select_features(prepared: Prepared, spec: TrainSpec) -> frozenset[int] | None:
    """The features that the specification's selection leaves, by number; None for all."""
    if spec.feature_selection is FeatureSelection.NONE:
        return None
    return cart_feature_selection(
        prepared.train, seed=spec.split.seed, at_least=spec.least_features
    )


def fit_peer(prepared: Prepared, spec: TrainSpec) -> Tree:
    """The CART that a run's tree is compared with: as deep, and with the same class weight."""
    return fit_cart(
        prepared.train,
        max_depth=spec.topology.depth,
        class_weight=spec.objective.class_weight,
        seed=spec.split.seed,
    )


class Outcome(Protocol):
    """What a run brings: a result's JSON, and a model if it made one."""

    @property
    def model(self) -> Model | None:
        """The model."""

    def to_json(self) -> dict[str, Any]:
        """The result."""


@dataclass(frozen=True, eq=False)
class BestSoFar:
    """What a run that goes on has found: a tree, or a path of trees.

    Attributes
    ----------
    is_proved : bool
        Whether no tree is better, so that what follows only confirms it.
    result : callable
        What the run would bring if it ended now, counted in full, which takes a moment.
    """

    is_proved: bool
    result: Callable[[], Outcome]


def run_training(
    table: Table,
    spec: TrainSpec,
    *,
    on_progress: Callable[[Problem, TracePoint], None] | None = None,
    on_stage: Callable[[Stage], None] | None = None,
    on_best: Callable[[BestSoFar], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> TrainResult:
    """Train, test and compare.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        What to do with it.
    on_progress : callable, optional
        Called with the problem and each new point of the trace while the solve runs.
    on_stage : callable, optional
        Told what begins: preparing, solving, finishing.
    on_best : callable, optional
        Called with better trees while the solve goes on.
    should_stop : callable, optional
        Asked while the solve runs; true ends it with the best tree so far.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a solver's claim does not survive our recount.
    """
    # not at the top: processes that serve pages never solve
    from odt_core.solvers import solve

    began = time.perf_counter()
    tell = on_stage or (lambda stage: None)
    tell(Stage.PREPARING)
    prepared = prepare_training(table, spec)
    problem = build_problem(prepared, spec)
    prepared_at = time.perf_counter()
    prepared.train.merged()  # both the solve and CART start from it
    tell(Stage.SOLVING)

    def result_of(solution: Solution, problem: Problem = problem) -> TrainResult:
        return TrainResult(
            table_sha256=table.sha256,
            table_name=table.name,
            spec=spec,
            prepared=prepared,
            problem=problem,
            solution=solution,
            cart=cart.result(),
            seconds_prepare=prepared_at - began,
            seconds_total=time.perf_counter() - began,
        )

    def best_so_far(found: Found) -> BestSoFar:
        return BestSoFar(
            bool(found.proved_by),
            lambda: result_of(
                make_solution(
                    problem,
                    engine=spec.engine,
                    assignment=found.assignment,
                    claimed_total=None,
                    bound=found.bound,
                    provers=found.proved_by,
                    seconds=found.seconds,
                )
            ),
        )

    def best_of_any(found: SizePoint) -> BestSoFar:
        is_proved = found.solution.status is Status.OPTIMAL
        return BestSoFar(is_proved, lambda: result_of(found.solution, found.problem))

    # CART beside the solve: nobody waits for it, and it is there when a solve is stopped.
    with ThreadPoolExecutor(1, thread_name_prefix="odt-cart") as beside:
        cart = beside.submit(fit_peer, prepared, spec)
        tell_of = None if on_progress is None else lambda point: on_progress(problem, point)
        if isinstance(spec.topology, AnyShape):
            point = solve_any_shape(
                problem,
                spec,
                spec.topology,
                on_progress=tell_of,
                on_point=None if on_best is None else lambda found: on_best(best_of_any(found)),
                should_stop=should_stop,
            )
            tell(Stage.FINISHING)
            return result_of(point.solution, point.problem)
        solution = solve(
            problem,
            engine=spec.engine,
            time_limit=spec.time_limit,
            threads=spec.threads,
            seed=spec.seed,
            on_progress=tell_of,
            on_found=None if on_best is None else lambda found: on_best(best_so_far(found)),
            should_stop=should_stop,
            mip_options=spec.mip,
        )
        tell(Stage.FINISHING)
        return result_of(solution)


def train_tree(
    table: Table, spec: TrainSpec, weight: npt.NDArray[np.int64] | None = None
) -> TrainedTree:
    """Train, without a comparison.

    Parameters
    ----------
    table : Table
        The data.
    spec : TrainSpec
        What to do with it.
    weight : int64[N], optional
        How many rows each row of the table stands for, from 1; one by default.

    Raises
    ------
    InputError, DisagreementError
        As `run_training`.
    """
    from odt_core.solvers import solve

    began = time.perf_counter()
    prepared = prepare(table, spec.schema, spec.split, weight)
    problem = build_problem(prepared, spec)
    prepared_at = time.perf_counter()
    if isinstance(spec.topology, AnyShape):
        point = solve_any_shape(problem, spec, spec.topology)
        problem, solution = point.problem, point.solution
    else:
        solution = solve(
            problem,
            engine=spec.engine,
            time_limit=spec.time_limit,
            threads=spec.threads,
            seed=spec.seed,
            mip_options=spec.mip,
        )
    return TrainedTree(
        table_sha256=table.sha256,
        table_name=table.name,
        spec=spec,
        prepared=prepared,
        problem=problem,
        solution=solution,
        seconds_prepare=prepared_at - began,
        seconds_total=time.perf_counter() - began,
    )


def solve_any_shape(
    problem: Problem,
    spec: TrainSpec,
    shape: AnyShape,
    *,
    on_progress: Callable[[TracePoint], None] | None = None,
    on_point: Callable[[SizePoint], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> SizePoint:
    """The best tree of any shape, with its own problem.

    Parameters
    ----------
    problem : Problem
        What is to be solved; its topology is not looked at.
    spec : TrainSpec
        Engine, time limit and threads.
    shape : AnyShape
        The largest number of questions.
    on_progress, on_point, should_stop : callable, optional
        As in `odt_core.solvers.search.sizes.solve_sizes`; `on_point` is told of better trees.
    """
    from odt_core.solvers.search.sizes import solve_sizes

    def tell(points: tuple[SizePoint, ...]) -> None:
        if on_point is not None and points[-1].solution.tree is not None:
            on_point(points[-1])

    points = solve_sizes(
        problem,
        shape.most_questions,
        every=False,
        engine=spec.engine,
        time_limit=spec.time_limit,
        threads=spec.threads,
        on_progress=on_progress,
        on_points=tell,
        should_stop=should_stop,
    )
    if spec.engine is not Engine.HYBRID:
        return points[-1]
    solution = dataclasses.replace(points[-1].solution, remark=NOT_ASKED)
    return dataclasses.replace(points[-1], solution=solution)
