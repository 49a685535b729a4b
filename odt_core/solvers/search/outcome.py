"""What the search answers."""

from __future__ import annotations

from dataclasses import dataclass

from odt_core.solution import Assignment, TracePoint


@dataclass(frozen=True)
class SearchOutcome:
    """The answer of a search, in the problem's whole-number objective (see `Gains`).

    Attributes
    ----------
    assignment : Assignment or None
        The best tree found.
    total : int or None
        What it is worth; None if none was found.
    bound : int
        Proved upper bound on the total of every tree.
    proved : bool
        Whether the tree is optimal (or `infeasible` is proved).
    infeasible : bool
        Whether it is proved that no tree meets the floors.
    cancelled : bool
        Whether `should_stop` ended the search.
    seconds : float
        Wall-clock time.
    trace : tuple of TracePoint
        How tree and bound improved.
    """

    assignment: Assignment | None
    total: int | None
    bound: int
    proved: bool
    infeasible: bool
    cancelled: bool
    seconds: float
    trace: tuple[TracePoint, ...]


@dataclass(frozen=True)
class FrontierPoint:
    """An undominated pair of error counts with a tree that reaches it.

    Attributes
    ----------
    fn, fp : int
        False negatives and false positives, counted with the rows' weights.
    assignment : Assignment
        The tree.
    proved : bool
        Whether it is proved that no tree dominates it.
    """

    fn: int
    fp: int
    assignment: Assignment
    proved: bool


@dataclass(frozen=True)
class FrontierOutcome:
    """The frontier of a problem.

    Attributes
    ----------
    points : tuple of FrontierPoint
        By rising `fn`.
    least : tuple of int
        For each number of false negatives, from 0 to that of the positive rows: no tree with at
        most so many has fewer false positives. Where all is proved, this is the frontier itself.
    proved : bool
        Whether all points are proved and none is missing.
    cancelled : bool
        Whether `should_stop` ended the search.
    seconds : float
        Wall-clock time.
    """

    points: tuple[FrontierPoint, ...]
    least: tuple[int, ...]
    proved: bool
    cancelled: bool
    seconds: float
