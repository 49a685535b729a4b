"""The results of a stability study in sentences; plain text."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from odt_core.studies.stability import Outline
from odt_core.studies.stability_result import FEW, Optimism, StabilityResult
from odt_core.words import capitalized, count_words, percent_words, printable, signed_points

PROVED = (
    "The exact search proved each tree the best on its resample; the integer program was not run."
)
ROWS = "A resample has as many rows as the training set, drawn from it with replacement."
GROUPS = (
    "A resample has as many groups as the training set, drawn from it with replacement. The rows "
    "of a group stay together, so the number of rows varies."
)
DRAWN_ALONE = "Cut points, categories and selected columns come from the drawn rows alone."
OPTIMISM = (
    "Optimism is how much higher a rate is on the rows that trained a tree than on all training "
    "rows, on average over the resamples. The rate on the training rows minus the optimism is an "
    "estimate for new rows (Harrell)."
)
INTERVAL = (
    "Its 95% interval is the interval of the rate on the training rows, minus the optimism. It "
    "does not include the uncertainty of the optimism."
)


def meaning_words(*, grouped: bool) -> str:
    """Explain what a resample is.

    Parameters
    ----------
    grouped : bool
        Whether a group column keeps rows together.
    """
    return f"{GROUPS if grouped else ROWS} {DRAWN_ALONE}"


def remarks(result: StabilityResult, *, grouped: bool) -> list[str]:
    """Explain resamples and optimism, and name the prover if all trees are proved."""
    is_proved = 0 < result.n_proved == len(result.fitted)
    has_interval = result.optimism is not None and result.optimism.has_interval
    optimism = f"{OPTIMISM} {INTERVAL}" if has_interval else OPTIMISM
    return [meaning_words(grouped=grouped), *([PROVED] if is_proved else []), optimism]


def headline_words(result: StabilityResult) -> str:
    """The first sentence: the columns of the first question."""
    n = len(result.fitted)
    if not n:
        return "No resample has a tree."
    roots = [column for column in result.columns if column.at_root]
    resamples = count_words(n, "resample")
    if not roots:
        return f"In {resamples} the tree asked nothing."
    roots.sort(key=lambda column: -column.at_root)
    first, *others = (
        f"{printable(column.name)} {count_words(column.at_root, 'time')}" for column in roots
    )
    text = f"In {resamples} the first question was about {first}"
    if others:
        text += f", about {others[0]}"
    if len(others) > 1:
        more = sum(column.at_root for column in roots[2:])
        text += (
            f" and about {count_words(len(others) - 1, 'other column')} {count_words(more, 'time')}"
        )
    if (silent := n - sum(column.at_root for column in roots)) > 0:
        text += f"; {count_words(silent, 'tree')} asked nothing"
    return f"{text}."


def stability_sentences(result: StabilityResult) -> list[str]:
    """The results in sentences, the most important first."""
    n = len(result.fitted)
    if not n:
        return [headline_words(result), *_doubt_sentences(result)]
    found = [headline_words(result), _trees_words(result)]
    rows, original = result.rows, result.original
    if rows is not None and original is not None:
        found.append(
            f"The answer for a training row changes in {percent_words(rows.mean)} of the "
            f"resamples on average. It never changes for {rows.never:,} of "
            f"{count_words(len(rows.changed), 'row')}, and changes in at least a quarter of the "
            f"resamples for {rows.often:,}."
        )
    if result.optimism is not None:
        found += optimism_sentences(result)
    return [*found, *_doubt_sentences(result)]


def _trees_words(result: StabilityResult) -> str:
    """The number of different trees, and the most frequent tree."""
    n, same = len(result.fitted), result.n_same
    trees = count_words(result.trees, "different tree")
    text = f"There are {trees}" if result.trees > 1 else f"There is {trees}"
    if result.structures < result.trees:
        apart = count_words(result.structures, "different tree")
        text += f", or {apart} if cut points and sets of categories are ignored"
    text += f". The most frequent tree occurs {count_words(result.commonest_n, 'time')}"
    if result.original is not None:
        text += f"; the tree of all training rows occurs {count_words(same, 'time')} in {n:,}"
    return f"{text}."


def optimism_sentences(result: StabilityResult) -> list[str]:
    """The corrected rates in one sentence."""
    assert result.optimism is not None
    parts = [
        f"{name} {percent_words(rate.apparent)} on the training rows, "
        f"{corrected_words(rate)} corrected for optimism{_interval_note(rate)}"
        for name, rate in result.optimism.named
    ]
    text = "; ".join(parts)
    return [f"{capitalized(text)}."]


def _interval_note(rate: Optimism) -> str:
    return "" if rate.interval is None else f" (95% interval {interval_words(rate)})"


def interval_words(rate: Optimism) -> str:
    """The interval of the corrected rate; empty with few refits."""
    if rate.interval is None:
        return ""
    return " to ".join(percent_words(end) for end in rate.interval)


def corrected_words(rate: Optimism) -> str:
    """The corrected rate, kept within 0% and 100%."""
    return percent_words(min(max(rate.corrected, Fraction(0)), Fraction(1)))


def points_of(rate: Optimism) -> str:
    """The optimism in percentage points, with its sign."""
    return signed_points(rate.optimism)


def _doubt_sentences(result: StabilityResult) -> list[str]:
    """Sentences about trees without proof, missing trees, repeated draws and few resamples."""
    found, n = [], len(result.fitted)
    if result.n_proved < n:
        open_trees = count_words(n - result.n_proved, "tree is", "trees are")
        found.append(f"{open_trees} not proved the best: give a longer time limit.")
    if result.left_out:
        without = count_words(len(result.left_out), "resample has", "resamples have")
        found.append(
            f"{without} no tree, and these results leave them out. The first reason: "
            f"{result.left_out[0].reason}"
        )
    if result.n_redrawn:
        were = "was" if result.n_redrawn == 1 else "were"
        draws = count_words(result.n_redrawn, "draw")
        found.append(f"{draws} had rows of one class only and {were} drawn again.")
    if 0 < n < FEW:
        found.append(f"Use at least {FEW} resamples for steadier numbers.")
    return found


def outline_lines(outline: Outline, labels: Sequence[str]) -> list[str]:
    """Write a tree as indented lines.

    Parameters
    ----------
    outline : bool or Question
        The tree.
    labels : sequence of str
        The words for the negative and the positive class.

    Examples
    --------
    >>> from odt_core.studies.stability import Question
    >>> outline_lines(Question("size", "<= 3", 3.0, False, True), ("small", "large"))
    ['size <= 3?', '  yes: small', '  no: large']
    """
    if isinstance(outline, bool):
        return [printable(labels[outline])]
    found = [f"{printable(outline.column)} {outline.predicate}?"]
    for answer, below in (("yes", outline.yes), ("no", outline.no)):
        first, *rest = outline_lines(below, labels)
        found += [f"  {answer}: {first}", *(f"  {line}" for line in rest)]
    return found
