"""CBC and HiGHS on random small problems against brute force, under every switch of the program."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import mip
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from odt_core.errors import DisagreementError
from odt_core.problem import (
    EncodedData,
    Feature,
    FeatureKind,
    Goal,
    Objective,
    Problem,
    SmallestLeaf,
    Split,
)
from odt_core.solution import Assignment, Engine, Solution, Status
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.solvers.mip import formulation as formulation_module
from odt_core.solvers.mip.formulation import Draft, Formulation, formulate
from odt_core.solvers.mip.loading import answer_of, load
from odt_core.solvers.mip.messages import Answer, MipStatus
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.points import assignment_of, point_of
from odt_core.solvers.mip.program import Floats, Program, Sense
from odt_core.solvers.mip.run import solve_mip
from odt_core.topology import Topology
from tests.examples import blocks, examples, some
from tests.properties.referee import (
    best_value,
    is_legal,
    keeps_smallest_leaf,
    questions,
    tally,
    value,
)
from tests.properties.strategies import (
    DEEP_TOPOLOGIES,
    SMALL_TOPOLOGIES,
    TOPOLOGIES,
    problems,
    random_problem,
)

COMBINATIONS = [MipOptions(*switches) for switches in product((True, False), repeat=6)]
FEW_ROWS = (12, 20)
"""Least and largest number of rows where all combinations are solved, which CBC does in no time.

Hypothesis makes larger problems, and so does ``make soak``.
"""
LIMIT = 60.0
PLAIN = Objective()
FLOOR = Objective(Goal.MAX_TPR, min_tnr=Fraction(4, 5))


def assert_true(problem: Problem, solution: Solution) -> None:
    """All claims of the solution are true, and a proved value is the referee's optimum."""
    best = best_value(problem)
    if solution.status is Status.INFEASIBLE:
        assert best is None
        return
    assert best is not None
    assert solution.value_bound is not None and solution.value_bound >= best
    if solution.assignment is None:
        return
    splits, labels = solution.assignment.splits, solution.assignment.labels
    assert is_legal(problem, splits, labels) and keeps_smallest_leaf(problem, splits)
    tp, tn = tally(problem, splits, labels)
    assert solution.confusion is not None
    assert (tp, tn) == (solution.confusion.tp, solution.confusion.tn)
    assert value(problem, tp, tn) == solution.value <= best
    if solution.status is Status.OPTIMAL:
        assert solution.value == best


def assert_proved(problem: Problem, solution: Solution) -> None:
    """The solver came to an end, and was right."""
    assert_true(problem, solution)
    assert solution.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert solution.proved_by == (str(solution.engine),)


def name_of(options: MipOptions) -> str:
    return "+".join(name for name, on in vars(options).items() if on) or "nothing"


def is_odd(options: MipOptions) -> bool:
    """Whether it has an odd number of switches on; half of all combinations have.

    Any five switches have all their combinations in this half, and in the other.
    """
    return sum(vars(options).values()) % 2 == 1


@pytest.mark.parametrize("first", some([0, 1000], always=1))
@pytest.mark.parametrize("options", COMBINATIONS, ids=name_of)
def test_cbc_finds_the_optimum_under_every_combination_of_switches(
    options: MipOptions, first: int
) -> None:
    seed = first + COMBINATIONS.index(options)
    problem = random_problem(seed, topologies=SMALL_TOPOLOGIES, n_rows=FEW_ROWS)
    assert_proved(
        problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT), mip_options=options)
    )


@pytest.mark.parametrize(
    "options", some(sorted(COMBINATIONS, key=is_odd), always=32, name_of=name_of)
)
def test_cbc_keeps_the_smallest_leaf_under_every_combination_of_switches(
    options: MipOptions,
) -> None:
    seed = 7100 + COMBINATIONS.index(options)
    problem = random_problem(seed, topologies=SMALL_TOPOLOGIES, smallest_leaf=True, n_rows=FEW_ROWS)
    assert_proved(
        problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT), mip_options=options)
    )


@pytest.mark.parametrize("options", COMBINATIONS[::5], ids=name_of)
def test_highs_keeps_the_smallest_leaf_too(options: MipOptions) -> None:
    seed = 7200 + COMBINATIONS.index(options)
    problem = random_problem(seed, topologies=SMALL_TOPOLOGIES, smallest_leaf=True, n_rows=FEW_ROWS)
    assert_proved(
        problem, solve(problem, engine=Engine.HIGHS, control=Control(LIMIT), mip_options=options)
    )


@pytest.mark.parametrize("options", COMBINATIONS[::5], ids=name_of)
def test_highs_finds_the_optimum_too(options: MipOptions) -> None:
    seed = 2000 + COMBINATIONS.index(options)
    problem = random_problem(seed, topologies=SMALL_TOPOLOGIES, n_rows=FEW_ROWS)
    assert_proved(
        problem, solve(problem, engine=Engine.HIGHS, control=Control(LIMIT), mip_options=options)
    )


@pytest.mark.parametrize("topology", TOPOLOGIES + DEEP_TOPOLOGIES, ids=lambda shape: shape.text)
def test_every_shape(topology: Topology) -> None:
    """A search of few questions and little time: its claims are true; small problems are proved."""
    seed = 3000 + TOPOLOGIES.index(topology) if topology in TOPOLOGIES else 3100
    problem = random_problem(seed, deep=True, topologies=[topology])
    is_small = topology.n_nodes <= 3
    solution = solve(problem, engine=Engine.CBC, control=Control(LIMIT if is_small else 1.0))
    assert_true(problem, solution)
    if is_small:
        assert solution.status in (Status.OPTIMAL, Status.INFEASIBLE)


@examples(10, suppress_health_check=list(HealthCheck))
@given(problems(topologies=SMALL_TOPOLOGIES), st.sampled_from(COMBINATIONS))
def test_cbc_on_problems_that_hypothesis_makes(problem: Problem, options: MipOptions) -> None:
    assert_proved(
        problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT), mip_options=options)
    )


def largest_violation(program: Program, x: Floats) -> float:
    """The largest violation of a bound, row or integrality at a point; 0 if it is feasible."""
    row = np.repeat(np.arange(program.n_rows), np.diff(program.starts))
    entries = program.coefficients * x[program.columns]
    slack = np.bincount(row, entries, minlength=program.n_rows) - program.rhs
    senses = np.array(program.senses)
    broken = np.concatenate(
        [
            program.lower - x,
            x - program.upper,
            np.abs(x - np.round(x))[program.integer],
            slack[senses == Sense.LESS],
            -slack[senses == Sense.GREATER],
            np.abs(slack[senses == Sense.EQUAL]),
        ]
    )
    return max(float(broken.max()), 0.0)


@examples(100, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(problems(), problems(smallest_leaf=True)),
    st.sampled_from(COMBINATIONS),
    st.randoms(use_true_random=False),
)
def test_every_tree_is_a_point_of_the_program_and_comes_back_from_it(
    problem: Problem, options: MipOptions, random: Random
) -> None:
    tree = random_tree(problem, random)
    formulation = formulate(problem, options)
    point = point_of(formulation, tree)
    tp, tn = tally(problem, tree.splits, tree.labels)
    gains = problem.gains
    meets_floors = tp >= gains.min_tp and tn >= gains.min_tn
    is_allowed = meets_floors and keeps_smallest_leaf(problem, tree.splits)
    assert (largest_violation(formulation.program, point) == 0) is is_allowed
    total = gains.gain_tp * tp + gains.gain_tn * tn
    assert formulation.total_of(float(formulation.program.cost @ point)) == total

    back = assignment_of(formulation, point)
    assert is_legal(problem, back.splits, back.labels)
    tp_back, tn_back = tally(problem, back.splits, back.labels)
    relabelled = bool(formulation.draft.u) and formulation.draft.u_is_continuous
    if relabelled:
        assert gains.gain_tp * tp_back + gains.gain_tn * tn_back >= total
    else:
        assert (tp_back, tn_back) == (tp, tn)


def random_tree(problem: Problem, random: Random) -> Assignment:
    splits = []
    for node in range(problem.topology.n_nodes):
        feature, left = random.choice(sorted(questions(problem, node), key=str))
        splits.append(Split(feature, left))
    labels = []
    for leaf in range(problem.topology.n_leaves):
        fixed = problem.fixed_label(leaf)
        labels.append(random.random() < 0.5 if fixed is None else fixed)
    return Assignment(tuple(splits), tuple(labels))


def solve_fixed_to(formulation: Formulation, tree: Assignment) -> Answer:
    """What CBC says of the program with v, z and labels fixed to a tree."""
    draft, point = formulation.draft, point_of(formulation, tree)
    model, variables = load(formulation.program, mip.CBC)
    for column in [*draft.v.ravel(), *draft.z.ravel(), *draft.u.values()]:
        variables[column].lb = variables[column].ub = point[column]
    model.verbose = 0
    return answer_of(model, variables, model.optimize(max_seconds=LIMIT))


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_program_fixed_to_a_tree_is_worth_what_the_tree_is(
    seed: int, smallest_leaf: bool
) -> None:
    problem = random_problem(4000 + seed, smallest_leaf=smallest_leaf)
    tree = random_tree(problem, Random(seed))
    tp, tn = tally(problem, tree.splits, tree.labels)
    gains = problem.gains
    formulation = formulate(problem, COMBINATIONS[seed * 5])
    answer = solve_fixed_to(formulation, tree)
    keeps = keeps_smallest_leaf(problem, tree.splits)
    if tp < gains.min_tp or tn < gains.min_tn or not keeps:
        assert answer.status is MipStatus.INFEASIBLE
        return
    assert answer.status is MipStatus.OPTIMAL and answer.objective is not None
    total = gains.gain_tp * tp + gains.gain_tn * tn
    assert formulation.total_of(answer.objective) == pytest.approx(total)


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seed", some(range(6), always=3))
def test_a_start_and_a_proved_bound_leave_the_optimum_as_it_is(
    seed: int, smallest_leaf: bool
) -> None:
    problem = random_problem(5000 + seed, topologies=SMALL_TOPOLOGIES, smallest_leaf=smallest_leaf)
    alone = solve_mip(problem, Engine.CBC, control=Control(LIMIT))
    if alone.status is MipStatus.INFEASIBLE:
        assert best_value(problem) is None
        return
    confirmed = solve_mip(
        problem,
        Engine.CBC,
        start=alone.assignment,
        proved_bound=alone.bound,
        control=Control(LIMIT),
    )
    assert confirmed.status is MipStatus.OPTIMAL
    assert confirmed.start_taken
    assert confirmed.total == confirmed.claimed_total == alone.total


@pytest.mark.parametrize("engine", [Engine.CBC, Engine.HIGHS])
@pytest.mark.parametrize("time_limit", [0.05, 0.4])
@pytest.mark.parametrize("seeds", blocks(6000, 2, 2))
def test_stopped_early_the_bound_is_above_the_optimum_and_the_tree_below(
    engine: Engine, time_limit: float, seeds: range
) -> None:
    for seed in seeds:
        problem = random_problem(seed)
        assert_true(problem, solve(problem, engine=engine, control=Control(time_limit)))


# ---- sums that a solver's tolerances blur ----


def heavy(seed: int) -> Problem:
    """Rows that weigh millions, and a floor on TNR that some tree misses by a single one."""
    random = Random(seed)
    size = 10 ** random.randint(6, 11)
    features = tuple(Feature(f"c{g}", FeatureKind.CATEGORICAL, tuple("abcd")) for g in range(2))
    n = random.randint(4, 10)
    codes = np.array([[random.randrange(4) for _ in features] for _ in range(n)], dtype=np.int32)
    y = np.array([i % 2 == 0 for i in range(n)])
    weight = np.array([size + random.randint(0, 3) for _ in range(n)], dtype=np.int64)
    shape = Topology.parse(random.choice(("depth-1", "(. (. .))")))
    data = EncodedData(codes, y, weight, features)
    plain = Problem(data, shape)
    if random.random() < 0.3:
        return plain
    lightest = int(weight[~y].min())
    tn = random.choice((lightest, data.n_negative - lightest)) + 1
    floor = Fraction(tn, data.n_negative)
    return Problem(data, shape, Objective(Goal.MAX_TPR, min_tnr=floor))


def optimum(problem: Problem) -> Fraction:
    """The optimum by trying every tree: with heavy rows the referee's tables would be too long."""
    sides: dict[tuple[bool, ...], Split] = {}
    for g, left in questions(problem, 0):
        members = np.isin(problem.data.codes[:, g], sorted(left))
        sides.setdefault(tuple(members.tolist()), Split(g, frozenset(left)))
    fixed = [problem.fixed_label(leaf) for leaf in range(problem.topology.n_leaves)]
    labellings = [(True, False) if label is None else (label,) for label in fixed]
    least = (problem.objective.min_tnr or 0) * problem.data.n_negative
    trees = product(product(sides.values(), repeat=problem.topology.n_nodes), product(*labellings))
    tables = (tally(problem, splits, labels) for splits, labels in trees)
    return max(value(problem, tp, tn) for tp, tn in tables if tn >= least)


@pytest.mark.parametrize("engine", [Engine.CBC, Engine.HIGHS])
@pytest.mark.parametrize("seeds", blocks(0, 12, 2))
def test_what_a_solver_cannot_count_is_neither_a_proof_nor_an_error(
    engine: Engine, seeds: range
) -> None:
    blurred = 0
    for seed in seeds:
        problem = heavy(seed)
        solution = solve(problem, engine=engine, control=Control(LIMIT))
        assert solution.mip is not None
        assert solution.value is not None and solution.value_bound is not None
        assert solution.value <= optimum(problem) <= solution.value_bound
        if solution.mip.is_blurred:
            blurred += 1
            assert solution.status is Status.FEASIBLE
            assert solution.proved_by == () and "but the exact search can" in solution.remark
    assert blurred > 0


# ---- where the paper's relaxation fails (docs/method.md) ----


def coin_flips(
    seed: int, sizes: list[int] | None, objective: Objective = PLAIN, max_card: int | None = None
) -> Problem:
    """Categorical features (three of 3-5 values if no sizes are given) and random classes."""
    random = Random(seed)
    n = random.choice((24, 30, 36))
    sizes = sizes or [random.randint(3, 5) for _ in range(3)]
    features = tuple(
        Feature(f"c{g}", FeatureKind.CATEGORICAL, tuple("abcdef"[:size]))
        for g, size in enumerate(sizes)
    )
    codes = np.array([[random.randrange(size) for size in sizes] for _ in range(n)], dtype=np.int32)
    y = np.array([random.random() < 0.5 for _ in range(n)])
    data = EncodedData(codes, y, np.ones(n, dtype=np.int64), features)
    return Problem(data, Topology.parse("depth-2"), objective, max_card)


def thresholds(seed: int) -> Problem:
    """Two numerical features of six bins and random classes."""
    random = Random(seed)
    cuts = tuple(float(cut) for cut in range(5))
    features = tuple(
        Feature(f"n{g}", FeatureKind.NUMERICAL, tuple("abcdef"), cuts) for g in range(2)
    )
    codes = np.array([[random.randrange(6) for _ in range(2)] for _ in range(30)], dtype=np.int32)
    y = np.array([random.random() < 0.5 for _ in range(30)])
    data = EncodedData(codes, y, np.ones(30, dtype=np.int64), features)
    return Problem(data, Topology.parse("depth-2"))


@pytest.fixture
def paper_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proposition 3 as printed: z is continuous at all leaf-adjacent nodes."""
    monkeypatch.setattr(
        Draft, "z_is_continuous", lambda self, k: self.relaxes and self.topology.touches_leaf(k)
    )


@pytest.fixture
def paper_max_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of section 4.5 as printed: they do not scale with v."""

    def max_card(draft: Draft) -> None:
        m = draft.problem.max_card
        assert m is not None
        for k, g in draft.groups_with_w():
            z = draft.values(k, g)
            q, columns = len(z) - m, np.append(z, draft.w[k, g])[None]
            entries = np.append(np.ones(len(z)), q)
            draft.builder.add_rows([f"most_{k}_{g}"], columns, entries, Sense.LESS, m + q)
            draft.builder.add_rows([f"least_{k}_{g}"], columns, entries, Sense.GREATER, q)

    monkeypatch.setattr(formulation_module, "max_card", max_card)


@pytest.fixture
def paper_numerical(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of section 4.4 as printed, with z and w continuous."""
    monkeypatch.setattr(Draft, "z_has_parts", lambda self, k, g: False)


FLOORED = some([0, 3, 6, 15, 16], always=2)
SMALL_LEAVES = some([1, 4, 7], always=2)
CAPPED = some([4, 6, 9, 10], always=2)
ORDERED = some([1, 2, 3], always=2)


@pytest.mark.parametrize("seed", FLOORED)
def test_with_a_floor_the_paper_relaxation_is_caught(seed: int, paper_relaxation: None) -> None:
    with pytest.raises(DisagreementError):
        solve_mip(coin_flips(seed, None, FLOOR), Engine.CBC, control=Control(LIMIT))


@pytest.mark.parametrize("seed", FLOORED)
def test_with_a_floor_ours_is_right(seed: int) -> None:
    problem = coin_flips(seed, None, FLOOR)
    assert_proved(problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT)))


def with_smallest_leaf(seed: int) -> Problem:
    return replace(coin_flips(seed, None), smallest_leaf=SmallestLeaf(5))


@pytest.mark.parametrize("seed", SMALL_LEAVES)
def test_with_a_smallest_leaf_the_paper_relaxation_is_caught(
    seed: int, paper_relaxation: None
) -> None:
    with pytest.raises(DisagreementError):
        solve_mip(with_smallest_leaf(seed), Engine.CBC, control=Control(LIMIT))


@pytest.mark.parametrize("seed", SMALL_LEAVES)
def test_with_a_smallest_leaf_ours_is_right(seed: int) -> None:
    problem = with_smallest_leaf(seed)
    assert_proved(problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT)))


@pytest.mark.parametrize("seed", CAPPED)
def test_the_paper_max_card_rows_are_caught(seed: int, paper_max_card: None) -> None:
    with pytest.raises(DisagreementError):
        solve_mip(coin_flips(seed, [6, 6], max_card=1), Engine.CBC, control=Control(LIMIT))


@pytest.mark.parametrize("seed", CAPPED)
def test_our_max_card_rows_are_right(seed: int) -> None:
    problem = coin_flips(seed, [6, 6], max_card=1)
    assert_proved(problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT)))


@pytest.mark.parametrize("seed", ORDERED)
def test_the_paper_numerical_rows_need_binary_w(seed: int, paper_numerical: None) -> None:
    with pytest.raises(DisagreementError):
        solve_mip(thresholds(seed), Engine.CBC, control=Control(LIMIT))


@pytest.mark.parametrize("seed", ORDERED)
def test_our_numerical_rows_are_right_with_continuous_w(seed: int) -> None:
    problem = thresholds(seed)
    assert_proved(problem, solve(problem, engine=Engine.CBC, control=Control(LIMIT)))


# ---- more of the same, behind make soak ----


@pytest.mark.soak
@pytest.mark.parametrize("engine", [Engine.CBC, Engine.HIGHS])
@pytest.mark.parametrize("block", range(20))
def test_many_random_problems(engine: Engine, block: int) -> None:
    for seed in range(10_000 + 50 * block, 10_050 + 50 * block):
        problem = random_problem(seed, smallest_leaf=seed % 3 == 0)
        options = COMBINATIONS[seed % len(COMBINATIONS)]
        solution = solve(problem, engine=engine, control=Control(LIMIT), mip_options=options)
        assert_true(problem, solution)
