"""The settings of a run in words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from odt_core.data import Binning, ColumnKind, ColumnSchema, Schema, SplitSpec
from odt_core.problem import Goal, Objective, SmallestLeaf
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import Topology
from odt_core.training import (
    FeatureSelection,
    NodeRuleSpec,
    RulesSpec,
    TrainSpec,
    settings_words,
)
from odt_core.training.settings import division_words

AGE, SEX, PULSE = (
    ColumnSchema("age", ColumnKind.NUMERICAL),
    ColumnSchema("sex", ColumnKind.CATEGORICAL),
    ColumnSchema("pulse", ColumnKind.NUMERICAL),
)
PLAIN = TrainSpec(
    Schema("ill", "yes", (AGE, SEX, PULSE)), SplitSpec.parse("80%"), Topology.parse("depth-2")
)


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        (
            {"objective": Objective(Goal.MAX_TNR, min_tpr=Fraction(955, 1000))},
            "Floors",
            "sensitivity (TPR) at least 95.5%",
        ),
        ({"objective": Objective(class_weight=Fraction(3, 2))}, "Class weight C", "3/2"),
        ({"max_card": 2}, "Largest set of categories", "2"),
        ({"time_limit": 7.0}, "Time limit", "7 s"),
        ({"forbid_empty_branches": True}, "Rules", "no empty branches"),
        ({"feature_selection": FeatureSelection.CART}, "Rules", "only columns that CART uses"),
        ({"smallest_leaf": SmallestLeaf(5)}, "Smallest leaf", "5 rows"),
        ({"threads": 2}, "Threads", "2"),
        ({"mip": MipOptions(anchor=False)}, "Integer program", "anchor off"),
        ({"mip": MipOptions(confirm_always=True)}, "Integer program", "confirm always on"),
        ({"split": SplitSpec.parse("all")}, "Split", "train on every row, test on none"),
        (
            {"schema": PLAIN.schema.with_binning("age", Binning.at([18, 65]))},
            "Cut points",
            "at 18, 65; pulse: deciles",
        ),
        (
            {"rules": RulesSpec(("sex",), (NodeRuleSpec(1, feature="age", threshold=50.0),))},
            "Rules",
            "no question about sex; question 1: age ≤ 50?",
        ),
        (
            {"rules": RulesSpec((), (NodeRuleSpec(2, features=("age", "sex")),))},
            "Rules",
            "question 2: only about age or sex",
        ),
    ],
)
def test_every_setting_that_a_run_can_have_is_reported(
    changes: dict[str, object], name: str, words: str
) -> None:
    before, after = settings_words(PLAIN), settings_words(replace(PLAIN, **changes))  # type: ignore[arg-type]
    assert after[name] == words and before[name] != words
    assert {field for field in after if after[field] != before[field]} == {name}
    assert list(after) == list(before)


def test_a_long_list_is_cut_short_with_how_many_are_left() -> None:
    rule = NodeRuleSpec(1, feature="sex", categories=tuple("abcdefg"))
    words = settings_words(replace(PLAIN, rules=RulesSpec((), (rule,))))["Rules"]
    assert words == "question 1: sex is a, b, c, d or 3 others?"


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        ("600", None, "train on 600 rows, test on the rest, seed 0"),
        (
            "paper",
            "50%",
            "train on the smaller of 90% and 600 rows, test on 50% of the rest, seed 0",
        ),
    ],
)
def test_a_split_is_reported_as_it_was_asked(train: str, test: str | None, words: str) -> None:
    assert division_words(SplitSpec.parse(train, test)) == words
