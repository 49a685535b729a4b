"""Known optima, adversarial inputs, limits and progress of the exact search."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from odt_core.data import SAMPLES, SplitSpec, prepare
from odt_core.errors import InputError
from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solution import Engine, Seconds, TracePoint, make_solution
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.search import frontier, solve_search, warm_up
from odt_core.solvers.search.columns import encode
from odt_core.solvers.search.subsets import Sides, Wanted, walk
from odt_core.solvers.search.subtrees import Subtree
from odt_core.topology import PRESETS, Topology
from tests.cpu import cpu_seconds

PATIENCE = 120.0
"""Seconds for what takes two on an idle machine."""


def make_problem(
    sizes: list[int],
    n: int,
    topology: str,
    *,
    seed: int = 0,
    numerical: bool = False,
    weight: int = 1,
    labels: np.ndarray | None = None,
    objective: Objective | None = None,
    max_card: int | None = None,
) -> Problem:
    """Random rows over features of the given numbers of values."""
    generator = np.random.default_rng(seed)
    codes = np.column_stack([generator.integers(0, size, n) for size in sizes]).astype(np.int32)
    y = generator.random(n) < 0.5 if labels is None else labels
    features = tuple(
        Feature(
            f"f{g}",
            FeatureKind.NUMERICAL if numerical else FeatureKind.CATEGORICAL,
            tuple(f"v{v}" for v in range(size)),
            tuple(float(v) + 0.5 for v in range(size - 1)) if numerical else (),
        )
        for g, size in enumerate(sizes)
    )
    data = EncodedData(codes, y, np.full(n, weight, np.int64), features)
    return Problem(data, Topology.parse(topology), objective or Objective(), max_card)


def solved_errors(problem: Problem, control: Control = DEFAULT_CONTROL) -> int:
    """Errors of the tree, after the usual recount."""
    outcome = solve_search(problem, control)
    solution = make_solution(
        problem,
        engine=Engine.SEARCH,
        assignment=outcome.assignment,
        claimed_total=outcome.total,
        bound=outcome.bound,
        seconds=Seconds(outcome.seconds),
    )
    assert outcome.proved
    assert solution.confusion is not None
    return solution.confusion.errors


@pytest.mark.parametrize("max_card", [None, 1, 2])
@pytest.mark.parametrize(
    ("name", "topology", "errors"),
    [
        ("tic-tac-toe", "depth-2", 282),
        ("tic-tac-toe", "depth-2.5", 231),
        ("tic-tac-toe", "depth-3", 216),
        ("tic-tac-toe", "imbalanced", 182),  # the paper's: as many nodes as depth-3
        ("tic-tac-toe", "((((. .)(. .))((. .)(. .)))(. .))", 173),  # depth-3 below a root
        ("monks-1", "depth-2", 96),
        ("monks-1", "depth-3", 48),
        ("monks-1", "imbalanced", 0),
    ],
)
def test_known_optima(name: str, topology: str, errors: int, max_card: int | None) -> None:
    """Two of the paper's sets, which the samples hold row for row (see `test_samples.py`)."""
    sample = SAMPLES[name]
    train = prepare(sample.load(), sample.schema(), SplitSpec("all")).train
    problem = Problem(train, Topology.parse(topology), max_card=max_card)
    assert solved_errors(problem) == errors


@pytest.mark.parametrize("topology", sorted(PRESETS))
def test_identical_rows_with_contradictory_labels(topology: str) -> None:
    labels = np.arange(30) < 12
    problem = make_problem([1, 1], 30, topology, labels=labels)
    assert solved_errors(problem) == 12


@pytest.mark.parametrize("topology", sorted(PRESETS))
@pytest.mark.parametrize("positive", [False, True])
def test_one_row_and_one_class(topology: str, positive: bool) -> None:
    assert solved_errors(make_problem([3], 1, topology, labels=np.array([positive]))) == 0
    assert solved_errors(make_problem([3, 4], 9, topology, labels=np.full(9, positive))) == 0


def test_fifteen_nodes_for_three_rows() -> None:
    labels = np.array([True, False, True])
    assert solved_errors(make_problem([3, 2], 3, "depth-4", seed=3, labels=labels)) <= 1


@pytest.mark.parametrize("max_card", [None, 1, 2, 3])
def test_a_thousand_categories(max_card: int | None) -> None:
    problem = make_problem([1000, 2], 1500, "depth-2", max_card=max_card)
    outcome = solve_search(problem, Control(1.5))
    assert outcome.total is not None
    assert outcome.bound >= outcome.total


def test_a_thousand_bins() -> None:
    problem = make_problem([1000, 5], 1500, "depth-2", numerical=True)
    errors = solved_errors(problem)
    assert errors <= min(problem.data.n_positive, problem.data.n_negative)


@pytest.mark.parametrize(
    "weight",
    [2**24 // 41, 2**24 // 40 + 1, 2**30],
)
def test_weights_of_any_size(weight: int) -> None:
    small = make_problem([4, 3, 3], 40, "depth-3", seed=5)
    rows = np.random.default_rng(1).integers(0, 2, 40)
    heavy_weight = np.full(40, weight, np.int64) + rows
    data = EncodedData(small.data.codes, small.data.y, heavy_weight, small.data.features)
    heavy = Problem(data, small.topology)
    outcome = solve_search(heavy)
    assert outcome.proved
    make_solution(
        heavy,
        engine=Engine.SEARCH,
        assignment=outcome.assignment,
        claimed_total=outcome.total,
        bound=outcome.bound,
        seconds=Seconds(0.0),
    )


def test_weights_beyond_exact_arithmetic_are_refused() -> None:
    objective = Objective(class_weight=Fraction(10**15 + 1, 10**15))
    problem = make_problem([3, 3], 40, "depth-2", objective=objective)
    with pytest.raises(InputError, match="class-weight"):
        solve_search(problem)


@pytest.fixture(scope="module")
def kernels() -> None:
    """Compile once, so that NumPy's time is not measured."""
    warm_up()


@pytest.fixture
def hard(kernels: None) -> Problem:
    """A problem that takes much longer than a few seconds."""
    return make_problem([30] * 12, 3000, "depth-4", seed=4)


@pytest.fixture
def hard_with_floor(kernels: None) -> Problem:
    objective = Objective(Goal.MAX_TPR, min_tnr=Fraction(9, 10))
    return make_problem([30] * 8, 1500, "depth-3", seed=4, objective=objective)


@pytest.mark.parametrize("which", ["hard", "hard_with_floor"])
def test_the_time_limit_is_kept(which: str, request: pytest.FixtureRequest) -> None:
    problem = request.getfixturevalue(which)
    solve_search(problem, Control(0.5))  # kernels and memory are there from here on
    worked = cpu_seconds()
    outcome = solve_search(problem, Control(1.0))
    assert cpu_seconds() - worked < 1.3
    assert not outcome.proved and not outcome.cancelled
    # A slow machine may not come to a tree that meets the floor.
    assert outcome.total is not None or which == "hard_with_floor"
    assert outcome.total is None or outcome.total < outcome.bound


@pytest.mark.parametrize("which", ["hard", "hard_with_floor"])
def test_progress_and_bounds(which: str, request: pytest.FixtureRequest) -> None:
    problem = request.getfixturevalue(which)
    points: list[TracePoint] = []
    began = cpu_seconds()
    outcome = solve_search(
        problem,
        Control(
            PATIENCE,
            on_progress=points.append,
            should_stop=lambda: len(points) >= 4 and cpu_seconds() - began > 1.5,
        ),
    )
    assert len(points) >= 4, "it says how far it is"
    assert outcome.cancelled and not outcome.proved
    assert outcome.total is not None
    assert outcome.total < outcome.bound
    bounds = [point.bound for point in points if point.bound is not None]
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize("which", ["hard", "hard_with_floor"])
def test_stop_request(which: str, request: pytest.FixtureRequest) -> None:
    """The search asks often for a stop, ends at once, and keeps its tree."""
    problem = request.getfixturevalue(which)
    solve_search(problem, Control(0.01))
    looks: list[float] = []

    def is_wanted() -> bool:
        looks.append(cpu_seconds())
        return looks[-1] - looks[0] > 1.0

    outcome = solve_search(problem, Control(PATIENCE, should_stop=is_wanted))
    assert max(after - before for before, after in pairwise([*looks, cpu_seconds()])) < 0.3
    assert outcome.cancelled
    assert not outcome.proved
    assert outcome.assignment is not None


def test_floor_that_no_tree_meets_is_proved_infeasible() -> None:
    both = Objective(min_tpr=Fraction(1), min_tnr=Fraction(1))
    problem = make_problem([2], 30, "depth-2", objective=both)
    outcome = solve_search(problem)
    assert outcome.infeasible
    assert outcome.proved
    assert outcome.assignment is None


def test_frontier_ends_in_both_corners() -> None:
    problem = make_problem([4, 3, 3], 60, "depth-2", seed=6)
    points = frontier(problem).points
    assert points[0].fn == 0
    assert points[-1].fp == 0


@pytest.mark.parametrize("topology", PRESETS)
@pytest.mark.parametrize("threads", [1, 2])
def test_features_of_one_value_leave_nothing_to_ask(topology: str, threads: int) -> None:
    problem = make_problem([1, 1], 30, topology, seed=1)
    assert solved_errors(problem, Control(threads=threads)) == min(
        problem.data.n_positive, problem.data.n_negative
    )


def test_the_time_limit_is_kept_where_fronts_are_long(kernels: None) -> None:
    """Few rows that weigh much: putting two fronts together takes seconds."""
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(0))
    problem = make_problem([2], 12, "imbalanced", weight=100_000, objective=objective)
    solve_search(problem, Control(1.0))  # kernels and memory are there from here on
    worked = cpu_seconds()
    outcome = solve_search(problem, Control(1.0))
    assert cpu_seconds() - worked < 1.6
    assert outcome.total is not None and outcome.total <= outcome.bound


def test_a_frontier_that_walks_over_many_subsets_ends_in_time(kernels: None) -> None:
    """There are 2^40 subsets. Without a look at the time it would not end."""
    outcome = frontier(make_problem([40, 40], 500, "depth-2", seed=1), Control(1.0))
    assert outcome.points and not outcome.proved


def test_a_walk_ends_once_nothing_is_open() -> None:
    """A node that was open when it was put on the stack can be closed later."""
    encoding = encode(make_problem([6, 3], 60, "depth-3", seed=1))
    table, family = encoding.table, encoding.families[0]
    k = int(np.diff(table.start).argmax())
    q = int(table.start[k + 1] - table.start[k])
    taken: list[Subtree] = []
    wanted = Wanted(
        lambda cost: np.full(len(cost), not taken),
        lambda x, masks, own, rest: own,
        lambda nodes, split_of: taken.append(split_of(0)),
    )
    low = np.zeros(q)
    masks = table.bits[table.start[k] : table.start[k + 1]]
    walk(Sides(table, family, k, np.ones(q), masks, low, low), wanted)
    assert len(taken) == 1
    assert set(taken[0].members) <= set(range(table.start[k], table.start[k + 1]))


def test_labels_that_no_feature_tells_apart_cost_half_of_the_rows() -> None:
    """The only feature is constant, and both labels are equally good."""
    constant = Feature("x", FeatureKind.CATEGORICAL, ("same",))
    data = EncodedData(
        np.zeros((6, 1), np.int32), np.arange(6) < 3, np.ones(6, np.int64), (constant,)
    )
    outcome = solve_search(Problem(data, Topology.parse("depth-3")))
    assert outcome.proved
    assert outcome.total == 3
