"""What is proved about a frontier whose search did not finish.

An unfinished search reports what it has proved so far. A search without floors that minimises
``alpha FN + beta FP`` proves the least cost. This gives a lower bound on FP for every FN. Together
the two bound the frontier from below. A point on the bound is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from odt_core.errors import InputError


@dataclass
class LowerBound:
    """For each number of false negatives, a lower bound on the number of false positives.

    Attributes
    ----------
    cuts : list of (int, int, int)
        ``(alpha, beta, least)``: every tree has ``alpha FN + beta FP >= least``.
    known : tuple of int
        A bound known beforehand for each number of false negatives, from 0. Nothing is known
        beyond its end.
    """

    cuts: list[tuple[int, int, int]] = field(default_factory=list)
    known: tuple[int, ...] = ()

    def add(self, alpha: int, beta: int, least: int) -> None:
        """Add a proved cut; `beta` is positive."""
        self.cuts.append((alpha, beta, least))

    def least_fp(self, fn: int) -> int:
        """The fewest false positives that a tree with at most `fn` false negatives can have."""
        known = self.known[fn] if fn < len(self.known) else 0
        cuts = (-((alpha * fn - least) // beta) for alpha, beta, least in self.cuts)
        return max(known, *cuts, 0)

    def proves(self, fn: int, fp: int) -> bool:
        """Whether a tree with these counts is proved to be undominated."""
        if fp > self.least_fp(fn):
            return False
        return fn == 0 or self.least_fp(fn - 1) > fp

    def is_reached_by(self, points: Sequence[tuple[int, int]], n_positive: int) -> bool:
        """Whether points, by rising FN, are proved to be the complete frontier."""
        if not points or points[0][0] > 0 or points[-1][1] > 0:
            return False
        ends = [fn - 1 for fn, _ in points[1:]] + [n_positive]
        return all(
            fp <= self.least_fp(end) and self.proves(fn, fp)
            for (fn, fp), end in zip(points, ends, strict=True)
        )

    def steps(self, n_positive: int) -> list[tuple[int, int]]:
        """The bound's steps (FN, least FP) by rising FN, until the bound is 0."""
        found: list[tuple[int, int]] = []
        for fn in range(n_positive + 1):
            least = self.least_fp(fn)
            if not found or least < found[-1][1]:
                found.append((fn, least))
            if least == 0:
                break
        return found

    def to_json(self, n_positive: int) -> list[list[int]]:
        """The steps as lists, for JSON."""
        return [list(step) for step in self.steps(n_positive)]

    @classmethod
    def from_json(cls, steps: Sequence[Sequence[int]], n_positive: int) -> LowerBound:
        """Rebuild a bound from its steps."""
        known: list[int] = []
        for fn, least in steps:
            if fn > n_positive:
                raise InputError("The frontier's bound reaches beyond its rows: find it again.")
            known += [known[-1]] * (fn - len(known)) if known else []
            known.append(least)
        return cls(known=tuple(known + [known[-1]] * (n_positive + 1 - len(known))))
