"""Compiling the search's kernels on a fresh machine, in a process of its own.

numba compiles at the first call and keeps the result on disk. The first time takes a minute or
two; a background process does it, so that nobody waits: ``python -m
odt_core.solvers.search.compiling``. A stamp file beside numba's cache says that it is done, for
these sources, this processor and these versions. What only problems of large weight need (float64)
comes after that and has a stamp of its own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

POLL = 0.05
NICENESS = 5
"""The compiling process gives way to those who work."""

REMARK = (
    "The exact search was still being compiled, which happens once on a machine and takes a "
    "minute or two. Train again when that is done: it is then much faster."
)


def numba_folder() -> Path:
    """Where numba keeps compiled kernels, as this package has set it."""
    return Path(os.environ["NUMBA_CACHE_DIR"])


def is_compiled(doubles: bool = False) -> bool:
    """Whether a search starts at once (or within the second that loading the kernels takes).

    Parameters
    ----------
    doubles : bool
        Whether a search that may count in float64 does, too (`tables.may_need_doubles`).
    """
    return _stamp(doubles).exists()


def compile_in_background() -> None:
    """Start the compiling process unless that is done or another one is at it."""
    if is_compiled(doubles=True):
        return
    with _locked(wait=False) as mine:
        if not mine:
            return
    subprocess.Popen(
        [sys.executable, "-m", "odt_core.solvers.search.compiling"],
        cwd=Path(__file__).resolve().parents[3],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_until_compiled(
    deadline: float, should_stop: Callable[[], bool] | None, doubles: bool = False
) -> bool:
    """Wait, at most until `deadline` (by `time.perf_counter`) or a stop; whether it is done."""
    while not is_compiled(doubles):
        if time.perf_counter() >= deadline or (should_stop is not None and should_stop()):
            return False
        time.sleep(POLL)
    return True


@contextmanager
def _locked(wait: bool) -> Iterator[bool]:
    """Hold the lock of those who compile, or learn that it is taken."""
    import fcntl

    folder = numba_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "compiling.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@cache
def _stamp(doubles: bool) -> Path:
    """The stamp's file; its name holds what numba's own cache depends on."""
    import llvmlite.binding
    import numba

    from odt_core.solvers.search import KERNELS

    parts = [numba.__version__, sys.version, llvmlite.binding.get_host_cpu_name()]
    for name in (*KERNELS, "warm"):
        source = Path(__file__).with_name(f"{name}.py")
        state = source.stat()
        parts.append(f"{source} {state.st_mtime_ns} {state.st_size}")
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return numba_folder() / f"compiled-{'float64' if doubles else 'float32'}-{key}"


def main() -> None:
    """Compile everything and leave the stamps."""
    from odt_core.solvers.search.warm import warm_up

    with _locked(wait=True):
        if is_compiled(doubles=True):
            return
        os.nice(NICENESS)
        for doubles in (False, True):
            warm_up(doubles)
            _stamp(doubles).touch()


if __name__ == "__main__":
    main()
