"""The results of bootstrap refits: columns, cut points, trees, answers of rows, and optimism.

Optimism follows Harrell [1]_: a refit's rate on the drawn rows minus its rate on all training rows,
averaged over refits. The instability of rows follows Riley and Collins [2]_: the share of refits
whose answer differs from the answer of the tree of all training rows. The interval of a corrected
rate is shifted by the optimism, as in Noma et al. [3]_. We shift Wilson's interval of the rate on
the training rows, and do not use the spread of the refits' rates: the best trees fit the drawn rows
too well, so these rates are too high and differ too little.

References
----------
.. [1] F. E. Harrell, K. L. Lee, D. B. Mark, Multivariable prognostic models. Statistics in
   Medicine 15, 1996, 361-387.
.. [2] R. D. Riley, G. S. Collins, Stability of clinical prediction models developed using
   statistical or machine learning methods. Biometrical Journal 65, 2023, 2200302.
.. [3] H. Noma, T. Shinozaki, K. Iba, S. Teramukai, T. A. Furukawa, Confidence intervals of
   prediction accuracy measures for multivariable prediction models based on the bootstrap-based
   optimism correction methods. Statistics in Medicine 40, 2021, 5691-5701. The location-shifted
   bootstrap confidence interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.confusion import Confusion
from odt_core.evaluation import Rate, metrics
from odt_core.export.csv_cells import signed_csv
from odt_core.json_data import as_json
from odt_core.solution import Prover, Status
from odt_core.studies.stability import (
    OriginalFit,
    Outline,
    RangeRun,
    Refit,
)
from odt_core.words import RATE_NAMES

FEW = 100
"""With fewer refits, rare trees and rows are uncertain, and rates get no interval."""
STEPS = 20
"""Number of steps, of 5% each, for drawing the instability of rows."""


@dataclass(frozen=True)
class CutCount:
    """A cut point of a numerical column, and the number of questions that use it."""

    cut: float
    n: int


@dataclass(frozen=True)
class SetCount:
    """A set of categories in words, and the number of questions that use it."""

    words: str
    n: int


@dataclass(frozen=True)
class ColumnStability:
    """The refits' questions about one column.

    Attributes
    ----------
    name : str
        The column.
    asked, at_root : int
        Number of refits that ask about it in any question, and in the first question.
    cuts : tuple of CutCount
        Its cut points, rising.
    sets : tuple of SetCount
        Its sets of categories, the most frequent first.
    """

    name: str
    asked: int
    at_root: int
    cuts: tuple[CutCount, ...]
    sets: tuple[SetCount, ...]


@dataclass(frozen=True)
class Optimism:
    """The optimism of a rate: its excess on the rows that trained the tree; exact.

    Attributes
    ----------
    apparent : Fraction
        The rate of the tree of all training rows on these rows.
    drawn, original : Fraction
        The refits' mean rate on the drawn rows, and on all training rows.
    ends : tuple of float or None
        Wilson's 95% interval of `apparent`; None without rows or with fewer than `FEW` refits.
    """

    apparent: Fraction
    drawn: Fraction
    original: Fraction
    ends: tuple[float, float] | None = None

    @property
    def optimism(self) -> Fraction:
        """The mean excess of the rate on the drawn rows."""
        return self.drawn - self.original

    @property
    def corrected(self) -> Fraction:
        """The apparent rate minus the optimism."""
        return self.apparent - self.optimism

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the corrected rate, within 0 and 1; None with few refits.

        It does not include the uncertainty of the optimism.
        """
        if self.ends is None:
            return None
        low, high = (min(max(end - float(self.optimism), 0.0), 1.0) for end in self.ends)
        return low, high

    def to_json(self) -> dict[str, float | None]:
        """The numbers by name."""
        low, high = (None, None) if self.interval is None else self.interval
        return {
            "apparent": float(self.apparent),
            "drawn": float(self.drawn),
            "original": float(self.original),
            "optimism": float(self.optimism),
            "corrected": float(self.corrected),
            "corrected_low": low,
            "corrected_high": high,
        }


@dataclass(frozen=True)
class Optimisms:
    """The optimism of three rates."""

    accuracy: Optimism
    sensitivity: Optimism
    specificity: Optimism

    @property
    def named(self) -> tuple[tuple[str, Optimism], ...]:
        """The three, each with the rate's name."""
        return (
            ("accuracy", self.accuracy),
            (RATE_NAMES["tpr"], self.sensitivity),
            (RATE_NAMES["tnr"], self.specificity),
        )

    @property
    def has_interval(self) -> bool:
        """Whether at least one corrected rate has an interval."""
        return any(rate.interval for _, rate in self.named)


@dataclass(frozen=True)
class RowBubble:
    """Training rows of one leaf whose answer changes about equally often.

    Attributes
    ----------
    leaf : int
        The leaf of the tree of all training rows, from 0.
    share : float
        The share of refits with another answer: the middle of a step of 5%, or exactly 0 or 1.
    n : int
        Number of rows.
    """

    leaf: int
    share: float
    n: int


@dataclass(frozen=True)
class RowStability:
    """How often the answers for the training rows change.

    Attributes
    ----------
    changed : tuple of int
        For each training row, the number of refits whose answer differs from the answer of the
        tree of all training rows.
    n : int
        Number of refits.
    """

    changed: tuple[int, ...]
    n: int

    @property
    def mean(self) -> float:
        """The share of changed answers over all rows and refits."""
        return float(np.mean(self.changed)) / self.n

    @property
    def never(self) -> int:
        """Number of rows whose answer never changes."""
        return sum(count == 0 for count in self.changed)

    @property
    def often(self) -> int:
        """Number of rows whose answer changes in at least a quarter of the refits."""
        return sum(4 * count >= self.n for count in self.changed)

    def bubbles(self, leaves: Sequence[int]) -> tuple[RowBubble, ...]:
        """Group rows by leaf and by share, in steps of 5%.

        Parameters
        ----------
        leaves : sequence of int
            The leaf of each row.
        """
        counts = Counter(
            (leaf, self._step(count)) for leaf, count in zip(leaves, self.changed, strict=True)
        )
        return tuple(RowBubble(*place, n) for place, n in sorted(counts.items()))

    def _step(self, count: int) -> float:
        if count in (0, self.n):
            return float(count == self.n)
        return (min(STEPS * count // self.n, STEPS - 1) + 0.5) / STEPS


@dataclass(frozen=True)
class StabilityResult:
    """The results of a stability study, which may not be finished.

    Attributes
    ----------
    refits : tuple of Refit
        The finished refits by number.
    columns : tuple of ColumnStability
        The columns, the most frequent first. A column that no refit asks about has zeros.
    trees : int
        Number of different canonical trees.
    structures : int
        Number of different trees by columns and answers alone, without cut points and sets.
    commonest : bool, Question or None
        The most frequent tree; None without a refit.
    commonest_n : int
        Number of refits with this tree.
    original : OriginalFit or None
        The tree of all training rows; None if not known yet.
    rows : RowStability or None
        How often answers change; None without a tree of all training rows or without refits.
    optimism : Optimisms or None
        The optimism of the rates; None if `rows` is None.
    """

    refits: tuple[Refit, ...]
    columns: tuple[ColumnStability, ...]
    trees: int
    structures: int
    commonest: Outline | None
    commonest_n: int
    original: OriginalFit | None
    rows: RowStability | None
    optimism: Optimisms | None

    @property
    def asked_columns(self) -> tuple[ColumnStability, ...]:
        """The columns that at least one refit asks about."""
        return tuple(column for column in self.columns if column.asked)

    @property
    def cut_columns(self) -> tuple[ColumnStability, ...]:
        """The columns with cut points."""
        return tuple(column for column in self.columns if column.cuts)

    @property
    def fitted(self) -> tuple[Refit, ...]:
        """The refits that have a tree."""
        return tuple(refit for refit in self.refits if refit.tree is not None)

    @property
    def left_out(self) -> tuple[Refit, ...]:
        """The refits without a tree."""
        return tuple(refit for refit in self.refits if refit.tree is None)

    @property
    def n_proved(self) -> int:
        """Number of refits whose tree is proved the best on its resample."""
        return sum(refit.status is Status.OPTIMAL for refit in self.fitted)

    @property
    def n_same(self) -> int:
        """Number of refits whose tree reads the same as the tree of all training rows."""
        if self.original is None:
            return 0
        return sum(refit.tree == self.original.tree for refit in self.fitted)

    @property
    def n_redrawn(self) -> int:
        """Number of draws that were repeated because all their rows had one class."""
        return sum(refit.redrawn for refit in self.refits)

    def to_json(self) -> dict[str, Any]:
        """Write the result as the command line prints it."""
        original, rows = self.original, self.rows
        return {
            "resamples": len(self.refits),
            "fitted": len(self.fitted),
            "proved": self.n_proved,
            "proved_by": Prover.SEARCH.value,
            "left_out": [
                {"number": refit.number, "reason": refit.reason} for refit in self.left_out
            ],
            "redrawn": self.n_redrawn,
            "columns": as_json(self.columns),
            "trees": self.trees,
            "structures": self.structures,
            "same_as_original": self.n_same,
            "commonest": {"tree": as_json(self.commonest), "n": self.commonest_n},
            "optimism": as_json(self.optimism),
            "original": None
            if original is None
            else {
                "status": original.status.value,
                "tree": as_json(original.tree),
                "train": original.train.to_json(),
                "test": as_json(original.test),
            },
            "rows": None
            if rows is None or original is None
            else {
                "row": [row + 1 for row in original.rows],
                "changed": list(rows.changed),
                "mean_changed": rows.mean,
            },
        }


def gather_stability(runs: Sequence[RangeRun]) -> StabilityResult:
    """Make the result from the parts of a study, in any order."""
    whole = RangeRun.joined(runs)
    refits, original = sorted(whole.refits, key=lambda refit: refit.number), whole.original
    outlines = [refit.tree for refit in refits if refit.tree is not None]
    trees = Counter(outlines)
    commonest, commonest_n = trees.most_common(1)[0] if trees else (None, 0)
    rows = optimism = None
    if original is not None and outlines:
        rows = _rows(original, np.array(whole.positive), len(outlines))
        optimism = _optimisms(original, refits)
    return StabilityResult(
        refits=tuple(refits),
        columns=_columns(outlines, () if original is None else original.columns),
        trees=len(trees),
        structures=len({_structure(outline) for outline in trees}),
        commonest=commonest,
        commonest_n=commonest_n,
        original=original,
        rows=rows,
        optimism=optimism,
    )


def _structure(outline: Outline) -> Any:
    """The columns and answers of a tree, without cut points and sets."""
    if isinstance(outline, bool):
        return outline
    return (outline.column, _structure(outline.yes), _structure(outline.no))


def _columns(outlines: Sequence[Outline], names: Sequence[str]) -> tuple[ColumnStability, ...]:
    asked: Counter[str] = Counter()
    at_root: Counter[str] = Counter()
    cuts: dict[str, Counter[float]] = {}
    sets: dict[str, Counter[str]] = {}
    for outline in outlines:
        if isinstance(outline, bool):
            continue
        questions = list(outline.walk())
        asked.update({question.column for question in questions})
        at_root[outline.column] += 1
        for question in questions:
            if question.cut is None:
                sets.setdefault(question.column, Counter())[question.predicate] += 1
            else:
                cuts.setdefault(question.column, Counter())[question.cut] += 1
    known = dict.fromkeys([*names, *sorted(asked)])
    found = [
        ColumnStability(
            name=name,
            asked=asked[name],
            at_root=at_root[name],
            cuts=tuple(CutCount(*item) for item in sorted(cuts.get(name, Counter()).items())),
            sets=tuple(
                SetCount(*item)
                for item in sorted(
                    sets.get(name, Counter()).items(), key=lambda item: (-item[1], item[0])
                )
            ),
        )
        for name in known
    ]
    return tuple(sorted(found, key=lambda column: (-column.asked, -column.at_root)))


def _rows(original: OriginalFit, positive: npt.NDArray[np.int64], n: int) -> RowStability:
    answers = np.array(original.labels)[np.array(original.leaves)]
    return RowStability(tuple(np.where(answers, n - positive, positive).tolist()), n)


def _optimisms(original: OriginalFit, refits: Sequence[Refit]) -> Optimisms:
    n_refits = sum(refit.tree is not None for refit in refits)

    def of(rate: Callable[[Confusion], Fraction], shown: Rate) -> Optimism:
        drawn = [rate(refit.resample) for refit in refits if refit.resample is not None]
        whole = [rate(refit.original) for refit in refits if refit.original is not None]
        return Optimism(
            rate(original.train),
            sum(drawn, Fraction()) / len(drawn),
            sum(whole, Fraction()) / len(whole),
            _ends(shown) if n_refits >= FEW else None,
        )

    found = metrics(original.train)
    return Optimisms(
        of(lambda counts: counts.accuracy, found.accuracy),
        of(lambda counts: counts.tpr, found.sensitivity),
        of(lambda counts: counts.tnr, found.specificity),
    )


def _ends(rate: Rate) -> tuple[float, float] | None:
    return None if rate.low is None or rate.high is None else (rate.low, rate.high)


def columns_csv(result: StabilityResult, *, keep_formulas: bool = False) -> bytes:
    """Write CSV (UTF-8), one line for each column: how often trees ask about it, and its splits.

    Parameters
    ----------
    result : StabilityResult
        The study's result.
    keep_formulas : bool
        See `odt_core.export.csv_cells.signed_csv`.
    """
    rows: list[list[object]] = [["column", "asked", "at_root", "refits", "cuts_or_sets"]]
    for column in result.columns:
        places = [f"{cut.cut:.12g} ({cut.n})" for cut in column.cuts]
        places += [f"{one.words} ({one.n})" for one in column.sets]
        rows.append(
            [column.name, column.asked, column.at_root, len(result.fitted), "; ".join(places)]
        )
    return signed_csv(rows, keep_formulas=keep_formulas)


def rows_csv(result: StabilityResult) -> bytes:
    """Write CSV (UTF-8), one line for each training row: leaf, answer, how often it changes."""
    rows: list[list[object]] = [["row", "leaf", "answer_positive", "changed", "refits", "share"]]
    original, found = result.original, result.rows
    if original is not None and found is not None:
        for row, leaf, changed in zip(original.rows, original.leaves, found.changed, strict=True):
            share = round(changed / found.n, 4)
            label = int(original.labels[leaf])
            rows.append([row + 1, leaf + 1, label, changed, found.n, share])
    return signed_csv(rows)
