"""Exact search for optimal trees (docs/search.md)."""

import os

import platformdirs

# numba's own default, beside the source, may be read-only
os.environ.setdefault(
    "NUMBA_CACHE_DIR", os.path.join(platformdirs.user_cache_dir("odt-studio"), "numba")
)

from odt_core.solvers.search.floors import frontier  # noqa: E402
from odt_core.solvers.search.outcome import (  # noqa: E402
    FrontierOutcome,
    FrontierPoint,
    SearchOutcome,
)
from odt_core.solvers.search.solve import solve_search  # noqa: E402
from odt_core.solvers.search.warm import is_warm, warm_up  # noqa: E402

__all__ = [
    "FrontierOutcome",
    "FrontierPoint",
    "SearchOutcome",
    "frontier",
    "is_warm",
    "solve_search",
    "warm_up",
]
