"""Run a training specification: prepare, select features, solve, test, compare with CART."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from odt_core.cart import cart_feature_selection, fit_cart, load_cart
from odt_core.data import Prepared, Table, prepare
from odt_core.problem import Problem
from odt_core.solution import Engine, Found, Solution, Status, make_solution
from odt_core.topology import AnyShape, Topology
from odt_core.training.hooks import SILENT, Hooks, Stage
from odt_core.training.result import TrainedTree, TrainResult
from odt_core.training.spec import FeatureSelection, TrainSpec
from odt_core.tree import Tree

if TYPE_CHECKING:
    from odt_core.cart.process import CartProcess
    from odt_core.solvers.sizes import SizePoint

SMALLEST = Topology.parse("depth-1")
NOT_RUN = "The integer program was not run: it solves one shape, and this answer covers all."


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


def run_training(
    table: Table, spec: TrainSpec, hooks: Hooks = SILENT, cart_process: CartProcess | None = None
) -> TrainResult:
    """Train a tree, test it, and compare it with CART.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The specification.
    hooks : Hooks
        Called while the run prepares, solves and finishes.
    cart_process : CartProcess, optional
        A process that fits CART. By default a thread of this process does it.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount gives other numbers than a solver.
    """
    hooks.on_stage(Stage.PREPARING)
    # CART runs beside the solve, so that it is ready even if the solve is stopped. Its library is
    # loaded while the rows are prepared.
    beside = ThreadPoolExecutor(1, thread_name_prefix="odt-cart")
    fit = fit_cart if cart_process is None else cart_process.fit
    if cart_process is None:
        beside.submit(load_cart)
    run = _TrainingRun(table, spec, hooks)
    run.prepared.train.merged()  # computed once for the solve and for CART
    hooks.on_stage(Stage.SOLVING)
    with beside:
        run.cart = beside.submit(fit_peer, run.prepared, spec, fit)
        found = run.solve()
        hooks.on_stage(Stage.FINISHING)
        return run.result(*found)


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
    run = _TrainingRun(table, spec, weight=weight)
    return TrainedTree(**run.facts(*run.solve()))


class _TrainingRun:
    """A training run. The constructor prepares the rows."""

    cart: Future[Tree]
    """Fits the tree to compare with. A run without a comparison has none."""

    def __init__(
        self,
        table: Table,
        spec: TrainSpec,
        hooks: Hooks = SILENT,
        weight: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.began = time.perf_counter()
        self.table, self.spec, self.hooks = table, spec, hooks
        self.prepared = prepare(table, spec.schema, spec.split, weight)
        self.problem = build_problem(self.prepared, spec)
        self.seconds_prepare = time.perf_counter() - self.began

    def solve(self) -> tuple[Problem, Solution]:
        """Find the best tree and its problem. Meanwhile, report the results of better trees."""
        # imported here because processes that serve pages never solve
        from odt_core.solvers import solve
        from odt_core.solvers.sizes import solve_sizes

        problem, spec, hooks = self.problem, self.spec, self.hooks

        def on_found(found: Found) -> None:
            hooks.report(lambda: self._result_of(found), bool(found.proved_by))

        def on_points(points: tuple[SizePoint, ...]) -> None:
            best, solution = points[-1], points[-1].solution
            if solution.tree is not None:
                is_proved = solution.status is Status.OPTIMAL
                hooks.report(lambda: self.result(best.problem, solution), is_proved)

        control = hooks.control(spec, problem, on_found)
        if not isinstance(spec.topology, AnyShape):
            options = spec.mip
            return problem, solve(problem, engine=spec.engine, control=control, mip_options=options)
        best = solve_sizes(
            problem,
            spec.topology.most_questions,
            control,
            every=False,
            engine=spec.engine,
            on_points=on_points,
        )[-1]
        if spec.engine is not Engine.HYBRID:
            return best.problem, best.solution
        return best.problem, dataclasses.replace(best.solution, remark=NOT_RUN)

    def _result_of(self, found: Found) -> TrainResult:
        """The result if the solve ended with this tree."""
        solution = make_solution(
            self.problem,
            engine=self.spec.engine,
            assignment=found.assignment,
            claimed_total=None,
            bound=found.bound,
            provers=found.proved_by,
            seconds=found.seconds,
        )
        return self.result(self.problem, solution)

    def result(self, problem: Problem, solution: Solution) -> TrainResult:
        """The result with this solution."""
        return TrainResult(cart=self.cart.result(), **self.facts(problem, solution))

    def facts(self, problem: Problem, solution: Solution) -> dict[str, Any]:
        """The fields of a `TrainedTree` with this solution."""
        return {
            "table_sha256": self.table.sha256,
            "table_name": self.table.name,
            "spec": self.spec,
            "prepared": self.prepared,
            "problem": problem,
            "solution": solution,
            "seconds_prepare": self.seconds_prepare,
            "seconds_total": time.perf_counter() - self.began,
        }
