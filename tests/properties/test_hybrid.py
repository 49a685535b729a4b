"""The hybrid engine: both engines prove the referee's optimum; what happens when they cannot."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from odt_core.data import SAMPLES, SplitSpec, prepare
from odt_core.errors import DisagreementError, SolverError
from odt_core.problem import Problem
from odt_core.solution import Engine, MipRole, Solution, Status, TracePoint
from odt_core.solvers import hybrid, solve
from odt_core.solvers.control import Control
from odt_core.solvers.disagreement import problem_from_json, problem_to_json, reproduce
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.process import end_idle_child
from odt_core.solvers.mip.run import MipOutcome
from odt_core.solvers.mip.size import estimated_nonzeros
from odt_core.solvers.search import SearchOutcome, solve_search, warm_up
from odt_core.topology import Topology
from tests.cpu import cpu_seconds
from tests.examples import blocks
from tests.properties.referee import best_value, is_legal, keeps_smallest_leaf
from tests.properties.strategies import random_problem

ALWAYS = MipOptions(confirm_always=True)


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Compile once, so that the compiler's time is not measured."""
    warm_up()


def tic_tac_toe(shape: str, rows: int | str = "all") -> Problem:
    """Endgames, x wins being positive."""
    sample = SAMPLES["tic-tac-toe"]
    prepared = prepare(sample.load(), sample.schema(), SplitSpec(rows, seed=0))  # type: ignore[arg-type]
    return Problem(prepared.train, Topology.parse(shape))


def is_sound(problem: Problem, solution: Solution) -> None:
    """Proved, by both engines, at the referee's value."""
    best = best_value(problem)
    if best is None:
        assert solution.status is Status.INFEASIBLE
        return
    assert solution.status is Status.OPTIMAL
    assert solution.value == solution.value_bound == best
    assert solution.assignment is not None
    assert is_legal(problem, solution.assignment.splits, solution.assignment.labels)
    assert keeps_smallest_leaf(problem, solution.assignment.splits)


@pytest.mark.parametrize("seeds", blocks(50_000, 15, 4))
def test_both_engines_prove_the_optimum(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, smallest_leaf=seed % 2 == 0)
        solution = solve(problem, engine=Engine.HYBRID, control=Control(60), mip_options=ALWAYS)
        is_sound(problem, solution)
        assert solution.proved_by == ("search", "cbc"), seed
        assert solution.mip is not None and solution.mip.role is MipRole.CONFIRMED


@pytest.mark.parametrize("seed", range(8))
def test_cbc_is_not_asked_where_it_would_take_too_long(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hybrid, "MOST_TO_CONFIRM", 0)
    monkeypatch.setattr(hybrid, "solve_mip", dying)
    problem = random_problem(seed + 51_000)
    solution = solve(problem, engine=Engine.HYBRID)
    is_sound(problem, solution)
    assert solution.proved_by == ("search",) and solution.mip is None
    assert solution.remark == (
        f"The integer program was not run: it has about {estimated_nonzeros(problem):,} entries "
        "and would take too long."
    )


@pytest.mark.parametrize("seed", range(8))
def test_cbc_confirms_at_any_length_where_that_is_wanted(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hybrid, "MOST_TO_CONFIRM", 0)
    problem = random_problem(seed + 51_000)
    solution = solve(problem, engine=Engine.HYBRID, control=Control(60), mip_options=ALWAYS)
    is_sound(problem, solution)
    assert solution.proved_by == ("search", "cbc") and not solution.remark


@pytest.mark.parametrize(("options", "seconds"), [(MipOptions(), 5), (ALWAYS, 55)])
def test_how_long_cbc_may_take_to_confirm(
    options: MipOptions, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def note(
        problem: Problem, engine: Engine, options: MipOptions, control: Control, **others: object
    ) -> MipOutcome:
        asked.append(control.time_limit)
        raise SolverError("Noted")

    monkeypatch.setattr(hybrid, "solve_mip", note)
    solve(random_problem(52_000, plain=True), control=Control(60), mip_options=options)
    assert asked == [pytest.approx(seconds, abs=5 if options.confirm_always else 0)]


def test_a_confirmation_that_comes_to_no_end_claims_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CBC has no time; the search's proof stands."""
    monkeypatch.setattr(hybrid, "CONFIRM_SECONDS", 0.01)
    solution = solve(tic_tac_toe("depth-2", 500), control=Control(60))
    assert solution.status is Status.OPTIMAL and solution.proved_by == ("search",)
    assert solution.mip is not None and solution.mip.role is MipRole.CONTINUED
    assert solution.remark == "CBC did not find a proof of its own in that time."


def test_a_program_too_large_to_build_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid, "MOST_TO_BUILD", 0)
    solution = solve(tic_tac_toe("depth-2"), mip_options=ALWAYS)
    assert solution.status is Status.OPTIMAL and solution.mip is None
    assert solution.remark == (
        "The integer program was not run: it has about 63,390 entries and cannot be built."
    )


def cut_short(problem: Problem, control: Control) -> SearchOutcome:
    """A search that had no time: its tree, but only the trivial bound."""
    found = solve_search(problem)
    assert found.total is not None
    return dataclasses.replace(found, bound=problem.data.n_rows, proved=False)


def test_cbc_goes_on_where_the_search_ran_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid, "solve_search", cut_short)
    problem = random_problem(52_000, plain=True)
    told: list[TracePoint] = []
    solution = solve(problem, engine=Engine.HYBRID, control=Control(60, on_progress=told.append))
    is_sound(problem, solution)
    assert solution.proved_by == ("cbc",)
    assert solution.mip is not None and solution.mip.role is MipRole.CONTINUED
    assert told


def too_high(problem: Problem, control: Control) -> SearchOutcome:
    """A search that claims a proof for a tree that is not the best."""
    found = solve_search(problem)
    assert found.assignment is not None and found.total is not None
    labels = tuple(found.assignment.labels)
    splits = tuple(
        dataclasses.replace(split, left=frozenset()) for split in found.assignment.splits
    )
    total = problem.data.n_positive
    worse = dataclasses.replace(found.assignment, splits=splits, labels=labels)
    assert total < found.total
    return dataclasses.replace(found, assignment=worse, total=total, bound=total, proved=True)


def test_a_disagreement_is_an_error_with_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """CBC cannot place the better tree under the wrong bound, so it is given no bound here."""
    monkeypatch.setenv("ODT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(hybrid, "solve_search", too_high)
    original = hybrid.solve_mip

    def without_bound(*arguments: object, **options: object) -> object:
        options |= {"proved_bound": None}
        return original(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(hybrid, "solve_mip", without_bound)
    with pytest.raises(DisagreementError, match="Two engines disagree") as caught:
        solve(tic_tac_toe("depth-1"), engine=Engine.HYBRID)
    (file,) = (tmp_path / "disagreements").iterdir()
    assert str(file) in str(caught.value)
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["search"] and record["mip"] and record["problem"]["topology"] == "(. .)"
    lines = reproduce(file).splitlines()
    assert lines[0] == record["reason"]
    assert lines[1] == "search answered: a tree worth 626"
    best = solve(tic_tac_toe("depth-1"), engine=Engine.SEARCH).total
    assert lines[-3:] == [
        f"{engine} alone: optimal, a tree worth {best}, at most {best}"
        for engine in ("search", "cbc", "highs")
    ]


def boasting(problem: Problem, *arguments: object, **options: object) -> MipOutcome:
    raise DisagreementError("CBC claims a tree of 7, but the tree it returned reaches 3")


def test_a_claim_of_cbcs_that_its_own_tree_belies_leaves_a_file_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ODT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(hybrid, "solve_mip", boasting)
    problem = tic_tac_toe("depth-2")
    with pytest.raises(DisagreementError, match="disagree: CBC claims a tree of 7.*To reproduce"):
        solve(problem, engine=Engine.HYBRID, mip_options=ALWAYS)
    (file,) = (tmp_path / "disagreements").iterdir()
    record = json.loads(file.read_text())
    assert record["reason"].startswith("CBC claims a tree of 7")
    assert record["search"] is not None and record["mip"] is None


def dying(problem: Problem, *arguments: object, **options: object) -> MipOutcome:
    raise SolverError("CBC was ended by signal SIGKILL")


@pytest.mark.parametrize("search", [solve_search, cut_short])
def test_where_cbc_dies_the_searchs_answer_stands(
    search: Callable[..., SearchOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """This happens if memory runs out: the system ends the process that takes most of it."""
    monkeypatch.setattr(hybrid, "solve_mip", dying)
    monkeypatch.setattr(hybrid, "solve_search", search)
    problem = tic_tac_toe("depth-2")
    solution = solve(problem, engine=Engine.HYBRID, mip_options=ALWAYS)
    assert solution.total == solve_search(problem).total
    proved = search is solve_search
    assert solution.status is (Status.OPTIMAL if proved else Status.FEASIBLE)
    assert solution.proved_by == (("search",) if proved else ())
    assert solution.remark == f"CBC was ended by signal SIGKILL: {hybrid.WITHOUT_CBC}"


@pytest.mark.parametrize("seed", range(20))
def test_the_file_of_a_disagreement_holds_the_whole_problem(seed: int) -> None:
    problem = random_problem(seed + 54_000, smallest_leaf=seed % 2 == 0)
    record = json.loads(json.dumps(problem_to_json(problem)))
    again = problem_from_json(record)
    assert problem_to_json(again) == record
    assert best_value(again) == best_value(problem)


@pytest.mark.parametrize("search", [solve_search, cut_short])
def test_progress_never_gets_worse(
    search: Callable[..., SearchOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBC begins with a trivial bound of its own, and on a clock of its own."""
    monkeypatch.setattr(hybrid, "solve_search", search)
    told: list[TracePoint] = []
    solution = solve(tic_tac_toe("depth-2", 120), control=Control(60, on_progress=told.append))
    assert solution.mip is not None
    for known in (told, solution.trace):
        for earlier, later in pairwise(known):
            assert earlier.seconds <= later.seconds
            assert earlier.bound is None or (later.bound or 0) <= earlier.bound
            assert earlier.incumbent is None or (later.incumbent or 0) >= earlier.incumbent


def test_stop_keeps_the_searchs_tree() -> None:
    problem = tic_tac_toe("imbalanced")
    end_idle_child()  # its own time would be counted when it ends
    worked = cpu_seconds()
    solution = solve(problem, engine=Engine.HYBRID, control=Control(should_stop=lambda: True))
    assert cpu_seconds() - worked < 5
    assert solution.tree is not None
    assert solution.status in (Status.CANCELLED, Status.OPTIMAL)
