"""Exact search for optimal trees (docs/search.md)."""

from odt_core.solvers.search.outcome import SearchOutcome
from odt_core.solvers.search.solve import solve_search

__all__ = ["SearchOutcome", "solve_search"]
