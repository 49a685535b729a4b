"""Exact search for optimal trees (docs/search.md)."""

import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

from odt_core.errors import InputError

# numba's own default, beside the source, may be read-only; and numba does not notice when a
# function that is compiled into another one changes, so each state of the kernels has its own cache
KERNELS = (
    "model", "entries", "passes", "scan", "lanes", "kernels", "subsets", "depth2", "crossings",
    "work", "sides", "sets", "depth3", "linking", "bounds", "front_tables", "front1",
    "front_bounds", "front2",
)  # fmt: skip
_digest = hashlib.sha256()
for _name in KERNELS:
    _digest.update(Path(__file__).with_name(f"{_name}.py").read_bytes())
os.environ.setdefault(
    "NUMBA_CACHE_DIR",
    os.path.join(platformdirs.user_cache_dir("odt-studio"), f"numba-{_digest.hexdigest()[:12]}"),
)
_folder = Path(os.environ["NUMBA_CACHE_DIR"])
try:
    _folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=_folder).close()
except OSError as _error:
    raise InputError(
        f"The exact search cannot be compiled, for the folder {str(_folder)!r} cannot be written "
        f"({_error.strerror}): name another one by NUMBA_CACHE_DIR, or choose the engine cbc."
    ) from _error

from odt_core.solvers.search.floors import frontier  # noqa: E402
from odt_core.solvers.search.outcome import (  # noqa: E402
    FrontierOutcome,
    FrontierPoint,
    SearchOutcome,
)
from odt_core.solvers.search.solve import solve_search  # noqa: E402
from odt_core.solvers.search.warm import warm_up  # noqa: E402

__all__ = [
    "FrontierOutcome",
    "FrontierPoint",
    "SearchOutcome",
    "frontier",
    "solve_search",
    "warm_up",
]
