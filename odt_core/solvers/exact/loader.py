"""Which primitives the search runs on: the compiled ones, or their twins until those are ready.

numba keeps what it compiled in a folder of its own for each state of the sources, which is given
its final name when everything in it is there. One process fills it in the background.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import platformdirs

KERNELS = {
    "kernels": ("count_pairs", "weigh", "shallow_sides", "two_levels"),
    "front_kernels": (
        "pair_sums", "column_sums", "stump_bounds", "first_open", "combine", "stump_front",
        "split_fronts",
    ),
}  # fmt: skip
"""The modules of compiled primitives, and those that each offers."""

TWINS = {"twins": KERNELS["kernels"], "front_twins": KERNELS["front_kernels"]}
"""The modules of their twins."""

PACKAGE = "odt_core.solvers.exact"
LOOK_EVERY = 0.5
"""Seconds between looks for kernels that are being compiled."""
GIVEN_UP_AFTER = 900
"""Seconds after which a folder that is being filled no longer counts."""


class Loader:
    """The primitives of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_look = 0.0
        self._found: SimpleNamespace | None = None
        self._twins: SimpleNamespace | None = None
        self._started = False

    def primitives(self) -> SimpleNamespace:
        """The compiled primitives if they are ready, else their twins."""
        if self._found is None and time.monotonic() >= self._next_look:
            with self._lock:
                if self._found is None and os.environ.get("ODT_COMPILED") != "0":
                    if folder().is_dir():
                        self._found = _load()
                    self._next_look = time.monotonic() + LOOK_EVERY
        if self._found is not None:
            return self._found
        if self._twins is None:
            self._twins = _gather(TWINS)
        return self._twins

    @property
    def compiled(self) -> bool:
        """Whether the compiled primitives are in use."""
        self.primitives()
        return self._found is not None

    def compile_in_background(self) -> None:
        """Start one process that compiles the primitives, unless they are there or on their way."""
        if self._started or self._found is not None or os.environ.get("ODT_COMPILED") == "0":
            return
        self._started = True
        if folder().is_dir() or _being_filled():
            return
        subprocess.Popen(
            [sys.executable, "-m", f"{PACKAGE}.loader"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=Path(__file__).parents[3],
        )


def _gather(modules: dict[str, tuple[str, ...]]) -> SimpleNamespace:
    found = SimpleNamespace()
    for module, names in modules.items():
        source = importlib.import_module(f"{PACKAGE}.{module}")
        for name in names:
            setattr(found, name, getattr(source, name))
    return found


def _load() -> SimpleNamespace:
    _use(folder())
    found = _gather(KERNELS)
    for module in KERNELS:
        importlib.import_module(f"{PACKAGE}.{module}").rehearse()
    return found


def _use(cache: Path) -> None:
    """Have numba keep its files in a folder."""
    from numba.core import config

    config.CACHE_DIR = str(cache)


def folder() -> Path:
    """Where the kernels of this state of the sources are, once all of them are compiled."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in sorted(here.glob("*.py")):
        if path.stem in KERNELS or path.stem in ("columns", "groups"):
            digest.update(f"{path}{path.stat().st_mtime_ns}".encode())  # numba looks at the same
            digest.update(path.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("odt-studio")
    return Path(base) / f"kernels-{digest.hexdigest()[:12]}"


def _unfinished() -> Path:
    return folder().with_suffix(".unfinished")


def _being_filled() -> bool:
    """Whether a process seems to be at work on the kernels."""
    with contextlib.suppress(OSError):
        return time.time() - _unfinished().stat().st_mtime < GIVEN_UP_AFTER
    return False


def warm_up() -> None:
    """Compile the primitives here and now, unless they are there; use them from now on."""
    final, work = folder(), _unfinished()
    if not final.is_dir():
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        _use(work)
        for module in KERNELS:
            importlib.import_module(f"{PACKAGE}.{module}").rehearse()
        with contextlib.suppress(OSError):  # another process may have been quicker
            work.rename(final)
        shutil.rmtree(work, ignore_errors=True)
    loader._found = _load()


loader = Loader()
primitives = loader.primitives

if __name__ == "__main__":
    warm_up()
