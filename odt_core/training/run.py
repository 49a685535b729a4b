"""Run a training specification: prepare, select features, solve, test, compare with CART."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from odt_core.data import Prepared, Table, prepare
from odt_core.evaluation import cart_feature_selection, fit_cart
from odt_core.problem import Problem
from odt_core.solution import Found, Solution, TracePoint, make_solution
from odt_core.training.progress import Stage
from odt_core.training.result import TrainResult
from odt_core.training.spec import FeatureSelection, TrainSpec
from odt_core.tree import Tree


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
    forbidden, which is what the paper's v = 0 does (section 5.1).

    Raises
    ------
    InputError
        If a cap, floor or rule does not fit the data.
    """
    train = prepared.train
    selected = select_features(prepared, spec)
    return Problem(
        data=train,
        topology=spec.topology,
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


@dataclass(frozen=True, eq=False)
class BestSoFar:
    """The best tree of a training run that goes on.

    Attributes
    ----------
    is_proved : bool
        Whether no tree is better, so that what follows only confirms it.
    result : callable
        What the run would bring if it ended now, counted in full, which takes a moment.
    """

    is_proved: bool
    result: Callable[[], TrainResult]


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

    def result_of(solution: Solution) -> TrainResult:
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

    # CART beside the solve: nobody waits for it, and it is there when a solve is stopped.
    with ThreadPoolExecutor(1, thread_name_prefix="odt-cart") as beside:
        cart = beside.submit(fit_peer, prepared, spec)
        solution = solve(
            problem,
            engine=spec.engine,
            time_limit=spec.time_limit,
            threads=spec.threads,
            seed=spec.seed,
            on_progress=None if on_progress is None else lambda point: on_progress(problem, point),
            on_found=None if on_best is None else lambda found: on_best(best_so_far(found)),
            should_stop=should_stop,
            mip_options=spec.mip,
        )
        tell(Stage.FINISHING)
        return result_of(solution)
