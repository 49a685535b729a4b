"""Run a training specification: prepare, select features, solve, test, compare with CART."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from odt_core.cart import cart_feature_selection, fit_cart, load_cart
from odt_core.data import Prepared, Table, prepare
from odt_core.problem import Problem
from odt_core.solution import Engine, Found, Solution, Status, TracePoint, make_solution
from odt_core.topology import AnyShape, Topology
from odt_core.training.result import TrainedTree, TrainResult
from odt_core.training.spec import FeatureSelection, TrainSpec
from odt_core.tree import Tree

if TYPE_CHECKING:
    from odt_core.cart.process import CartProcess
    from odt_core.export import Model
    from odt_core.solvers.search.sizes import SizePoint

SMALLEST = Topology.parse("depth-1")
NOT_RUN = "The integer program was not run: it solves one shape, and this answer covers all."


class Stage(StrEnum):
    """A stage of a training run. The time limit applies to ``solving``.

    A study is ``compiling`` while it waits until the search is compiled, once on each machine.
    """

    PREPARING = "preparing"
    COMPILING = "compiling"
    SOLVING = "solving"
    FINISHING = "finishing"


def prepare_training(table: Table, spec: TrainSpec) -> Prepared:
    """Encode a table with a specification's schema and split.

    Raises
    ------
    InputError
        If the table does not match the schema or the split.
    """
    return prepare(table, spec.schema, spec.split)


def build_problem(prepared: Prepared, spec: TrainSpec) -> Problem:
    """Make a specification's problem on prepared rows.

    A feature selection forbids the features that a default CART on the training rows does not use.
    This has the effect of v = 0 in the paper (section 5.1). If any shape is allowed, the problem
    has the smallest shape, and the answer has another problem with the tree's own shape.

    Raises
    ------
    InputError
        If the data rule out a cap, floor or rule.
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
    """Return the numbers of the features that the selection keeps; None for all."""
    if spec.feature_selection is FeatureSelection.NONE:
        return None
    return cart_feature_selection(
        prepared.train, seed=spec.split.seed, at_least=spec.least_features
    )


def fit_peer(prepared: Prepared, spec: TrainSpec, fit: Callable[..., Tree] = fit_cart) -> Tree:
    """Fit the CART that a run's tree is compared with: same depth, same class weight."""
    return fit(
        prepared.train,
        max_depth=spec.topology.depth,
        class_weight=spec.objective.class_weight,
        seed=spec.split.seed,
    )


class Outcome(Protocol):
    """The outcome of a run: a result with a JSON form, and perhaps a model."""

    @property
    def model(self) -> Model | None:
        """The model."""

    def to_json(self) -> dict[str, Any]:
        """The result."""


@dataclass(frozen=True, eq=False)
class BestSoFar:
    """The best tree, or path of trees, that an unfinished run has found.

    Attributes
    ----------
    is_proved : bool
        Whether no tree is better, so that the rest of the run only confirms it.
    result : callable
        Computes the complete outcome if the run ended now. This takes a moment.
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
    cart_process: CartProcess | None = None,
) -> TrainResult:
    """Train a tree, test it, and compare it with CART.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The specification.
    on_progress : callable, optional
        Called with the problem and each new point of the trace while the solve runs.
    on_stage : callable, optional
        Called with each stage as it begins: preparing, solving, finishing.
    on_best : callable, optional
        Called with better trees during the solve.
    should_stop : callable, optional
        Called during the solve. True ends it with the best tree so far.
    cart_process : CartProcess, optional
        A process that fits CART. By default a thread of this process does it.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount gives other numbers than a solver.
    """
    # imported here because processes that serve pages never solve
    from odt_core.solvers import solve

    began = time.perf_counter()
    tell = on_stage or (lambda stage: None)
    tell(Stage.PREPARING)
    # CART runs beside the solve, so that it is ready even if the solve is stopped. Its library is
    # loaded while the rows are prepared.
    beside = ThreadPoolExecutor(1, thread_name_prefix="odt-cart")
    fit = fit_cart if cart_process is None else cart_process.fit
    if cart_process is None:
        beside.submit(load_cart)
    prepared = prepare_training(table, spec)
    problem = build_problem(prepared, spec)
    prepared_at = time.perf_counter()
    prepared.train.merged()  # computed once for the solve and for CART
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

    with beside:
        cart = beside.submit(fit_peer, prepared, spec, fit)
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
    """Train a tree without a comparison.

    Parameters
    ----------
    table : Table
        The data.
    spec : TrainSpec
        The specification.
    weight : int64[N], optional
        Number of rows that each row of the table stands for, at least 1; 1 by default.

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
    """Find the best tree of any shape. The answer has a problem with the tree's shape.

    Parameters
    ----------
    problem : Problem
        The problem. Its topology is not used.
    spec : TrainSpec
        Engine, time limit and threads.
    shape : AnyShape
        The largest number of questions.
    on_progress, on_point, should_stop : callable, optional
        As in `odt_core.solvers.search.sizes.solve_sizes`. `on_point` is called with better trees.
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
    solution = dataclasses.replace(points[-1].solution, remark=NOT_RUN)
    return dataclasses.replace(points[-1], solution=solution)
