"""The rules, read again as a person would read them, give every row the tree's answer."""

from __future__ import annotations

import re
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from odt_core.problem import EncodedData, Feature
from odt_core.tree import Tree, build_tree
from tests.core.trees import export_tree, make_problem, random_assignment, unhurried, without_rules

RULE = re.compile(r"\d+\. (?P<label>\w+) \(.*? training rows? (?:is|are) \w+\): (?P<rule>.*)")
NUMBER = r"-?[\d.]+(?:e-?\d+)?"
BETWEEN = re.compile(rf"({NUMBER}) < \w+ <= ({NUMBER})")


def plain_tree(random: Random) -> tuple[Tree, EncodedData]:
    """A canonical tree whose names are single words."""
    problem = without_rules(make_problem(random))
    splits, labels = random_assignment(random, problem)
    return build_tree(problem, splits, labels), problem.data


def holds(condition: str, name: str, feature: Feature, code: int) -> bool:
    """Whether a condition holds for a row with this code of the feature that it names."""
    value = feature.values[code]
    is_missing = feature.has_missing and code == feature.n_values - 1
    words = condition.removesuffix(" (or missing)").removesuffix(" or missing")
    if is_missing:
        return "missing" in condition and "not missing" not in condition
    if not feature.is_numerical:
        for negation in ("is not ", "is neither ", "is none of "):
            if condition.startswith(f"{name} {negation}"):
                rest = condition.removeprefix(f"{name} {negation}")
                return value not in re.split(r", | nor ", rest)
        return value in re.split(r", | or ", condition.removeprefix(f"{name} is "))
    if condition in (f"{name} is missing", f"{name} is not missing"):
        return condition.endswith("not missing")
    low = feature.cuts[code - 1] if code else -np.inf
    high = feature.cuts[code] if code < len(feature.cuts) else np.inf
    between = BETWEEN.fullmatch(words)
    if between:
        return float(between[1]) <= low and high <= float(between[2])
    sign, number = words.removeprefix(f"{name} ").split(" ")[:2]
    return high <= float(number) if sign == "<=" else low >= float(number)


@unhurried
@given(st.randoms(use_true_random=False))
def test_exactly_one_rule_holds_for_each_training_row_and_has_its_answer(random: Random) -> None:
    tree, data = plain_tree(random)
    text = export_tree(tree, "rules").decode()
    rules = [found for line in text.splitlines() if (found := RULE.fullmatch(line))]
    assert len(rules) == tree.n_leaves
    features = {feature.name: g for g, feature in enumerate(tree.features)}
    for codes, answer in zip(data.codes, tree.predict(data.codes), strict=True):
        met = []
        for rule in rules:
            conditions = [] if rule["rule"] == "every row" else rule["rule"].split(" AND ")
            named = [next(w for w in c.split() if w in features) for c in conditions]
            if all(
                holds(condition, name, tree.features[features[name]], int(codes[features[name]]))
                for condition, name in zip(conditions, named, strict=True)
            ):
                met.append(rule["label"])
        assert met == [tree.label_name(bool(answer))], (text, codes)
