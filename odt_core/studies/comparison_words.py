"""The results of a comparison in sentences; plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from odt_core.evaluation import Baseline, Measure, ResampledMean
from odt_core.studies.comparison_table import CandidateRow, Comparison
from odt_core.words import (
    capitalized,
    count_words,
    list_words,
    number_words,
    percent_words,
    signed_points,
)

INTERVALS = (
    "The 95% intervals allow for training sets that overlap (Nadeau and Bengio's corrected "
    "resampled t)."
)
SAME = "(the same in every fold)"
SIMPLICITY = (
    "Simpler means: fewer questions in the shape, then fewer levels, then smaller sets of "
    "categories, then coarser cut points, then fewer columns to choose from."
)


def interval_words(found: ResampledMean | None) -> str:
    """A rate with its interval; "-" without one.

    If all folds agree, the text says so instead of an interval without width.

    Examples
    --------
    >>> interval_words(ResampledMean(5, 0.95, 0.02, 0.894, 1.006).within(0.0, 1.0))
    '95.0% (89.4% to 100%)'
    >>> interval_words(ResampledMean(5, 0.95, 0.0, 0.95, 0.95))
    '95.0% (the same in every fold)'
    """
    return _with_interval(found, percent_words)


def points_words(found: ResampledMean | None) -> str:
    """A difference in percentage points with its interval; "-" without one.

    Examples
    --------
    >>> points_words(ResampledMean(5, -0.012, 0.01, -0.0398, 0.0158))
    '-1.2 (-4.0 to +1.6)'
    """
    return _with_interval(found, signed_points)


def _with_interval(found: ResampledMean | None, write: Callable[[float], str]) -> str:
    if found is None:
        return "-"
    mean = write(found.mean)
    if found.is_constant:
        return f"{mean} {SAME}"
    if found.low is None or found.high is None:
        return mean
    return f"{mean} ({write(found.low)} to {write(found.high)})"


def short_seconds(seconds: float) -> str:
    """A number of seconds for a table.

    Examples
    --------
    >>> short_seconds(0.00005), short_seconds(0.0234), short_seconds(44.1)
    ('<0.01', '0.02', '44')
    """
    if seconds < 0.01:
        return "<0.01"
    if seconds < 1:
        return f"{seconds:.2f}"
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def measure_words(comparison: Comparison) -> str:
    """The name of the rate by which candidates are compared."""
    is_weighted = comparison.objective.class_weight != 1
    return f"{'weighted ' if is_weighted else ''}{comparison.measure.words}"


def verdict_words(comparison: Comparison) -> list[str]:
    """The best tree, the simplest of nearly equal worth, and the caveats."""
    if comparison.best is None:
        return ["No candidate has a tree in every fold, so none can be called the best."]
    assert comparison.simplest is not None
    best, simplest = comparison.rows[comparison.best], comparison.rows[comparison.simplest]
    assert best.score is not None
    found = [f"{_best_words(comparison, best)} {capitalized(_rate_words(comparison, best))}."]
    if best.score.error is not None:
        error = f"one standard error of the best ({100 * best.score.error:.1f} points)"
        if not comparison.has_simpler:
            found.append("There is no simpler candidate.")
        elif simplest is best:
            found.append(f"No simpler tree comes within {error}.")
        else:
            measure = capitalized(measure_words(comparison))
            found.append(
                f"Simplest within {error}: {simplest.words}. {measure} "
                f"{interval_words(simplest.score)}."
            )
    return found + [
        *_baseline_words(comparison),
        *_floor_words(comparison, () if simplest is best else (simplest,)),
        *_lacking_words(comparison),
    ]


def _best_words(comparison: Comparison, best: CandidateRow) -> str:
    """Name the best tree. Say how many folds are done if some are missing."""
    if not comparison.is_partial:
        return f"Best: {best.words}."
    folds = count_words(comparison.n_asked or 0, "fold")
    return f"Best so far: {best.words}, after {comparison.n_folds} of {folds}."


def _rate_words(comparison: Comparison, row: CandidateRow) -> str:
    """The best tree's rates on test rows. With a floor, both classes' rates come first."""
    rate, where = measure_words(comparison), "on the test rows of the folds"
    if not comparison.floors:
        return f"{rate} {where} {interval_words(row.score)}"
    found = [
        f"{measure.words} {percent_words(mean)}{_held_words(comparison, row, measure)}"
        for measure in (Measure.SENSITIVITY, Measure.SPECIFICITY)
        if measure is not comparison.measure and (mean := row.test(measure).mean) is not None
    ]
    own = _held_words(comparison, row, comparison.measure)
    return f"{list_words([*found, f'{rate} {interval_words(row.score)}{own}'], ' and ')} {where}"


def _held_words(comparison: Comparison, row: CandidateRow, measure: Measure) -> str:
    """The number of folds in which a rate's floor holds in test; empty without a floor."""
    floor = dict(comparison.floors).get(measure)
    if floor is None:
        return ""
    n = row.test(measure).n
    held = n - row.n_below(measure, floor)
    share = number_words(100 * floor)
    return f" (the floor of {share}% held in {held} of {count_words(n, 'fold')})"


def _baseline_words(comparison: Comparison) -> list[str]:
    """Baselines that do better than the best tree, or the majority class if it beats the simplest.

    A user who takes the simplest tree must know if it is worse than no tree.
    """
    found = []
    for row in comparison.better_baselines:
        difference = row.difference
        assert difference is not None
        text = f"{row.words} does better than the best tree: {points_words(difference)} points."
        if difference.low is not None and difference.low < 0:
            text += " The interval includes no difference."
        found.append(text)
    assert comparison.simplest is not None
    simplest = comparison.rows[comparison.simplest].score
    for row in comparison.rows:
        if row.candidate is not Baseline.COMMONER_CLASS or row in comparison.better_baselines:
            continue
        if row.score and simplest and row.score.mean > simplest.mean:
            found.append(
                f"{row.words} does better than the simplest tree: {interval_words(row.score)}. "
                "Take the best tree instead."
            )
    return found


def _floor_words(comparison: Comparison, rows: Sequence[CandidateRow]) -> list[str]:
    """The number of folds in which a floor that holds in training fails in test."""
    return [
        f"{capitalized(row.words)}: {measure.words} in test is below the floor of "
        f"{number_words(100 * floor)}% in {row.n_below(measure, floor)} of "
        f"{count_words(row.n_trees, 'fold')}."
        for row in rows
        for measure, floor in comparison.floors
    ]


def _lacking_words(comparison: Comparison) -> list[str]:
    """Name candidates with trees that are not proved, or without a tree in some fold."""
    trees = [row for row in comparison.rows if not row.is_baseline]
    found = [
        f"{capitalized(row.words)} has a tree in {row.n_trees} of "
        f"{count_words(len(row.runs), 'fold')}. In the others no tree keeps the floors, or none "
        "was found in time."
        for row in trees
        if row.n_trees < len(row.runs)
    ]
    unproved = [row.words for row in trees if row.n_proved < row.n_trees]
    if unproved:
        found.append(
            f"Not every tree is proved the best of its shape ({list_words(unproved, '; ')}): give "
            "a longer time limit."
        )
    return found


def honesty_words(comparison: Comparison) -> str:
    """Warn that the best candidate's rate is a little too good; empty for one tree."""
    n = sum(not row.is_baseline for row in comparison.rows)
    if n < 2:
        return ""
    return (
        f"The best of {count_words(n, 'candidate')} looks a little better here than it is. Rows "
        "that took no part in the comparison give its honest rate."
    )
