"""Which primitives the search runs on."""

from __future__ import annotations

from types import SimpleNamespace

from odt_core.solvers.exact import twins

_TWINS = SimpleNamespace(
    count_pairs=twins.count_pairs,
    weigh=twins.weigh,
    shallow_sides=twins.shallow_sides,
    two_levels=twins.two_levels,
)


def primitives() -> SimpleNamespace:
    """The compiled primitives if they are ready, else their twins."""
    return _TWINS
