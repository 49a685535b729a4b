"""The primitives of the search: compiled ones, or their twins until the compiled ones are ready.

Each state of the sources has a folder of its own for the files of numba. One process fills it in
the background. The folder gets its final name when it is complete.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import platformdirs

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.processes import LockedFile, apart, is_unlocked
from odt_core.solvers.search.columns import Columns, encode, may_want_sweeps
from odt_core.solvers.search.row_sets import Masks
from odt_core.topology import Topology

KERNELS = {
    "kernels": ("leaf_costs", "two_levels", "count_lines", "two_levels_of_sides"),
    "front_kernels": ("column_sums", "first_open", "combine", "stump_front"),
    "sweep_kernels": ("two_levels_by_sweeps",),
}
"""The modules of compiled primitives, and the primitives of each.

A module may import those before it.
"""

TWINS = ("leaf_costs", *KERNELS["front_kernels"])
"""The primitives that have twins. The search does not need the others."""

PACKAGE = "odt_core.solvers.search"
FEW_CELLS = 20_000
"""Distinct rows times columns. A search with fewer mostly ends before kernels are loaded."""
LOOK_EVERY = 0.5
"""Seconds between checks whether kernels are compiled."""
PATIENCE = 300
"""Most seconds that a study waits until sweeps are compiled."""
SWEEPS = "sweep_kernels"
UNUSED_FOR = 30 * 86400.0
"""Kernels of another state of the sources are removed after so many seconds without use."""

SHARED = ("columns", "groups")
"""The modules whose constants are compiled into the kernels."""


class Loader:
    """The primitives of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_look = 0.0
        self._waiting = list(KERNELS)
        self._found: SimpleNamespace | None = None
        self._started = False
        self._compiler: subprocess.Popen[bytes] | None = None

    def primitives(self) -> SimpleNamespace:
        """The compiled primitives that are ready, and the twins of the others."""
        if self._found is None or (self._waiting and time.monotonic() >= self._next_look):
            with self._lock:
                self._look()
        assert self._found is not None
        return self._found

    def begin(self, problem: Problem) -> None:
        """Prepare for a search: choose its primitives, and compile the others in the background.

        Loading compiled primitives needs a second of processor time. So the first search of a
        process uses the twins if it has few cells. It mostly ends before the second is over.
        """
        data = problem.data
        if self._found is None and len(data.merged().y) * data.n_columns <= FEW_CELLS:
            with self._lock:
                self._use_twins()
                self._next_look = time.monotonic() + LOOK_EVERY
        self.compile_in_background()

    def load(
        self,
        rows: Iterable[EncodedData] = (),
        on_wait: Callable[[], None] = lambda: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare for a study of many searches: load what is compiled, and compile the rest.

        Sweeps have no twin. Without them the search may find another tree of the same value. So a
        study waits until sweeps are compiled if its `rows`, or the larger sets from which they are
        drawn, may use them. Then its trees do not depend on when it was started, or on how many
        processes share it. `on_wait` is called before the wait. `should_stop`, or a compiler that
        fails, ends it.
        """
        with self._lock:
            self._look()
        self.compile_in_background()
        if SWEEPS not in self._waiting or not any(map(may_want_sweeps, rows)):
            return
        on_wait()
        end = time.monotonic() + PATIENCE
        while SWEEPS in self.waiting and self._is_compiling() and not should_stop():
            if time.monotonic() > end:
                return
            time.sleep(LOOK_EVERY)

    def _is_compiling(self) -> bool:
        """Whether the compiler of this or of another process is at work."""
        mine = self._compiler is not None and self._compiler.poll() is None
        return mine or any(map(_is_in_work, self._waiting))

    def _use_twins(self) -> None:
        self._found = SimpleNamespace()
        self._add("twins", TWINS)

    def _look(self) -> None:
        if self._found is None:
            self._use_twins()
        if os.environ.get("ODT_COMPILED") != "0":
            for module in list(self._waiting):
                if not folder(module).is_dir():
                    break  # the next modules may import it; numba would compile it in their folder
                self.use(module, folder(module))
        self._next_look = time.monotonic() + LOOK_EVERY

    def use(self, module: str, cache: Path) -> None:
        """Compile or load the kernels of a module. numba keeps its files in the folder."""
        from numba.core import config

        vars(config)["CACHE_DIR"] = str(cache)
        importlib.import_module(f"{PACKAGE}.{module}").compile_kernels(*sample())
        with suppress(OSError):  # this process may not be allowed to write to the folder
            os.utime(cache)
        self._add(module, KERNELS[module])
        self._waiting.remove(module)

    def _add(self, module: str, names: tuple[str, ...]) -> None:
        source = importlib.import_module(f"{PACKAGE}.{module}")
        for name in names:
            setattr(self._found, name, getattr(source, name))

    @property
    def waiting(self) -> tuple[str, ...]:
        """The modules whose twins are in use."""
        self.primitives()
        return tuple(self._waiting)

    def compile_in_background(self) -> None:
        """Start one process that compiles the primitives, unless they are compiled or in work."""
        if self._started or os.environ.get("ODT_COMPILED") == "0" or not self.waiting:
            return
        self._started = True
        absent = [module for module in self._waiting if not folder(module).is_dir()]
        if not absent or any(map(_is_in_work, absent)):
            return
        self._compiler = subprocess.Popen(
            [sys.executable, "-c", f"from {PACKAGE} import warm_up; warm_up()"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **apart(),
            cwd=Path(__file__).parents[3],
        )


def sample() -> tuple[Columns, Masks]:
    """A tiny problem of two levels for compiling kernels: its table, and the set of all rows."""
    features = (
        Feature("number", FeatureKind.NUMERICAL, ("low", "middle", "high"), (0.0, 1.0)),
        Feature("category", FeatureKind.CATEGORICAL, tuple("abcd")),
    )
    codes = np.array([[i % 3, i % 4] for i in range(12)], np.int32)
    data = EncodedData(codes, np.arange(12) % 5 < 2, np.ones(12, np.int64), features)
    encoding = encode(Problem(data, Topology.parse("depth-2")))
    return encoding.table, encoding.everything


def folder(module: str) -> Path:
    """The folder of a module's compiled kernels, for this state of the sources."""
    digest = hashlib.sha256()
    for name in (*KERNELS, *SHARED):
        path = Path(__file__).with_name(f"{name}.py")
        digest.update(f"{path}{path.stat().st_mtime_ns}".encode())  # numba checks both, too
        digest.update(path.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("odt-studio")
    return Path(base) / f"{module}-{digest.hexdigest()[:12]}"


def _lock_of(module: str) -> Path:
    """The file that a process locks while it compiles a module."""
    return folder(module).with_suffix(".lock")


def _is_in_work(module: str) -> bool:
    """Whether a process compiles a module."""
    return _lock_of(module).exists() and not is_unlocked(_lock_of(module))


def warm_up() -> None:
    """Compile the primitives now unless they are compiled, and use them from now on.

    If another process is compiling a module, wait for it.
    """
    for module in loader.waiting:
        final, work = folder(module), folder(module).with_suffix(".unfinished")
        final.parent.mkdir(parents=True, exist_ok=True)
        lock = LockedFile(_lock_of(module))
        try:
            if not final.is_dir():
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir()
                loader.use(module, work)
                work.rename(final)
            else:
                loader.use(module, final)
        finally:
            lock.release()
        remove_unused(module)


def remove_unused(module: str) -> None:
    """Remove kernels of other states of the sources that no process has loaded for a month."""
    for other in folder(module).parent.glob(f"{module}-????????????"):
        with suppress(OSError):  # another process may remove it at the same time
            if other != folder(module) and time.time() - other.stat().st_mtime > UNUSED_FOR:
                shutil.rmtree(other)


loader = Loader()
primitives = loader.primitives
