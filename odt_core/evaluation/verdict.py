"""The verdict on a tree: one sentence on its test rows, for the goal that it was trained for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from odt_core.data.division_checks import FEWEST_TEST
from odt_core.evaluation.measures import Measure
from odt_core.evaluation.rates import Estimate, Floor, Metrics, Rate, floors
from odt_core.problem import Goal, Objective
from odt_core.words import count_words, list_words, number_words, percent_words

SLIGHT_FALL = 0.03
"""A measure still holds if it falls by no more than this from training to test."""

LARGE_FALL = 0.15
"""A larger fall than this is bad news, even with few test rows."""

CLEAR_FALL = 0.05
"""A larger fall than this is bad news too if the interval excludes the training value."""

WIDE = 0.10
"""If the interval reaches further than this below the training value, the test settles nothing."""


TEST, VALIDATION = "test", "validation"
"""The usual name of the rows that did not train."""


class Tone(StrEnum):
    """How good the news is, for colours and signs."""

    GOOD = "good"
    CAUTION = "caution"
    BAD = "bad"
    UNTESTED = "untested"


@dataclass(frozen=True)
class Verdict:
    """A tree's result on test rows, in plain words.

    Attributes
    ----------
    text : str
        One sentence with the 95% interval: the measure of the goal and the rates that have floors.
    remark : str
        What to conclude from it, in one or two sentences.
    short : str
        The result in a few words, for a line or a table's cell.
    tone : Tone
        How far the test rows fall below training.
    """

    text: str
    remark: str
    short: str
    tone: Tone


def verdict(
    objective: Objective, train: Metrics, test: Metrics | None, held_out: str = TEST
) -> Verdict:
    """Judge a tree by its test rows.

    Parameters
    ----------
    objective : Objective
        The goal chooses the measure; a rate with a floor is named beside its floor.
    test : Metrics or None
        The rates of the test rows; None without test rows.
    held_out : str
        Name of the rows that did not train: ``test``, or ``validation`` if they come from another
        file.

    Returns
    -------
    Verdict
        The tone is `Tone.BAD` in four cases. A measure falls by more than `LARGE_FALL`, or by more
        than `CLEAR_FALL` to an interval that excludes the training value. The whole interval of a
        rate is below its floor. The goal is accuracy, and one answer for every row would do as
        well. The goal is another one, and answers by chance would do as well.
        The tone is `Tone.GOOD` if no measure falls by more than `SLIGHT_FALL`, every floor is
        reached, no interval reaches further than `WIDE` below training, and each class has at
        least `FEWEST_TEST` test rows. Otherwise it is `Tone.CAUTION`.

    Examples
    --------
    >>> from odt_core.confusion import Confusion
    >>> from odt_core.evaluation import metrics
    >>> train, test = (metrics(Confusion(tp, 5, 95, 100 - tp)) for tp in (95, 93))
    >>> verdict(Objective(), train, test).short
    'test accuracy 94.0%'
    """
    names = _measures(objective)
    if test is None:
        short = _reached(names, objective, train)
        return Verdict(
            text=f"Not tested: there are no test rows, so only training is known. On the "
            f"{count_words(train.confusion.n, 'training row')}, {short}.",
            remark="Keep some rows for testing to see how the tree does on new cases.",
            short=f"no test rows; training {short}",
            tone=Tone.UNTESTED,
        )
    tone, remark = _judgement(names, objective, train, test, held_out)
    found = _reached(names, objective, test, intervals=True)
    return Verdict(
        text=f"On {count_words(test.confusion.n, f'{held_out} row')}, {found}; "
        f"in training {_reached(names, objective, train, named=False)}.",
        remark=remark,
        short=f"{held_out} {_reached(names, objective, test)}",
        tone=tone,
    )


def _measures(objective: Objective) -> tuple[str, ...]:
    """The goal's own measures, as names of attributes of `Metrics`."""
    if objective.class_weight != 1:
        return "sensitivity", "specificity"
    return (Measure.of_goal(objective.goal).value,)


def _reached(
    names: tuple[str, ...],
    objective: Objective,
    found: Metrics,
    *,
    intervals: bool = False,
    named: bool = True,
) -> str:
    """Write what was reached: ``specificity 50.5% at a sensitivity of 95.3% (floor 95%)``.

    Parameters
    ----------
    intervals : bool
        Whether to add the intervals of the goal's own measures.
    named : bool
        Whether to name measures and floors. Otherwise the text has only the values.
    """
    asked = {floor.name: floor for floor in floors(objective, found, None)}
    parts = []
    for name in names:
        value = getattr(found, name)
        text = _value(value, asked.get(name))
        if intervals and value.low is not None and value.high is not None:
            text += f" (95% interval {percent_words(value.low)} to {percent_words(value.high)})"
        if named:
            text = f"{name.replace('_', ' ')} {text}{_floor(asked.get(name))}"
        parts.append(text)
    beside = [
        f"{_rate_of(name, floor)}{_floor(floor)}" if named else _value(floor.train, floor)
        for name, floor in asked.items()
        if name not in names
    ]
    return " at ".join(list_words(group, " and ") for group in (parts, beside) if group)


def _rate_of(name: str, floor: Floor) -> str:
    if floor.train.value is None:
        return f"an unknown {name}"
    return f"a {name} of {_value(floor.train, floor)}"


def _value(value: Rate | Estimate, floor: Floor | None) -> str:
    """Write a share as a percentage. A rate below its floor never reads like the floor."""
    if value.value is None:
        return "unknown"
    exact = value.exact if isinstance(value, Rate) else None
    if floor is None or exact is None:
        return percent_words(value.value)
    digits = 1
    while exact < floor.asked and round(exact, digits + 2) >= floor.asked and digits < 6:
        digits += 1
    return percent_words(exact, digits)


def _floor(floor: Floor | None) -> str:
    return "" if floor is None else f" (floor {number_words(100 * floor.asked)}%)"


def _judgement(
    names: tuple[str, ...], objective: Objective, train: Metrics, test: Metrics, held_out: str
) -> tuple[Tone, str]:
    """The tone, and the sentences that explain it."""
    judged = [
        *(_fall(name, getattr(train, name), getattr(test, name), held_out) for name in names),
        *(_floor_kept(floor, held_out) for floor in floors(objective, train, test)),
    ]
    judged.append(
        _beside_one_answer(test, held_out)
        if objective == Objective(Goal.ACCURACY)
        else _beside_chance(test, held_out)
    )
    absent = _absent_class(test, held_out)
    judged += [
        absent,
        _few_rows("positive", test.confusion.n_positive, held_out),
        _few_rows("negative", test.confusion.n_negative, held_out),
    ]
    order = (Tone.BAD, Tone.CAUTION, Tone.GOOD)
    worst = next(tone for tone in order if any(tone is found for found, _ in judged))
    if worst is Tone.GOOD:
        return worst, f"No clear difference between {held_out} and training."
    said = [words for tone, words in judged if tone is worst]
    return worst, " ".join(dict.fromkeys([absent[1], *said] if absent[1] else said))


def _fall(
    name: str, train: Rate | Estimate, test: Rate | Estimate, held_out: str
) -> tuple[Tone, str]:
    """Judge how far a measure of the goal falls from training to the held-out rows."""
    words = name.replace("_", " ")
    if train.value is None or test.value is None or test.low is None or test.high is None:
        return Tone.CAUTION, _unknown(words, held_out)
    fall = train.value - test.value
    lower = f"{number_words(round(100 * fall, 1))} points lower in {held_out}"
    points = f"{words.capitalize()} is {lower}"
    if fall > LARGE_FALL or (fall > CLEAR_FALL and test.high < train.value):
        return Tone.BAD, f"{points} than in training: the training figures are too good."
    if fall > SLIGHT_FALL:
        return Tone.CAUTION, f"{points} than in training."
    if test.low < train.value - WIDE:
        return Tone.CAUTION, f"The {held_out} rows are too few to tell how well this holds."
    return Tone.GOOD, ""


def _unknown(name: str, held_out: str) -> str:
    which = {"sensitivity": "of the positive class", "specificity": "of the negative class"}
    none = f"none is {which[name]}" if name in which else "one class has none there"
    return f"The {held_out} rows cannot show the {name}: {none}."


def _absent_class(test: Metrics, held_out: str) -> tuple[Tone, str]:
    """Judge whether each class has held-out rows; without any, a rate cannot be judged."""
    for rate, n_rows in (
        ("sensitivity", test.confusion.n_positive),
        ("specificity", test.confusion.n_negative),
    ):
        if not n_rows:
            return Tone.CAUTION, _unknown(rate, held_out)
    return Tone.GOOD, ""


def _floor_kept(floor: Floor, held_out: str) -> tuple[Tone, str]:
    """Judge whether the held-out rows keep a floor."""
    if floor.test is None or floor.test.high is None:
        return Tone.CAUTION, _unknown(floor.name, held_out)
    if floor.test.high < floor.asked:
        return Tone.BAD, f"The whole interval of the {floor.name} is below its floor."
    if not floor.met_in_test:
        return Tone.CAUTION, f"The {floor.name} is below its floor in {held_out}."
    return Tone.GOOD, ""


def _few_rows(which: str, n_rows: int, held_out: str) -> tuple[Tone, str]:
    """Judge whether a class has enough held-out rows to show how well the tree recognises it."""
    if not 0 < n_rows < FEWEST_TEST:  # without any row, another sentence says so
        return Tone.GOOD, ""
    return Tone.CAUTION, (
        f"The {which} class has only {count_words(n_rows, f'{held_out} row')}: too few to tell how "
        "well the tree does on that class."
    )


def _beside_one_answer(test: Metrics, held_out: str) -> tuple[Tone, str]:
    """Judge whether accuracy is better than with one answer for every row."""
    counts = test.confusion
    frequent = max(counts.n_positive, counts.n_negative)
    if counts.n - counts.errors > frequent or frequent == counts.n:  # one class alone: no contest
        return Tone.GOOD, ""
    share = percent_words(Fraction(frequent, max(counts.n, 1)))
    return Tone.BAD, (
        f"The more frequent class alone, as the answer for every {held_out} row, would be right "
        f"in {share}."
    )


def _beside_chance(test: Metrics, held_out: str) -> tuple[Tone, str]:
    """Judge whether the two rates together are better than answers by chance.

    One answer for every row can keep a floor on one rate, in training and in test.
    """
    one, other = test.sensitivity.exact, test.specificity.exact
    if one is None or other is None or one + other > 1:
        return Tone.GOOD, ""
    return Tone.BAD, f"In {held_out} it tells the classes apart no better than chance."
