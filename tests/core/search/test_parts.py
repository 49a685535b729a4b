"""Kernels are compiled in parts: which ones a problem needs, and that it needs no others."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from odt_core.problem import Goal, Objective, Problem
from odt_core.solvers.search import compiling, warm
from odt_core.solvers.search.parts import (
    PARTS,
    Level,
    Number,
    Part,
    parts_for,
    parts_for_frontier,
)
from odt_core.topology import Topology
from tests.core.solvers.problems import noise

FLOOR = Objective(Goal.MAX_TPR, min_tnr=Fraction(4, 5))
TWO = {Level.TWO}
THREE = TWO | {Level.THREE, Level.THREE_SIDES}
FOUR = THREE | {Level.FOUR}
DEEP_FLOORS = {Level.TWO_FLOORS, Level.THREE_FLOORS}


def float32(levels: Collection[Level]) -> frozenset[Part]:
    return frozenset(Part(level, Number.FLOAT32) for level in levels)


@pytest.mark.parametrize(
    ("shape", "levels", "with_floors"),
    [
        ("depth-1", TWO, TWO | {Level.TWO_FLOORS}),
        ("depth-2", TWO, TWO | {Level.TWO_FLOORS}),
        ("depth-2.5", THREE, THREE | DEEP_FLOORS),
        ("depth-3", THREE, THREE | DEEP_FLOORS),
        ("cues-3", THREE, THREE | DEEP_FLOORS),
        ("imbalanced", FOUR, FOUR | DEEP_FLOORS),
        ("depth-4", FOUR, FOUR | DEEP_FLOORS),
    ],
)
def test_a_problem_needs_the_parts_of_its_levels(
    shape: str, levels: set[Level], with_floors: set[Level]
) -> None:
    data, topology = noise(60, [3, 4, 2]), Topology.parse(shape)
    assert parts_for(Problem(data, topology)) == float32(levels)
    assert parts_for(Problem(data, topology, FLOOR)) == float32(with_floors)
    assert parts_for_frontier(topology, data) == float32(with_floors)


def test_large_weights_need_both_kinds_of_number() -> None:
    topology = Topology.parse("depth-2")
    weighty = Problem(noise(600, [3, 4]), topology, Objective(class_weight=Fraction(99_991, 7)))
    assert {part.number for part in parts_for(weighty)} == set(Number)
    assert {part.number for part in parts_for_frontier(topology, noise(3_000, [3]))} == set(Number)


def test_parts_are_compiled_after_those_they_call() -> None:
    for at, part in enumerate(PARTS):
        assert part.after <= set(PARTS[:at])
    assert PARTS[0] == Part(Level.TWO, Number.FLOAT32)


SEARCH = """
import sys
from fractions import Fraction
from odt_core.problem import Goal, Objective, Problem
from odt_core.solvers import search
from odt_core.solvers.search.parts import PARTS, parts_for, parts_for_frontier
from odt_core.solvers.search.warm import prepare
from odt_core.topology import Topology
from tests.core.solvers.kernels import ready
from tests.core.solvers.problems import noise

data = noise(60, [3, 7, 2])
prepared = set()
for word in sys.argv[1:]:
    shape, _, floors = word.partition("+")
    objective = Objective(Goal.MAX_TPR, min_tnr=Fraction(4, 5)) if floors else Objective()
    for cap in (None, 1, 2, 3):
        problem = Problem(data, Topology.parse(shape), objective, max_card=cap)
        for part in PARTS:
            if part in parts_for(problem) - prepared:
                prepare(part)
                prepared.add(part)
        before = ready()
        assert before
        search.solve_search(problem, on_tree=lambda assignment, bound: None)
        search.solve_search(problem, threads=2, should_stop=lambda: True)
        if floors:
            assert parts_for_frontier(problem.topology, data) == parts_for(problem)
            search.frontier(problem)
        for name, signature in ready() - before:
            print(word, cap, name, signature)
"""


def kernels_missed(*searches: str, folder: Path | None = None) -> str:
    """What searches compile or load, each with only its parts prepared, in a new process."""
    environment = dict(os.environ) | ({} if folder is None else {"NUMBA_CACHE_DIR": str(folder)})
    command = [sys.executable, "-c", SEARCH, *searches]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.mark.parametrize(
    "searches",
    [
        ("depth-1", "depth-2"),
        ("cues-3", "depth-2.5", "depth-3"),
        ("cues-4", "imbalanced", "depth-4"),
        ("depth-1+floors", "depth-2+floors"),
        ("cues-3+floors", "depth-3+floors"),
        ("imbalanced+floors",),
    ],
    ids=" ".join,
)
def test_a_search_calls_no_kernel_beside_its_parts(searches: tuple[str, ...]) -> None:
    assert kernels_missed(*searches) == ""


@pytest.mark.soak  # compiles for a minute and a half
def test_three_levels_are_compiled_without_floors_or_four(tmp_path: Path) -> None:
    assert kernels_missed("depth-2", "depth-3", folder=tmp_path) == ""
    compiled = {file.name.split("-")[0] for file in tmp_path.rglob("*.nbi")}
    assert any("solve_pair" in name for name in compiled)
    assert not any("front" in name or "bounds.load" in name for name in compiled)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, where nothing is really compiled."""
    monkeypatch.setattr(compiling, "numba_folder", lambda: tmp_path)
    return tmp_path


def test_two_processes_share_the_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Part] = []

    def prepare(part: Part) -> None:
        begun.append(part)
        assert compiling.is_compiled(part.after)
        time.sleep(0.01)

    monkeypatch.setattr(warm, "prepare", prepare)
    both = [threading.Thread(target=compiling._compile_parts) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(timeout=30)
    assert sorted(begun, key=PARTS.index) == list(PARTS)
    assert compiling.is_compiled(PARTS)


def test_what_one_process_leaves_undone_the_other_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Part] = []

    def prepare(part: Part) -> None:
        begun.append(part)
        if begun.count(part) == 1 and part.level is Level.THREE:
            raise MemoryError

    monkeypatch.setattr(warm, "prepare", prepare)
    for _ in Number:
        with pytest.raises(MemoryError):
            compiling._compile_parts()
    compiling._compile_parts()
    assert compiling.is_compiled(PARTS)
    assert len(begun) == len(PARTS) + len(Number)


def test_a_search_waits_for_its_own_parts_only(folder: Path) -> None:
    problem = Problem(noise(60, [3, 4, 2]), Topology.parse("depth-2"))
    assert not compiling.is_compiled(parts_for(problem))
    soon = time.perf_counter() + 0.1
    assert not compiling.wait_until_compiled(parts_for(problem), soon, None)
    compiling._stamp(Part(Level.TWO, Number.FLOAT32)).touch()
    assert compiling.wait_until_compiled(parts_for(problem), time.perf_counter(), None)
    assert not compiling.is_compiled(parts_for_frontier(problem.topology, problem.data))


@pytest.mark.parametrize("emptied", [True, False])
def test_a_part_whose_files_are_lost_is_compiled_again(
    emptied: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a cleaned cache; a power cut leaves empty files, at which numba stumbles."""
    monkeypatch.setattr(compiling, "_kernel_folder", lambda: folder)
    made: list[Part] = []

    def prepare(part: Part) -> None:
        assert not list(folder.glob("*.nbc"))
        made.append(part)
        (folder / f"{part.name}.nbc").write_bytes(b"code")

    monkeypatch.setattr(warm, "prepare", prepare)
    part, other = PARTS[:2]
    compiling._compile_parts([part])
    assert compiling.is_compiled([part]) and not compiling.is_compiled([other])
    file = folder / f"{part.name}.nbc"
    file.unlink()
    if emptied:
        file.touch()
    assert not compiling.is_compiled([part])
    compiling._compile_parts([part])
    assert compiling.is_compiled([part])
    assert made == [part, part]


def test_numbas_index_is_written_by_one_process_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at once would choose the same file for their code."""
    monkeypatch.setattr(compiling, "numba_folder", lambda: tmp_path)
    monkeypatch.setattr(IndexDataCacheFile, "save", IndexDataCacheFile.save)  # put back at the end
    load = IndexDataCacheFile._load_index

    def slowly(self: IndexDataCacheFile) -> dict:
        index: dict = load(self)
        time.sleep(0.1)
        return index

    monkeypatch.setattr(IndexDataCacheFile, "_load_index", slowly)
    compiling._save_in_turn()
    numbers = (np.dtype(np.float32).name, np.dtype(np.float64).name)

    def file() -> IndexDataCacheFile:
        return IndexDataCacheFile(str(tmp_path), "kernel", "of one state")

    both = [threading.Thread(target=file().save, args=(name, name)) for name in numbers]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert [file().load(name) for name in numbers] == list(numbers)
