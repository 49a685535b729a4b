"""The compiled primitives against their twins, and a search without a compiler or numba."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.processes import LockedFile
from odt_core.solvers.search import frontier, loader, solve_search, store, twins
from odt_core.solvers.search.columns import (
    PAIR,
    BaseTables,
    Encoding,
    encode,
    encode_fronts,
    may_want_sweeps,
    wants_sweeps,
)
from odt_core.solvers.search.loader import KERNELS, TWINS, Loader, folder
from odt_core.solvers.search.search import Search
from odt_core.solvers.search.store import BoundStore, Tables
from odt_core.topology import Topology
from tests.properties.strategies import random_problem

MANY = np.full(5, 1e9)
ROOT = Path(__file__).resolve().parents[3]


def without_kernels(code: str) -> str:
    """The output of a process that uses only twins."""
    environment = os.environ | {"ODT_COMPILED": "0"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=120,
    ).stdout  # fmt: skip


def test_a_search_without_a_compiler_imports_no_numba_and_proves() -> None:
    code = (
        "import sys\n"
        "from odt_core.solvers.search import solve_search\n"
        "from tests.properties.strategies import random_problem\n"
        "print([solve_search(random_problem(seed)).proved for seed in range(5)])\n"
        "print('numba' in sys.modules)\n"
    )
    assert without_kernels(code) == f"{[True] * 5}\nFalse\n"


def test_each_kernel_has_a_twin_or_is_a_short_cut() -> None:
    kernels = {name for names in KERNELS.values() for name in names}
    short_cuts = {"two_levels", "two_levels_by_sweeps", "two_levels_of_sides"}
    short_cuts |= {"count_lines"}
    assert set(TWINS) == kernels - short_cuts


def of_two_values(n_features: int) -> Problem:
    """A problem whose every group has one column, with rows for two words of a mask."""
    names = [f"f{g}" for g in range(n_features)]
    features = tuple(Feature(name, FeatureKind.CATEGORICAL, ("no", "yes")) for name in names)
    codes = np.random.default_rng(0).integers(0, 2, (100, n_features)).astype(np.int32)
    data = EncodedData(codes, codes[:, 0] == codes[:, 1], np.ones(100, np.int64), features)
    return Problem(data, Topology.parse("depth-2"))


def test_no_table_has_kernels_compiled_again() -> None:
    problems = [random_problem(seed, smallest_leaf=seed % 2 == 0) for seed in range(100)]
    for problem in (*problems, of_two_values(8)):
        for encoding in (encode(problem), encode_fronts(problem)):
            assert all(np.asarray(each).flags.c_contiguous for each in encoding.table)


def some_rows(encoding: Encoding, random: np.random.Generator) -> np.ndarray:
    """Five random row sets, the last of which differs little from the one before."""
    n = len(encoding.table.d)
    masks = encoding.everything & random.integers(
        0, 2**63, (5, len(encoding.everything)), dtype=np.uint64
    )
    masks[4] = masks[3]
    if n:
        masks[4, 0] ^= np.uint64(1)
    return masks


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_kernels_and_twins_agree(
    first: int, kernels: SimpleNamespace, plain: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Costs of shallow families on both sides of all splits, and on the rows of one side."""
    for seed in range(first, first + 50):
        encoding = encode(random_problem(seed))
        table, random = encoding.table, np.random.default_rng(seed)
        masks, sides = some_rows(encoding, random), []
        for primitives in (kernels, plain):
            monkeypatch.setattr(loader, "primitives", lambda given=primitives: given)
            search = Search(encoding)
            splits, mask = np.arange(search.splits.n), masks[0]
            for family in np.flatnonzero(table.level < PAIR).tolist():
                costs = search.shallow_sides(mask, family)
                for side in range(2):
                    one_by_one = search.splits.sides(mask, np.full(len(splits), side), splits)
                    np.testing.assert_array_equal(costs[side], search.shallow(family, one_by_one))
                sides.append(costs)
        compiled, twin = np.split(np.array(sides), 2)
        np.testing.assert_array_equal(compiled, twin)


def two_levels(
    primitives: SimpleNamespace,
    encoding: Encoding,
    family: int,
    masks: np.ndarray,
    limits: np.ndarray,
) -> list[tuple[float, tuple[int, bool, frozenset[int]] | None]]:
    """What a family costs on row sets, and its split with the members in no order."""
    search = Search(encoding)
    search.primitives = lambda: primitives  # type: ignore[assignment,return-value]
    answer = search.solve(family, masks, limits, [-1] * len(masks))
    splits = [answer.subtree(b) for b in range(len(masks))]
    return [
        (value, None if split is None else (split.group, split.to_high, frozenset(split.members)))
        for value, split in zip(answer.cost.tolist(), splits, strict=True)
    ]


@pytest.mark.parametrize("first", range(0, 240, 60))
def test_of_equal_splits_kernels_and_twins_take_the_same(
    first: int, kernels: SimpleNamespace, plain: SimpleNamespace
) -> None:
    """There are few rows and coarse weights, so most row sets have several best splits."""
    splits = 0
    for seed in range(first, first + 60):
        problem = random_problem(seed, deep=seed % 3 == 0)
        problem = replace(problem, max_card=(None, 1, 2, 3)[seed % 4])
        table = (encoding := encode(problem)).table
        random = np.random.default_rng(seed)
        masks = some_rows(encoding, random)
        for family in np.flatnonzero(table.level <= PAIR).tolist():
            unlimited = two_levels(plain, encoding, family, masks, MANY)
            assert two_levels(kernels, encoding, family, masks, MANY) == unlimited, seed
            splits += sum(each[1] is not None for each in unlimited)
            least = np.array([each[0] for each in unlimited])
            for limits in (least, least + 1, random.integers(0, 9, 5).astype(float)):
                compiled = two_levels(kernels, encoding, family, masks, limits)
                assert compiled == two_levels(plain, encoding, family, masks, limits), seed
                splits += sum(each[1] is not None for each in compiled)
    assert splits > 200


@pytest.fixture
def tables_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are counted at once, even for few rows."""
    monkeypatch.setattr(store, "MANY_ROWS", 0)


@pytest.mark.usefixtures("tables_at_once")
@pytest.mark.parametrize(
    ("seeds", "options"),
    [
        (range(12), {}),
        (range(80, 85), {"smallest_leaf": True}),
        (range(120, 128), {"deep": True}),
        pytest.param(range(12, 50), {}, marks=pytest.mark.soak),
        pytest.param(range(85, 90), {"smallest_leaf": True}, marks=pytest.mark.soak),
        pytest.param(range(128, 140), {"deep": True}, marks=pytest.mark.soak),
    ],
)
def test_a_search_finds_the_same_tree_with_and_without_a_compiler(
    seeds: range,
    options: dict[str, bool],
    kernels: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not only trees of the same value: nobody may see which primitives ran."""
    plain = SimpleNamespace(**{name: getattr(twins, name) for name in TWINS})
    for seed in seeds:
        problem = random_problem(seed, **options)
        if seed % 3 == 0:
            problem = replace(problem, max_card=None)
        found = []
        for primitives in (kernels, plain):
            monkeypatch.setattr(loader, "primitives", lambda given=primitives: given)
            points = frontier(problem).points if seed % 4 == 0 else ()
            found.append(
                (
                    solve_search(problem).assignment,
                    [(point.fn, point.fp, point.assignment) for point in points],
                )
            )
        assert found[0] == found[1], seed


def counted_tables(encoding: Encoding, kernels: SimpleNamespace) -> tuple[Search, Tables]:
    """A search that has counted all tables of columns and of pairs of columns."""
    search = Search(encoding)
    search.store = BoundStore.of(search)
    search.primitives = lambda: kernels  # type: ignore[assignment,return-value]
    search.tables.count(10**9)
    return search, search.tables


def sides_of(search: Search, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Some splits, and which side of each."""
    return random.integers(0, search.splits.n, 6), random.random(6) < 0.5


def rows_of_sides(search: Search, splits: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """The masks of sides of splits."""
    inside = search.splits.masks(splits)
    return np.where(outside[:, None], search.encoding.everything & ~inside, inside)


@pytest.mark.usefixtures("tables_at_once")
def test_what_is_cut_from_counted_tables_costs_what_its_rows_cost(kernels: SimpleNamespace) -> None:
    """All rows and sides of splits, and sides of splits below them, against counting the rows."""
    compared = 0
    for seed in range(60):
        encoding = encode(random_problem(seed, deep=True))
        search, tables = counted_tables(encoding, kernels)
        if search.store is None or not tables.is_deep or not search.splits.n:
            continue
        random = np.random.default_rng(seed)
        places = [-1, *random.integers(0, 2 * search.store.n, 4).tolist()]
        for place in places:
            base = tables.base(place, search.store)
            assert isinstance(base, BaseTables)
            mask = encoding.everything
            if place >= 0:
                side, split = divmod(place, search.store.n)
                mask = rows_of_sides(search, np.array([split]), np.array([side == 1]))[0]
            splits, outside = sides_of(search, random)
            masks, limits = rows_of_sides(search, splits, outside) & mask, np.full(6, 1e9)
            for family in np.flatnonzero(search.table.level == PAIR).tolist():
                cost = search.solve(family, masks, limits, [-1] * 6).cost
                found = search.solve_sides(family, base, splits, outside, limits)
                np.testing.assert_array_equal(found.cost, cost)
                compared += 1
    assert compared > 100


@pytest.mark.usefixtures("tables_at_once")
def test_weights_that_float32_cannot_hold_are_not_counted_ahead() -> None:
    problem = random_problem(3, deep=True)
    weight = 2**24 + np.arange(problem.data.n_rows)
    heavy = replace(problem, data=replace(problem.data, weight=weight))
    tables = Search(encode(heavy)).tables
    tables.count(10**9)
    assert tables.base(-1, None) is None


def test_a_small_search_does_not_wait_for_compiled_kernels_to_load(tmp_path: Path) -> None:
    """The folders say that all kernels are compiled; a tiny search ends before numba is loaded."""
    code = (
        "import sys\n"
        "from odt_core.solvers import solve\n"
        "from odt_core.solution import Engine\n"
        "from odt_core.solvers.search import loader\n"
        "from odt_core.solvers.search.loader import KERNELS, folder\n"
        "from tests.properties.strategies import random_problem\n"
        "for module in KERNELS: folder(module).mkdir()\n"
        "loader.LOOK_EVERY = 1e9\n"  # on a busy machine the search takes longer
        "print(solve(random_problem(0), engine=Engine.SEARCH).status)\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "ODT_COMPILED": "1"},
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == "optimal\nFalse\n"


def test_a_study_runs_on_compiled_primitives_from_its_first_search(
    kernels: SimpleNamespace,
) -> None:
    fresh = Loader()
    fresh.begin(random_problem(0))
    assert fresh.primitives().leaf_costs is not kernels.leaf_costs
    fresh.load()
    assert fresh.primitives().leaf_costs is kernels.leaf_costs
    assert fresh.waiting == ()


def test_only_one_process_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("ODT_COMPILED", "1")
    started: list[object] = []
    monkeypatch.setattr(loader.subprocess, "Popen", lambda *given, **_: started.append(given))
    another = LockedFile(folder("kernels").with_suffix(".lock"))
    Loader().compile_in_background()
    assert not started
    another.release()
    Loader().compile_in_background()
    assert len(started) == 1


def test_kernels_that_nobody_loads_for_a_month_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    others = [tmp_path / f"{name}-0123456789ab" for name in ("kernels", "sweep_kernels", "mine")]
    young = tmp_path / "kernels-ba9876543210"
    for place in (folder("kernels"), *others, young):
        place.mkdir()
        (place / "index.nbi").touch()
    for place in (folder("kernels"), *others):
        os.utime(place, (0, 0))
    loader.remove_unused("kernels")
    assert set(tmp_path.iterdir()) == {folder("kernels"), *others[1:], young}


def numbers(n: int) -> EncodedData:
    """A number that is cut at each of its n values."""
    feature = Feature(
        "x", FeatureKind.NUMERICAL, tuple(map(str, range(n))), tuple(map(float, range(n - 1)))
    )
    codes = np.arange(n, dtype=np.int32)[:, None]
    return EncodedData(codes, np.arange(n) % 3 == 0, np.ones(n, np.int64), (feature,))


def test_leaf_costs_of_very_many_cut_points_need_no_table(kernels: SimpleNamespace) -> None:
    """A table of each two of them would need 300 GB."""
    table = encode(Problem(numbers(200_000), Topology.parse("depth-2"))).table
    X = np.cumsum(table.d)[: len(table.group), None]
    total, positive = table.d.sum()[None], np.maximum(-table.d, 0).sum()[None]
    for family in (0, 1):
        given = (table, family, X, total, positive)
        assert kernels.leaf_costs(*given) == twins.leaf_costs(*given)


class Unready(Loader):
    """A loader that finds the sweeps after some looks; its compiler ends after some questions."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ready_after: float, lives: int) -> None:
        super().__init__()
        self.looks, self.ready_after, self.lives = 0, ready_after, lives
        monkeypatch.setattr(loader, "LOOK_EVERY", 0.0)

    def _look(self) -> None:
        self._found = self._found or SimpleNamespace()
        self.looks += 1
        if self.looks >= self.ready_after:
            self._waiting = []

    def compile_in_background(self) -> None:
        """Nothing is compiled here."""

    def _is_compiling(self) -> bool:
        self.lives -= 1
        return self.lives >= 0


def test_a_study_of_very_many_cut_points_waits_for_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[str] = []
    patient = Unready(monkeypatch, ready_after=3, lives=1000)
    patient.load([numbers(20), numbers(600)], lambda: waits.append("waits"))
    assert patient.looks == 3
    assert waits == ["waits"]


@pytest.mark.parametrize(
    ("values", "lives", "stop_after", "waits"),
    [(600, 0, 10, 1), (600, 1000, 0, 1), (20, 1000, 10, 0)],
    ids=["the compiler fails", "it is stopped", "few cut points"],
)
def test_a_study_does_not_wait_for_sweeps_in_vain(
    values: int, lives: int, stop_after: int, waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    asked = iter(range(1000))
    impatient = Unready(monkeypatch, ready_after=np.inf, lives=lives)
    impatient.load([numbers(values)], lambda: told.append(""), lambda: next(asked) >= stop_after)
    assert impatient.waiting
    assert len(told) == waits


def test_what_may_want_sweeps_includes_all_that_does() -> None:
    wanted = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        n = int(random.integers(50, 700))
        sizes = random.choice([2, 3, 20, 800], int(random.integers(1, 5)))
        kinds = random.random(len(sizes)) < 0.5
        features = tuple(
            Feature(f"f{g}", FeatureKind.NUMERICAL, tuple(map(str, range(q))), tuple(range(1, q)))
            if number or q == 800
            else Feature(f"f{g}", FeatureKind.CATEGORICAL, tuple(map(str, range(q))))
            for g, (q, number) in enumerate(zip(sizes.tolist(), kinds.tolist(), strict=True))
        )
        codes = np.column_stack([random.integers(0, q, n) for q in sizes]).astype(np.int32)
        data = EncodedData(codes, random.random(n) < 0.5, np.ones(n, np.int64), features)
        table = encode(Problem(data, Topology.parse("depth-2"))).table
        wants = wants_sweeps(len(table.group), table.local)
        wanted += wants
        assert may_want_sweeps(data) or not wants, seed
    assert wanted > 50
