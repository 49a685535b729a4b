"""The first sentence about a tree follows its goal and its test rows."""

from __future__ import annotations

from fractions import Fraction

import pytest

from odt_core.confusion import Confusion
from odt_core.evaluation import VALIDATION, Tone, Verdict, metrics, verdict
from odt_core.problem import Goal, Objective

FLOOR = Objective(Goal.MAX_TNR, min_tpr=Fraction(95, 100))


def judged(objective: Objective, train: Confusion, test: Confusion | None) -> Verdict:
    return verdict(objective, metrics(train), None if test is None else metrics(test))


def test_a_floor_is_named_beside_what_the_test_rows_reach() -> None:
    found = judged(FLOOR, Confusion(192, 98, 102, 8), Confusion(143, 99, 101, 7))
    assert found.short == "test specificity 50.5% at a sensitivity of 95.3% (floor 95%)"
    assert found.text == (
        "On 350 test rows, specificity 50.5% (95% interval 43.6% to 57.4%) at a sensitivity of "
        "95.3% (floor 95%); in training 51.0% at 96.0%."
    )
    assert found.tone is Tone.GOOD


def test_without_test_rows_the_verdict_is_about_training_only() -> None:
    found = judged(Objective(), Confusion(120, 0, 216, 96), None)
    assert found.tone is Tone.UNTESTED
    assert found.short == "no test rows; training accuracy 77.8%"
    assert "On the 432 training rows, accuracy 77.8%." in found.text


@pytest.mark.parametrize(
    ("train", "test", "tone"),
    [
        (Confusion(90, 5, 95, 10), Confusion(88, 6, 94, 12), Tone.GOOD),
        (Confusion(90, 5, 95, 10), Confusion(86, 10, 90, 14), Tone.CAUTION),
        (Confusion(90, 5, 95, 10), Confusion(60, 30, 70, 40), Tone.BAD),
        # two of six right where training had 81%
        (Confusion(9, 2, 8, 2), Confusion(1, 2, 1, 2), Tone.BAD),
        # as good as training, but nobody can tell from six rows
        (Confusion(9, 2, 8, 2), Confusion(3, 0, 2, 1), Tone.CAUTION),
    ],
)
def test_the_tone_follows_the_fall_from_training_to_test(
    train: Confusion, test: Confusion, tone: Tone
) -> None:
    assert judged(Objective(), train, test).tone is tone


def test_a_floor_that_one_answer_for_every_row_keeps_is_bad_news() -> None:
    found = judged(FLOOR, Confusion(78, 82, 0, 0), Confusion(20, 20, 0, 0))
    assert found.tone is Tone.BAD
    assert found.remark == "In test it tells the classes apart no better than chance."


def test_an_accuracy_that_one_answer_reaches_is_bad_news() -> None:
    found = judged(Objective(), Confusion(5, 1, 180, 14), Confusion(0, 2, 178, 20))
    assert found.tone is Tone.BAD
    assert found.remark.endswith("as the answer for every test row, would be right in 90.0%.")


def test_a_floor_that_test_rows_miss_is_reported_without_rounding_up() -> None:
    found = judged(FLOOR, Confusion(950, 400, 600, 50), Confusion(9497, 4000, 6000, 503))
    assert "a sensitivity of 94.97% (floor 95%)" in found.short
    assert found.tone is Tone.CAUTION
    assert found.remark == "The sensitivity is below its floor in test."
    low = judged(FLOOR, Confusion(950, 400, 600, 50), Confusion(850, 400, 600, 150))
    assert low.tone is Tone.BAD and "whole interval" in low.remark


def test_weighted_classes_are_judged_apart() -> None:
    found = judged(
        Objective(class_weight=Fraction(3)), Confusion(90, 5, 95, 10), Confusion(45, 3, 47, 5)
    )
    assert found.short == "test sensitivity 90.0% and specificity 94.0%"


def test_balanced_accuracy_is_the_measure_of_its_goal() -> None:
    found = judged(Objective(Goal.BALANCED), Confusion(9, 10, 90, 1), Confusion(8, 10, 90, 2))
    assert found.short == "test balanced accuracy 85.0%"


def test_test_rows_of_one_class_cannot_show_the_other() -> None:
    found = judged(FLOOR, Confusion(19, 10, 10, 1), Confusion(0, 5, 5, 0))
    assert found.short == "test specificity 50.0% at an unknown sensitivity (floor 95%)"
    assert found.tone is Tone.CAUTION
    assert "cannot show the sensitivity" in found.remark


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (Confusion(1, 0, 59, 0), "The positive class has only 1 test row"),
        (Confusion(50, 0, 4, 0), "The negative class has only 4 test rows"),
    ],
)
def test_a_class_of_few_test_rows_is_no_good_news(test: Confusion, words: str) -> None:
    found = judged(Objective(), Confusion(200, 0, 200, 0), test)
    assert found.tone is Tone.CAUTION
    assert found.remark.startswith(words) and "No clear difference" not in found.remark


def test_a_class_of_five_test_rows_is_enough() -> None:
    found = judged(Objective(), Confusion(200, 0, 200, 0), Confusion(5, 0, 55, 0))
    assert found.tone is Tone.GOOD
    assert found.remark == "No clear difference between test and training."


def test_good_news_never_says_that_all_rates_agree() -> None:
    # accuracy holds, sensitivity falls from 90% to 82.5% without significance
    train, test = Confusion(180, 20, 180, 20), Confusion(33, 1, 39, 7)
    found = verdict(Objective(), metrics(train), metrics(test), VALIDATION)
    assert found.tone is Tone.GOOD
    assert found.remark == "No clear difference between validation and training."


def test_one_class_alone_is_no_contest_for_accuracy() -> None:
    found = judged(Objective(), Confusion(90, 5, 95, 10), Confusion(48, 0, 0, 2))
    assert found.tone is Tone.CAUTION
    assert (
        found.remark == "The test rows cannot show the specificity: none is of the negative class."
    )
