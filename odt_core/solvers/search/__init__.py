"""Exact search for optimal trees (docs/search.md)."""

from odt_core.solvers.search.engine import solve_search
from odt_core.solvers.search.floors import FrontierOutcome, FrontierPoint, frontier
from odt_core.solvers.search.loader import warm_up
from odt_core.solvers.search.run import SearchOutcome

__all__ = [
    "FrontierOutcome",
    "FrontierPoint",
    "SearchOutcome",
    "frontier",
    "solve_search",
    "warm_up",
]
