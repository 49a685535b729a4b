"""One case: its path, its distances from the cuts, and the changes that turn its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from odt_core.data.binning import bin_codes
from odt_core.exact import shortest_decimal
from odt_core.problem import UNSEEN, Feature
from odt_core.scoring.scores import Doubt, doubt_words
from odt_core.tree import Decision, Tree
from odt_core.words import (
    NO,
    YES,
    category_words,
    feature_words,
    list_words,
    number_words,
    spoken_interval,
    typeset_words,
)

Value = float | str | None
"""A number, a category, or None for a missing value."""

MOST_CHANGES = 3
"""Largest number of changes that are shown."""


@dataclass(frozen=True)
class Step:
    """A question on the path of a case.

    Attributes
    ----------
    number : int
        The question's number, from 1, in the order node, left subtree, right subtree.
    question : str
        The question in words.
    answer : str
        ``yes`` or ``no``.
    doubt : str
        Reason in plain words why the value says little here; empty if there is none.
    distance : float or None
        The number minus the cut point; None if the question is not about a cut or the value is
        missing.
    cut : float or None
        The cut point.
    """

    number: int
    question: str
    answer: str
    doubt: str = ""
    distance: float | None = None
    cut: float | None = None

    @property
    def distance_words(self) -> str:
        """The distance of the number from the cut in plain words; empty if there is no cut."""
        if self.distance is None or self.cut is None:
            return ""
        cut = shortest_decimal(self.cut)
        if self.distance == 0:
            return f"exactly at the cut {cut}"
        side = "above" if self.distance > 0 else "below"
        return f"{number_words(abs(self.distance), 4)} {side} the cut {cut}"


@dataclass(frozen=True)
class AnswerChange:
    """A change of one or more values that turns the answer.

    Attributes
    ----------
    leaf : int
        The leaf that the case would reach, from 0.
    conditions : tuple of str
        The values that would turn the answer, one clause for each column that changes.
    """

    leaf: int
    conditions: tuple[str, ...]

    @property
    def words(self) -> str:
        """All conditions joined into one clause."""
        return list_words(self.conditions, " and ")


@dataclass(frozen=True)
class CaseAnswer:
    """A tree's answer for one case, as far as the case's values are known.

    Attributes
    ----------
    leaf : int or None
        The leaf, from 0, left to right; None while a value on the path is unknown.
    waits_for : int or None
        The feature whose value is needed next.
    steps : tuple of Step
        The answered questions on the path.
    nodes : tuple of int
        The nodes on the path, numbered in the order node, left subtree, right subtree.
    changes : tuple of AnswerChange
        The nearest changes that turn the answer: the fewest columns, and among these the smallest
        change. Empty if there is no answer yet, or every leaf has the same answer.
    """

    leaf: int | None
    waits_for: int | None
    steps: tuple[Step, ...]
    nodes: tuple[int, ...]
    changes: tuple[AnswerChange, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """The doubts on the path, each one once."""
        return tuple(dict.fromkeys(step.doubt for step in self.steps if step.doubt))


def value_code(feature: Feature, value: Value) -> int:
    """Find the code of a value; -1 for a value that no training row had.

    Parameters
    ----------
    feature : Feature
        The feature, which gives the codes their meaning.
    value : float, str or None
        For a numerical feature: a number, or None for a missing value. For a categorical feature:
        one of its categories, or None for a value that no training row had. If some training row
        had a missing value, "missing" is one of the categories.
    """
    if not feature.is_numerical:
        codes = {name: code for code, name in enumerate(feature.values)}
        return UNSEEN if value is None else codes.get(str(value), UNSEEN)
    if value is None:
        return feature.n_values - 1 if feature.has_missing else UNSEEN
    return int(bin_codes(np.array([float(value)]), feature.cuts)[0])


def value_doubt(feature: Feature, value: Value, ends: tuple[float, float] | None = None) -> str:
    """Say how a value differs from the values of all training rows; empty if it does not.

    Parameters
    ----------
    feature : Feature
        The feature that has the value.
    value : float, str or None
        The value, as for `value_code`.
    ends : (float, float), optional
        The least and the largest training number.
    """
    if value_code(feature, value) == UNSEEN:
        return doubt_words(Doubt.NEW, feature)
    if ends is None or not isinstance(value, float) or ends[0] <= value <= ends[1]:
        return ""
    return beyond_words(feature, ends)


def beyond_words(feature: Feature, ends: tuple[float, float]) -> str:
    """Say that a number is beyond the least or the largest of all training rows."""
    low, high = map(number_words, ends)
    return f"{doubt_words(Doubt.BEYOND, feature)} ({low} to {high})"


Ranges = Mapping[int, tuple[float, float]]
"""The least and the largest training number of each numerical feature, by its number."""


def answer_case(
    tree: Tree, values: Mapping[int, Value], ranges: Ranges | None = None
) -> CaseAnswer:
    """Apply a tree to one case.

    Parameters
    ----------
    tree : Tree
        The tree.
    values : mapping from int to float, str or None
        Values by the feature's number. If a feature is absent, its value is still unknown. None is
        a missing value.
    ranges : mapping from int to (float, float), optional
        Ranges of the training rows, to mark numbers beyond them.
    """
    ranges = ranges or {}
    codes = {g: value_code(tree.features[g], value) for g, value in values.items()}
    questions = {id(node): number for number, node in enumerate(tree.decisions, start=1)}
    steps: list[Step] = []
    nodes = [0]
    node, leaf = tree.root, 0
    while isinstance(node, Decision):
        g = node.split.feature
        if g not in codes:
            return CaseAnswer(None, g, tuple(steps), tuple(nodes))
        goes_left = node.unseen_left if codes[g] == UNSEEN else codes[g] in node.split.left
        steps.append(_step(tree, node, goes_left, questions[id(node)], codes[g], values[g], ranges))
        n_left = sum(1 for _ in node.left.walk())
        nodes.append(nodes[-1] + 1 + (0 if goes_left else n_left))
        leaf += 0 if goes_left else (n_left + 1) // 2  # every node has two children or none
        node = node.left if goes_left else node.right
    return CaseAnswer(leaf, None, tuple(steps), tuple(nodes), _changes(tree, leaf, codes, values))


def _step(
    tree: Tree,
    node: Decision,
    goes_left: bool,
    number: int,
    code: int,
    value: Value,
    ranges: Ranges,
) -> Step:
    feature = tree.features[node.split.feature]
    doubt = ""
    if code != UNSEEN and code in tree.absent(node):
        doubt = doubt_words(Doubt.NEW_HERE, feature)
    doubt = doubt or value_doubt(feature, value, ranges.get(node.split.feature))
    cut = cut_of(feature, node)
    distance = None
    if cut is not None and value is not None:
        distance = float(value) - cut
    question = typeset_words(tree, node).question
    return Step(number, question, YES if goes_left else NO, doubt, distance, cut)


def cut_of(feature: Feature, node: Decision) -> float | None:
    """The cut point of a question; None if it asks only about categories or missing values."""
    if not feature.is_numerical:
        return None
    low = [code for code in node.split.left if code < feature.n_ordered]
    if not low or max(low) >= len(feature.cuts):
        return None
    return feature.cuts[max(low)]


@dataclass(frozen=True)
class _Move:
    """A change of one column: its new value in words, and its size as a share of the bins."""

    words: str
    size: float


def _changes(
    tree: Tree, leaf: int, codes: Mapping[int, int], values: Mapping[int, Value]
) -> tuple[AnswerChange, ...]:
    """Find the nearest ways to a leaf with the other answer."""
    found = []
    for other in range(tree.n_leaves):
        if tree.leaves[other].label == tree.leaves[leaf].label:
            continue
        moves = _moves(tree, other, codes, values)
        if moves:
            cost = (len(moves), sum(move.size for move in moves), other)
            found.append((cost, AnswerChange(other, tuple(move.words for move in moves))))
    found.sort(key=lambda each: each[0])
    fewest = found[0][0][0] if found else 0
    return tuple(change for cost, change in found if cost[0] == fewest)[:MOST_CHANGES]


def _moves(
    tree: Tree, leaf: int, codes: Mapping[int, int], values: Mapping[int, Value]
) -> list[_Move] | None:
    """Find the changes that bring a case to a leaf; None if no case can reach the leaf.

    A value that training rows had at each question is preferred to a value without such rows.
    """
    allowed: dict[int, frozenset[int]] = {}
    supported: dict[int, frozenset[int]] = {}
    unseen_passes: dict[int, bool] = {}
    for node, goes_left in tree.paths[leaf]:
        g = node.split.feature
        everything = frozenset(range(tree.features[g].n_values))
        side = node.split.left if goes_left else everything - node.split.left
        allowed[g] = allowed.get(g, everything) & side
        here = side - tree.absent(node)
        supported[g] = supported.get(g, everything) & here
        unseen_passes[g] = unseen_passes.get(g, True) and node.unseen_left == goes_left
    moves = []
    for g, passing in allowed.items():
        if not passing:
            return None
        code = codes.get(g)
        stays = unseen_passes[g] if code == UNSEEN else code in passing
        if not stays:
            best = supported[g] or passing
            moves.append(_move(tree.features[g], best, code, values.get(g)))
    return moves


def _move(feature: Feature, passing: frozenset[int], code: int | None, value: Value) -> _Move:
    """The nearest value among those that lead to a leaf, in plain words."""
    name = feature_words(feature)
    if not feature.is_numerical:
        names = [category_words(feature.values[each]) for each in sorted(passing)]
        shown = names[:3] + ([f"one of {len(names) - 3} others"] if len(names) > 3 else [])
        return _Move(f"{name} were {list_words(shown, ' or ')}", 1.0)
    ordered = sorted(each for each in passing if each < feature.n_ordered)
    if not ordered:
        return _Move(f"{name} were missing", 1.0)
    if value is None or code is None:
        return _Move(f"{name} were {spoken_interval(feature, ordered) or 'any number'}", 1.0)
    if code > ordered[-1]:
        cut, sign, crossed = feature.cuts[ordered[-1]], "at most", code - ordered[-1]
    else:
        cut, sign, crossed = feature.cuts[ordered[0] - 1], "above", ordered[0] - code
    now = number_words(float(value))
    distance = number_words(abs(float(value) - cut), 4)
    return _Move(
        f"{name} were {sign} {shortest_decimal(cut)} (now {now}, {distance} away)",
        crossed / max(feature.n_ordered, 1),
    )
