"""Compiling the search's kernels on a fresh machine, in processes of their own.

numba compiles at the first call and keeps the result on disk. All of it takes minutes the
first time; ``python -m odt_core.solvers.search.compiling`` does it in the background, in parts
(parts.py), the most wanted first, so that a search waits only for what it calls. Where there are
two processors a second process helps. A stamp file beside numba's cache says that a part is done,
for these sources, this processor and these versions, and which of numba's files there were then: a
part whose files are lost or empty (a cleaned cache, a power cut) is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from odt_core.solvers.search.parts import PARTS, Part

POLL = 0.05
NICENESS = 5
"""Compiling gives way to those who work, but for the first part, which a first user waits for."""
HELPER, UNLESS_BUSY = "--helper", "--unless-busy"


def numba_folder() -> Path:
    """Where numba keeps compiled kernels, as this package has set it."""
    return Path(os.environ["NUMBA_CACHE_DIR"])


def is_compiled(parts: Iterable[Part]) -> bool:
    """Whether a search that calls these parts starts at once (or as soon as they are loaded)."""
    present = cache(_files)
    return all(_is_stamped(part, present) for part in parts)


def compile_in_background() -> None:
    """Start the compiling process unless that is done or another one is at it."""
    if is_compiled(PARTS):
        return
    with _locked("compiling", wait=False) as mine:
        if not mine:
            return
    _start(UNLESS_BUSY, start_new_session=True)


def wait_until_compiled(
    parts: Iterable[Part], deadline: float, should_stop: Callable[[], bool] | None
) -> bool:
    """Wait, at most until `deadline` (by `time.perf_counter`) or a stop; whether it is done."""
    parts = tuple(parts)
    while not is_compiled(parts):
        if time.perf_counter() >= deadline or (should_stop is not None and should_stop()):
            return False
        time.sleep(POLL)
    return True


def main(helping: bool = False, unless_busy: bool = False) -> None:
    """Compile everything and leave the stamps.

    Parameters
    ----------
    helping : bool
        Whether it is to help the process that is at it.
    unless_busy : bool
        Whether to leave it to another process that is at it (in the background), else to wait
        for that one.
    """
    if helping:
        os.nice(NICENESS)
        _save_in_turn()
        _compile_parts()
        return
    with _locked("compiling", wait=not unless_busy) as mine:
        if not mine or is_compiled(PARTS):
            return
        # In the background a first user may wait for the first part, with CBC at work meanwhile:
        # a helper that begins with it would take a third of its time.
        several = (os.cpu_count() or 1) > 1
        helper = _start(HELPER) if several and not unless_busy else None
        _save_in_turn()
        _compile_parts(PARTS[:1])
        if several and helper is None:
            helper = _start(HELPER)
        os.nice(NICENESS)
        _compile_parts()
        if helper is not None:
            helper.wait()


def _start(*arguments: str, start_new_session: bool = False) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "odt_core.solvers.search.compiling", *arguments],
        cwd=Path(__file__).resolve().parents[3],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=start_new_session,
    )


def _compile_parts(parts: Sequence[Part] = PARTS) -> None:
    """Compile what nobody else is at, until everything is done."""
    from odt_core.solvers.search.warm import prepare

    while not is_compiled(parts):
        for part in parts:
            if is_compiled([part]) or not is_compiled(part.after):
                continue
            with _locked(part.name, wait=False) as mine:
                if mine and not is_compiled([part]):
                    _remove_empty_files()
                    prepare(part)
                    _stamp(part).write_text("".join(f"{name}\n" for name in sorted(_files())))
                    break
        else:
            time.sleep(POLL)


def _save_in_turn() -> None:
    """Let processes take turns at writing to numba's cache.

    numba reads a function's index, picks a free file name and writes the index back: of two that
    do so at once for float32 and float64, one could put its code where the other's is looked for.
    """
    from numba.core.caching import IndexDataCacheFile

    save = IndexDataCacheFile.save

    def save_in_turn(self: Any, key: Any, data: Any) -> None:
        with _locked("saving", wait=True):
            save(self, key, data)

    IndexDataCacheFile.save = save_in_turn  # type: ignore[method-assign]


@contextmanager
def _locked(name: str, wait: bool) -> Iterator[bool]:
    """Hold a lock of those who compile, or learn that it is taken."""
    import fcntl

    folder = numba_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _stamp(part: Part) -> Path:
    """The stamp's file; its name holds what numba's own cache depends on."""
    return numba_folder() / f"compiled-{part.name}-{_state()}"


def _is_stamped(part: Part, present: Callable[[], frozenset[str]]) -> bool:
    """Whether a part was compiled and numba's files of that time are still there."""
    try:
        needed = _stamp(part).read_text().splitlines()
    except FileNotFoundError:
        return False
    return present().issuperset(needed)


def _kernel_folder() -> Path:
    """Where numba itself keeps the kernels of these sources."""
    from odt_core.solvers.search.work import lowest

    return Path(lowest.stats.cache_path)


def _files() -> frozenset[str]:
    """Names of numba's files that are not empty."""
    files = _kernel_folder().glob("*.nb[ci]")
    return frozenset(file.name for file in files if not _is_empty(file))


def _remove_empty_files() -> None:
    """Remove what numba would stumble over."""
    for file in _kernel_folder().glob("*.nb[ci]"):
        if _is_empty(file):
            file.unlink(missing_ok=True)


def _is_empty(file: Path) -> bool:
    """Whether nothing is in a file, or another process has removed it by now."""
    try:
        return not file.stat().st_size
    except FileNotFoundError:
        return True


@cache
def _state() -> str:
    """The sources, the processor and the versions, in short."""
    import llvmlite.binding
    import numba

    from odt_core.solvers.search import KERNELS

    parts = [numba.__version__, sys.version, llvmlite.binding.get_host_cpu_name()]
    for name in (*KERNELS, "warm", "parts"):
        source = Path(__file__).with_name(f"{name}.py")
        state = source.stat()
        parts.append(f"{source} {state.st_mtime_ns} {state.st_size}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main(helping=HELPER in sys.argv[1:], unless_busy=UNLESS_BUSY in sys.argv[1:])
