"""What is proved of a frontier that was not searched to its end.

The search for the frontier says what it had proved when it was ended. A search without floors that
minimises ``alpha FN + beta FP`` proves a least cost, and with it a lower bound of FP for every FN.
Together they bound the frontier from below; a point on the bound is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from odt_core.errors import InputError


@dataclass
class LowerBound:
    """For each number of false negatives, how few false positives a tree may have at best.

    Attributes
    ----------
    cuts : list of (int, int, int)
        ``(alpha, beta, least)``: every tree has ``alpha FN + beta FP >= least``.
    known : tuple of int
        For each number of false negatives, from 0, a bound that is known beforehand; what is
        beyond its end is not known.
    """

    cuts: list[tuple[int, int, int]] = field(default_factory=list)
    known: tuple[int, ...] = ()

    def add(self, alpha: int, beta: int, least: int) -> None:
        """Take in a proved cut; `beta` is positive."""
        self.cuts.append((alpha, beta, least))

    def least_fp(self, fn: int) -> int:
        """No tree with at most `fn` false negatives has fewer false positives than this."""
        known = self.known[fn] if fn < len(self.known) else 0
        cuts = (-((alpha * fn - least) // beta) for alpha, beta, least in self.cuts)
        return max(known, *cuts, 0)

    def proves(self, fn: int, fp: int) -> bool:
        """Whether a tree with these counts is proved to be undominated."""
        if fp > self.least_fp(fn):
            return False
        return fn == 0 or self.least_fp(fn - 1) > fp

    def is_reached_by(self, points: Sequence[tuple[int, int]], n_positive: int) -> bool:
        """Whether points, by rising FN, are proved to be the whole frontier."""
        if not points or points[0][0] > 0 or points[-1][1] > 0:
            return False
        ends = [fn - 1 for fn, _ in points[1:]] + [n_positive]
        return all(
            fp <= self.least_fp(end) and self.proves(fn, fp)
            for (fn, fp), end in zip(points, ends, strict=True)
        )

    def steps(self, n_positive: int) -> list[tuple[int, int]]:
        """The bound as (FN, least FP) wherever it falls, by rising FN, up to no FP."""
        found: list[tuple[int, int]] = []
        for fn in range(n_positive + 1):
            least = self.least_fp(fn)
            if not found or least < found[-1][1]:
                found.append((fn, least))
            if least == 0:
                break
        return found

    def to_json(self, n_positive: int) -> list[list[int]]:
        """`steps`, as JSON."""
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
