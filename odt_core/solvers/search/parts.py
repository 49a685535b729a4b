"""What of the kernels a search needs: they are compiled in parts, the most wanted first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from odt_core.problem import EncodedData, Problem
from odt_core.solvers.search.tables import (
    by_fronts,
    frontier_may_need_doubles,
    may_need_doubles,
)
from odt_core.topology import Topology


class Number(StrEnum):
    """The kind of number that costs are counted in; numba compiles for each anew."""

    FLOAT32 = "float32"
    FLOAT64 = "float64"


class Level(StrEnum):
    """What a part is for, in the order in which users come to need it.

    Three levels are two parts, so that two processes can work on what is wanted soon. Floors stands
    for the frontier, too.
    """

    TWO = "two-levels"
    THREE = "three-levels"
    THREE_SIDES = "three-levels-sides"
    TWO_FLOORS = "two-levels-floors"
    THREE_FLOORS = "three-levels-floors"
    FOUR = "four-levels"


@dataclass(frozen=True)
class Part:
    """Kernels that are compiled together.

    Attributes
    ----------
    level : Level
        What they are for.
    number : Number
        What they count in.
    """

    level: Level
    number: Number

    @property
    def name(self) -> str:
        """For files."""
        return f"{self.level}-{self.number}"

    @property
    def after(self) -> frozenset[Part]:
        """The parts whose kernels this one calls while it is compiled."""
        return frozenset(Part(level, self.number) for level in _AFTER.get(self.level, ()))


_AFTER = {
    Level.TWO_FLOORS: (Level.TWO,),
    Level.THREE_FLOORS: (Level.TWO, Level.THREE, Level.THREE_SIDES, Level.TWO_FLOORS),
    Level.FOUR: tuple(level for level in Level if level is not Level.FOUR),
}

PARTS = tuple(Part(level, number) for number in Number for level in Level)
"""All of them, in the order of compiling."""


def parts_of(number: Number) -> tuple[Part, ...]:
    """All parts for one kind of number."""
    return tuple(part for part in PARTS if part.number is number)


def parts_for(problem: Problem) -> frozenset[Part]:
    """What a search for the best tree of a problem calls."""
    floors = by_fronts(problem)
    return _parts(problem.topology, floors=floors, doubles=may_need_doubles(problem))


def parts_for_frontier(topology: Topology, data: EncodedData) -> frozenset[Part]:
    """What a search for the frontier of a shape calls, its weighted searches included."""
    return _parts(topology, floors=True, doubles=frontier_may_need_doubles(data))


def _parts(topology: Topology, *, floors: bool, doubles: bool) -> frozenset[Part]:
    levels = {Level.TWO}
    if floors:
        levels.add(Level.TWO_FLOORS)
    if topology.depth > 2:
        levels |= {Level.THREE, Level.THREE_SIDES}
        levels |= {Level.THREE_FLOORS} if floors else set()
    if topology.depth > 3:
        levels.add(Level.FOUR)
    # float64 may be needed, but weights with a common divisor are counted in float32
    numbers = tuple(Number) if doubles else (Number.FLOAT32,)
    return frozenset(Part(level, number) for level in levels for number in numbers)
