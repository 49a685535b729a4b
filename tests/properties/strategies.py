"""Random small problems, for hypothesis (`problems`) and by seed (`random_problem`).

Both come from the same maker, which takes every choice from a `random.Random`; hypothesis has one
whose choices it can shrink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from odt_core.problem import (
    EncodedData,
    Feature,
    FeatureKind,
    Goal,
    LeafCount,
    NodeRule,
    Objective,
    Problem,
    Rules,
    SmallestLeaf,
    Split,
)
from odt_core.topology import Topology

FLOORS = tuple(Fraction(text) for text in ("0", "0.3", "0.5", "0.7", "0.8", "0.9", "0.95", "1"))
CLASS_WEIGHTS = tuple(Fraction(text) for text in ("1", "2", "1/3", "0.7", "5/2"))


@cache
def shapes(levels: int) -> tuple[str, ...]:
    """The text of every full binary tree with at most that many levels, the lone leaf first."""
    if levels == 0:
        return (".",)
    below = shapes(levels - 1)
    return (".", *(f"({left} {right})" for left in below for right in below))


TOPOLOGIES = tuple(Topology.parse(text) for text in shapes(3)[1:])
"""All 25 shapes with one to three levels, those with lone leaves among them."""

SMALL_TOPOLOGIES = tuple(Topology.parse(text) for text in shapes(2)[1:])
"""The four shapes with one or two levels."""

DEEP_TOPOLOGIES = tuple(Topology.parse(name) for name in ("imbalanced", "cues-4", "depth-4"))
"""Shapes with four levels, for problems with few questions."""


def random_problem(seed: int, **options: Any) -> Problem:
    """The problem of a seed. See `make_problem`."""
    return make_problem(Random(seed), **options)


def problems(**options: Any) -> st.SearchStrategy[Problem]:
    """Hypothesis strategy of problems. See `make_problem`."""
    source = st.randoms(use_true_random=False)
    return source.map(lambda random: make_problem(random, **options))


def make_problem(
    random: Random,
    *,
    deep: bool = False,
    plain: bool = False,
    topologies: Sequence[Topology] | None = None,
    smallest_leaf: bool = False,
    n_rows: tuple[int, int] = (20, 40),
) -> Problem:
    """A problem of 20-40 rows and 2-4 features, with any goal, cap, floor, weight and rule.

    Parameters
    ----------
    random : Random
        Where every choice comes from.
    deep : bool
        Four levels of decisions, on two or three features of two or three values.
    plain : bool
        Unit weights, no missing bins, plain accuracy, no cap, floor or rule.
    topologies : sequence of Topology, optional
        The shapes to choose from, instead of all up to three levels (or the deep ones).
    smallest_leaf : bool
        A smallest leaf on top of everything else; what else a seed gives stays the same.
    n_rows : tuple of int
        The least and the largest number of rows.
    """
    data = _data(random, deep, plain, n_rows)
    topology = random.choice(topologies or (DEEP_TOPOLOGIES if deep else TOPOLOGIES))
    if plain:
        leaf = _smallest_leaf(random, data) if smallest_leaf else None
        return Problem(data, topology, smallest_leaf=leaf)
    forbid_empty = random.random() < 0.25
    problem = Problem(
        data,
        topology,
        objective=_objective(random),
        max_card=random.choice((None, None, 1, 1, 2)),
        rules=_rules(random, data, topology, forbid_empty) if random.random() < 0.3 else Rules(),
        forbid_empty_branches=forbid_empty,
    )
    if smallest_leaf:
        problem = replace(problem, smallest_leaf=_smallest_leaf(random, data))
    return problem


def _smallest_leaf(random: Random, data: EncodedData) -> SmallestLeaf:
    """From no condition to a condition that only the tree without a question meets."""
    of = random.choice(tuple(LeafCount))
    most = data.n_rows if of is LeafCount.ROWS else min(data.n_positive, data.n_negative)
    if most == 0:
        of, most = LeafCount.ROWS, data.n_rows
    largest = max(1, most // random.choice((1, 2, 3, 5, 8)))
    return SmallestLeaf(random.randint(1, largest), of)


def _data(random: Random, deep: bool, plain: bool, between: tuple[int, int]) -> EncodedData:
    n_features = random.randint(2, 3 if deep else 4)
    features = tuple(_feature(random, g, 3 if deep else 5, plain) for g in range(n_features))
    n_rows = random.randint(*between)
    codes = np.array(
        [[random.randrange(feature.n_values) for feature in features] for _ in range(n_rows)],
        dtype=np.int32,
    )
    y = _labels(random, codes, features)
    weighted = not plain and random.random() < 0.3
    weight = [random.randint(1, 3) if weighted else 1 for _ in range(n_rows)]
    return EncodedData(codes, y, np.array(weight, dtype=np.int64), features)


def _feature(random: Random, g: int, most_values: int, plain: bool) -> Feature:
    n_values = random.randint(2, most_values)
    if random.random() < 0.65:
        return Feature(f"c{g}", FeatureKind.CATEGORICAL, tuple("abcdefgh"[:n_values]))
    has_missing = not plain and random.random() < 0.3
    cuts = tuple(float(cut) for cut in range(1, n_values - (1 if has_missing else 0)))
    values = tuple(f"bin {b}" for b in range(n_values))
    return Feature(f"n{g}", FeatureKind.NUMERICAL, values, cuts, has_missing)


def _labels(random: Random, codes: np.ndarray, features: tuple[Feature, ...]) -> np.ndarray:
    """Coin flips, or a rule on two features blurred by noise."""
    share = random.choice((0.2, 0.5, 0.5, 0.8))
    flips = np.array([random.random() < share for _ in codes])
    if random.random() < 0.4:
        return flips
    g, h = random.sample(range(len(features)), 2)
    n_pairs = features[g].n_values * features[h].n_values
    table = np.array([random.random() < 0.5 for _ in range(n_pairs)])
    planted = table[codes[:, g] * features[h].n_values + codes[:, h]]
    noisy = np.array([random.random() < 0.2 for _ in codes])
    return np.where(noisy, flips, planted)


def _objective(random: Random) -> Objective:
    goal = random.choice((Goal.ACCURACY, Goal.ACCURACY, *Goal))
    weight = random.choice(CLASS_WEIGHTS) if goal is Goal.ACCURACY else Fraction(1)
    floored = random.random() < 0.3
    min_tpr = random.choice(FLOORS) if goal is Goal.MAX_TNR or floored else None
    min_tnr = random.choice(FLOORS) if goal is Goal.MAX_TPR else None
    if floored and min_tnr is None and random.random() < 0.5:
        min_tnr = random.choice(FLOORS[:5])
    return Objective(goal, weight, min_tpr, min_tnr)


def _rules(random: Random, data: EncodedData, topology: Topology, forbid_empty: bool) -> Rules:
    everything = range(data.n_features)
    forbidden = frozenset(random.sample(everything, 1) if random.random() < 0.4 else ())
    left_over = [g for g in everything if g not in forbidden]
    nodes = []
    for node in range(topology.n_nodes):
        draw = random.random()
        if draw < 0.2:
            some = random.sample(left_over, random.randint(1, len(left_over)))
            nodes.append((node, NodeRule(features=frozenset(some))))
        elif draw < 0.35:
            g = random.choice(everything)
            split = Split(g, _any_set(random, data.features[g], forbid_empty))
            nodes.append((node, NodeRule(split=split)))
    return Rules(forbidden, tuple(nodes))


def _any_set(random: Random, feature: Feature, forbid_empty: bool) -> frozenset[int]:
    """A set of codes a node may be fixed to."""
    while True:
        if feature.is_numerical:
            cut = random.randint(0, feature.n_ordered)
            low = random.random() < 0.5
            left = set(range(cut) if low else range(cut, feature.n_ordered))
            if feature.has_missing and random.random() < 0.5:
                left.add(feature.n_values - 1)
        else:
            left = {code for code in range(feature.n_values) if random.random() < 0.5}
        if not forbid_empty or 0 < len(left) < feature.n_values:
            return frozenset(left)
