"""Exact search for optimal trees (docs/search.md)."""

from odt_core.solvers.search.floors import frontier
from odt_core.solvers.search.outcome import FrontierOutcome, FrontierPoint, SearchOutcome
from odt_core.solvers.search.solve import solve_search

__all__ = ["FrontierOutcome", "FrontierPoint", "SearchOutcome", "frontier", "solve_search"]
