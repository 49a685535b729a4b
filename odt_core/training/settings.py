"""The settings of a training run in words."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from odt_core.data import BinMethod, Binning, ColumnKind, Fold, Schema, SplitSpec
from odt_core.data.sizes import Size
from odt_core.exact import shortest_decimal
from odt_core.problem import Problem
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import AnyShape
from odt_core.training.spec import FeatureSelection, NodeRuleSpec, RulesSpec, TrainSpec
from odt_core.words import (
    count_words,
    floor_words,
    list_words,
    number_words,
    seconds_words,
    smallest_leaf_words,
)

MOST_NAMED = 4
"""The most categories, columns or cut points that one setting names."""


def settings_words(spec: TrainSpec, question_rules: Sequence[str] | None = None) -> dict[str, str]:
    """Return a run's settings by name, without shape, goal and outcome.

    Parameters
    ----------
    spec : TrainSpec
        The run's specification.
    question_rules : sequence of str, optional
        The rules for single questions in words. By default, the numbers of questions are those of
        the shape's nodes.

    Returns
    -------
    dict of str to str
        Plain text; "" for a condition that is not set. The names are always the same.
    """
    objective, mip = spec.objective, spec.mip
    default = MipOptions()
    switched = [
        field.name.replace("_", " ") + (" on" if getattr(mip, field.name) else " off")
        for field in dataclasses.fields(MipOptions)
        if getattr(mip, field.name) != getattr(default, field.name)
    ]
    rules = [f"no question about {name}" for name in spec.rules.forbidden]
    if question_rules is None:
        question_rules = [node_rule_words(rule) for rule in spec.rules.nodes]
    rules += question_rules
    if spec.forbid_empty_branches:
        rules.append("no empty branches")
    if spec.feature_selection is FeatureSelection.CART:
        least = "" if spec.least_features == 1 else f", at least {spec.least_features}"
        rules.append(f"only columns that CART uses{least}")
    weight = objective.class_weight
    return {
        "Floors": floor_words(objective),
        "Class weight C": "" if weight == 1 else str(weight),
        "Largest set of categories": "no cap" if spec.max_card is None else str(spec.max_card),
        "Smallest leaf": smallest_leaf_words(spec.smallest_leaf),
        "Rules": "; ".join(rules),
        "Split": division_words(spec.split),
        "Cut points": cut_words(spec.schema),
        "Time limit": seconds_words(spec.time_limit),
        "Engine": spec.engine.value,
        "Threads": "" if spec.threads == 1 else str(spec.threads),
        "Solver's seed": str(spec.seed),
        "Integer program": ", ".join(switched),
    }


def selected_features(spec: TrainSpec, problem: Problem) -> list[str] | None:
    """List the columns left by the feature selection and the rules; None without a selection."""
    if spec.feature_selection is FeatureSelection.NONE:
        return None
    forbidden = problem.rules.forbidden
    return [f.name for g, f in enumerate(problem.data.features) if g not in forbidden]


def conditions_of(spec: TrainSpec, selected: Sequence[str] | None = None) -> list[str]:
    """Name the conditions on a run's trees besides shape and floors; plain text.

    Parameters
    ----------
    spec : TrainSpec
        The run's specification.
    selected : sequence of str, optional
        The columns that the feature selection kept, if they are known.
    """
    words = []
    if spec.max_card is not None:
        words.append(f"sets of at most {count_words(spec.max_card, 'category', 'categories')}")
    if spec.smallest_leaf is not None:
        words.append(f"leaves of at least {smallest_leaf_words(spec.smallest_leaf)}")
    if spec.rules != RulesSpec():
        words.append("the expert rules")
    if spec.forbid_empty_branches:
        words.append("no empty branches")
    if selected is not None:
        words.append(f"questions only about {list_words(_first(tuple(selected)), ' and ')}")
    elif spec.feature_selection is FeatureSelection.CART:
        words.append("only columns that CART uses")
    return words


def trees_words(spec: TrainSpec, problem: Problem) -> str:
    """Name the trees that a run's answer covers, to follow ``No tree``; plain text.

    Examples
    --------
    ``of this shape``; ``of this shape with leaves of at least 5 rows and the expert rules``;
    ``of any shape with at most 3 questions and sets of at most 2 categories``.
    """
    shape = spec.topology.words if isinstance(spec.topology, AnyShape) else "of this shape"
    conditions = conditions_of(spec, selected_features(spec, problem))
    if not conditions:
        return shape
    joint = "and" if " with " in shape else "with"
    return f"{shape} {joint} {list_words(conditions, ' and ')}"


def node_rule_words(rule: NodeRuleSpec) -> str:
    """Write an expert's rule for one question; plain text.

    Examples
    --------
    >>> node_rule_words(NodeRuleSpec(2, feature="age", threshold=50.0))
    'question 2: age ≤ 50?'
    >>> node_rule_words(NodeRuleSpec(1, never=("age", "sex")))
    'question 1: not about age or sex'
    """
    where = f"question {rule.node}"
    if rule.feature is None:
        demands = []
        if rule.features is not None:
            demands.append(f"only about {list_words(_first(rule.features), ' or ')}")
        if rule.never:
            demands.append(f"not about {list_words(_first(rule.never), ' or ')}")
        return f"{where}: {', '.join(demands)}"
    if rule.threshold is not None:
        missing = " or missing" if rule.missing_left else ""
        return f"{where}: {rule.feature} ≤ {shortest_decimal(rule.threshold)}{missing}?"
    return f"{where}: {rule.feature} is {list_words(_first(rule.categories or ()), ' or ')}?"


def division_words(split: SplitSpec) -> str:
    """Write which rows train and which test; plain text.

    Examples
    --------
    >>> division_words(SplitSpec.parse("80%", seed=3))
    'train on 80%, test on the rest, seed 3'
    """
    if split.fold is not None:
        whole = dataclasses.replace(split, fold=None)
        return f"{fold_words(split.fold)} of the training rows ({division_words(whole)})"
    if split.train_size == "all":
        return "train on every row, test on none"
    test = "the rest" if split.test_size is None else f"{_size(split.test_size)} of the rest"
    return f"train on {_size(split.train_size)}, test on {test}, seed {split.seed}"


def fold_words(fold: Fold) -> str:
    """Write the number of a fold; plain text.

    Examples
    --------
    >>> fold_words(Fold(repeat=1, part=2, parts=5))
    'fold 3 of 5, repeat 2,'
    """
    if fold.train_size is not None:
        return f"hold-out {fold.repeat + 1} with {_size(fold.train_size)} to train,"
    return f"fold {fold.part + 1} of {fold.parts}, repeat {fold.repeat + 1},"


def _size(size: Size) -> str:
    if isinstance(size, Fraction):
        return f"{number_words(100 * size)}%"
    return "the smaller of 90% and 600 rows" if size == "paper" else count_words(int(size), "row")


def cut_words(schema: Schema) -> str:
    """Write how numerical columns are cut, the most common way first; "" without such columns."""
    ways: dict[str, list[str]] = {}
    numerical = [c for c in schema.features if c.kind is ColumnKind.NUMERICAL]
    for column in numerical:
        ways.setdefault(_binning_words(column.binning), []).append(column.name)
    if len(ways) == 1:
        return next(iter(ways))
    most = Counter({way: len(names) for way, names in ways.items()}).most_common()
    return "; ".join(
        way if place == 0 else f"{list_words(_first(tuple(ways[way])))}: {way}"
        for place, (way, _) in enumerate(most)
    )


def _binning_words(binning: Binning) -> str:
    if binning.method is BinMethod.CUTS:
        return f"at {list_words(_first(tuple(shortest_decimal(cut) for cut in binning.cuts)))}"
    if binning.method is BinMethod.QUANTILES:
        return f"{binning.n_bins} quantiles"
    return "every value" if binning.method is BinMethod.EVERY else binning.method.value


def _first(names: tuple[str, ...]) -> list[str]:
    """The first few names, and the number of others."""
    if len(names) <= MOST_NAMED:
        return list(names)
    return [*names[:MOST_NAMED], count_words(len(names) - MOST_NAMED, "other")]
