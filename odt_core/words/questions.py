"""A tree in words: its questions, branches, leaves and rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from odt_core.exact import shortest_decimal
from odt_core.problem import MISSING, Feature
from odt_core.tree import Decision, Leaf, Tree
from odt_core.words.text import (
    category_words,
    list_words,
    printable,
    share_words,
)

YES, NO = "yes", "no"
"""Answers to a question: ``yes`` is the left branch."""

OR_MISSING = f"{NO}, or missing"
"""Stands on the right edge of a cut point's question where missing values take it."""

SHORT = 3
"""The most categories in a shortened list."""
_MOST_LETTERS = 80
"""The most letters in a shortened list of several categories."""


@dataclass(frozen=True)
class SplitWords:
    """A decision node in words.

    Attributes
    ----------
    feature : str
        The feature's name.
    predicate : str
        The condition on it: ``is almond, anise or none``, ``<= 4.5``.
    yes, no : str
        The values that go left and right.
    unseen : str
        The branch of values that no training row had (see `unseen_value_words`): `YES` or `NO`.
    """

    feature: str
    predicate: str
    yes: str
    no: str
    unseen: str

    @property
    def question(self) -> str:
        """The complete question. Its answer is yes for rows that go left."""
        return f"{self.feature} {self.predicate}?"


def feature_words(feature: Feature) -> str:
    """Name a feature: the column's name, and for dates the part that is used.

    Examples
    --------
    ``odor``, ``age (born)``, ``year (admitted)``
    """
    name = printable(feature.name)
    return f"{feature.measure} ({name})" if feature.measure else name


def split_words(tree: Tree, node: Decision, limit: int | None = None) -> SplitWords:
    """Describe a decision node in words.

    Parameters
    ----------
    tree : Tree
        The tree of the node.
    node : Decision
        The node.
    limit : int, optional
        The most categories to name ("a, b, c, ... (4 of 12)"); all by default.
    """
    feature = tree.features[node.split.feature]
    left = node.split.left
    right = frozenset(range(feature.n_values)) - left
    return SplitWords(
        feature=feature_words(feature),
        predicate=_predicate(feature, left, limit),
        yes=_branch_words(feature, left, node.observed, tree.absent(node) & left, limit),
        no=_branch_words(feature, right, node.observed, tree.absent(node) & right, limit),
        unseen=YES if node.unseen_left else NO,
    )


def typeset_words(tree: Tree, node: Decision, limit: int | None = None) -> SplitWords:
    """Like `split_words`, but with "≤" unless the sign may belong to a user's name."""
    words = split_words(tree, node, limit)
    if not tree.features[node.split.feature].is_numerical:
        return words
    predicate, yes, no = (
        text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
        for text in (words.predicate, words.yes, words.no)
    )
    return replace(words, predicate=predicate, yes=yes, no=no)


@dataclass(frozen=True)
class DrawnWords:
    """The short words of a decision node for a drawing.

    Attributes
    ----------
    feature : str
        The feature's name.
    predicate : str
        The condition on it: ``is almond or anise``, ``≤ 4.5``, ``is in list 2``.
    yes, no : str
        The texts of the edges: the answer, and values that the question does not mention.
    """

    feature: str
    predicate: str
    yes: str
    no: str

    @property
    def brief(self) -> DrawnWords:
        """A copy without the values on the edges, except missing values on the right."""
        no = OR_MISSING if self.no.startswith(OR_MISSING) else NO
        return replace(self, yes=YES, no=no)


def drawn_words(tree: Tree, node: Decision, number: int | None) -> DrawnWords:
    """Describe a decision node in the words of a drawing.

    Parameters
    ----------
    tree : Tree
        The tree of the node.
    node : Decision
        The node.
    number : int or None
        The number of its list (see `category_lists`), if it has a list.
    """
    feature = tree.features[node.split.feature]
    left = node.split.left
    right = frozenset(range(feature.n_values)) - left
    words = typeset_words(tree, node)
    yes, no = YES, NO
    if number is not None:
        yes = f"{YES}: {_names(feature, _seen(node, left), SHORT)}"
    others = _seen(node, right)
    if feature.is_numerical:
        if others & frozenset([feature.n_ordered]) and len(right) > 1:
            no = OR_MISSING
    elif 0 < len(others) <= SHORT:
        no = f"{NO}: {_names(feature, others, None)}"
    return DrawnWords(
        feature=words.feature,
        predicate=words.predicate if number is None else f"is in list {number}",
        yes=yes + _absent_note(tree, node, left),
        no=no + _absent_note(tree, node, right),
    )


def _seen(node: Decision, codes: frozenset[int]) -> frozenset[int]:
    """The values that training rows at a node had."""
    return codes & node.observed if node.observed else codes


def _absent_note(tree: Tree, node: Decision, side: frozenset[int]) -> str:
    absent = tree.absent(node) & side
    if not absent:
        return ""
    feature = tree.features[node.split.feature]
    if feature.is_numerical:
        return "; not seen here: missing"
    if len(absent) > 1:
        return f"; {len(absent)} not seen here"
    return f"; not seen here: {_names(feature, absent, None)}"


def category_lists(tree: Tree) -> dict[int, str]:
    """List the sets of categories that are too long for a question in a drawing.

    Returns
    -------
    dict from int to str
        The sets in words, such as ``job: admin., housemaid, retired or student (4 of 12)``, by the
        node's index in `Tree.decisions`. Lists are numbered from 1 in this order.
    """
    found = {}
    for place, node in enumerate(tree.decisions):
        feature = tree.features[node.split.feature]
        if feature.is_numerical or len(node.split.left) <= SHORT:
            continue
        names = _names(feature, node.split.left, None, " or ")
        count = f"{len(node.split.left)} of {feature.n_values}"
        text = f"{printable(feature.name)}: {names} ({count}). {absent_words(tree, node)}"
        found[place] = text.strip()
    return found


def unseen_words(tree: Tree, limit: int | None = None) -> str:
    """Say what the tree does with values that no training row had, in at most two sentences.

    New values follow the branch of most training rows. If training rows had a value, but none at
    the question, then no row supports the value's branch.

    Parameters
    ----------
    tree : Tree
        The tree.
    limit : int, optional
        The most categories of a question to name; all by default.

    Returns
    -------
    str
        Empty if no question can meet such a value.
    """
    new, absent = [], []
    for number, node in enumerate(tree.decisions, start=1):
        feature = tree.features[node.split.feature]
        unseen = unseen_value_words(feature)
        if unseen:
            answer = YES if node.unseen_left else NO
            new.append(f"{answer} to question {number} ({unseen} of {printable(feature.name)})")
        absent += [
            f"{answer} to question {number} ({values})"
            for answer, values in _absent_answers(tree, node, limit)
        ]
    sentences = []
    if new:
        sentences.append(
            "A value that no training row had takes the branch of most training rows: "
            f"{', '.join(new)}."
        )
    if absent:
        sentences.append(
            "No training row supports these answers, as none had the value at the question: "
            f"{', '.join(absent)}."
        )
    return " ".join(sentences)


def absent_words(tree: Tree, node: Decision) -> str:
    """Say how a question answers known values that no training row had there, in a sentence.

    Examples
    --------
    ``No training row had odor = spicy here; the answer is no.`` Empty if there is no such value.
    """
    return " ".join(
        f"No training row had {values} here; the answer is {answer}."
        for answer, values in _absent_answers(tree, node, None)
    )


def _absent_answers(tree: Tree, node: Decision, limit: int | None) -> list[tuple[str, str]]:
    """(answer, values) for known values that no training row had at a question."""
    feature, absent = tree.features[node.split.feature], tree.absent(node)
    sides = ((YES, absent & node.split.left), (NO, absent - node.split.left))
    return [
        (answer, f"{printable(feature.name)} = {_names(feature, codes, limit, ' or ')}")
        for answer, codes in sides
        if codes
    ]


def unseen_value_words(feature: Feature) -> str:
    """Name the values that a question can meet and that no training row had; "" if none.

    Every number falls into a bin. So for a numerical feature this can only be a missing value, if
    no training row had one.
    """
    if not feature.is_numerical:
        return "a new value"
    return "" if feature.has_missing else "a missing value"


def _branch_words(
    feature: Feature,
    codes: frozenset[int],
    observed: frozenset[int],
    absent: frozenset[int],
    limit: int | None,
) -> str:
    """The values of a branch. Values that no training row had at the node follow separately."""
    here = codes & observed if observed else codes
    if feature.is_numerical:
        text = _threshold_words(feature, codes)
        missing = {feature.n_values - 1} if feature.has_missing else set()
        if not missing & codes or here & missing or codes <= missing:
            return text
        return f"{_threshold_words(feature, codes - missing)}; not seen here: missing"
    if not here:
        return f"not seen here: {_names(feature, absent, limit)}" if absent else "nothing"
    text = _names(feature, here, limit)
    if not absent:
        return text
    if limit is not None and len(absent) > 1:
        return f"{text}; {len(absent)} not seen here"
    return f"{text}; not seen here: {_names(feature, absent, None)}"


def _names(
    feature: Feature,
    codes: Iterable[int],
    limit: int | None,
    last: str = ", ",
    *,
    missing: str = MISSING,
) -> str:
    """Category names in the order of their codes, shortened if there are more than `limit`.

    A shortened list has at least one name, and further ones as long as they have few letters.
    """
    names = [
        missing if feature.values[code] == MISSING else category_words(feature.values[code])
        for code in sorted(codes)
    ]
    if limit is None or len(names) <= limit:
        return list_words(names, last)
    first = names[:limit]
    while len(first) > 1 and len(", ".join(first)) > _MOST_LETTERS:
        first.pop()
    return f"{', '.join(first)}, ... ({len(names)} of {feature.n_values})"


def _predicate(feature: Feature, codes: frozenset[int], limit: int | None) -> str:
    """The condition of a question on its feature."""
    if feature.is_numerical:
        return _threshold_words(feature, codes)
    if not codes:
        return "is none of its values"
    one_of = "one of " if limit is not None and len(codes) > limit else ""
    return f"is {one_of}{_names(feature, codes, limit, ' or ', missing='missing')}"


def _threshold_words(feature: Feature, codes: frozenset[int]) -> str:
    """Bins of a numerical feature: ``<= 4.5``, ``> 4.5 or missing``, ``is missing``."""
    has_missing = feature.has_missing and feature.n_values - 1 in codes
    ordered = sorted(code for code in codes if code < feature.n_ordered)
    if not ordered:
        return "is missing" if has_missing else "is none of its values"
    low, high = feature.interval(ordered)
    parts = [f"> {shortest_decimal(low)}"] if low > -math.inf else []
    parts += [f"<= {shortest_decimal(high)}"] if high < math.inf else []
    if not parts:
        return "is any value" if has_missing or not feature.has_missing else "is not missing"
    return " and ".join(parts) + (" or missing" if has_missing else "")


# --- leaves and rules -----------------------------------------------------------------------


def leaf_words(tree: Tree, leaf: Leaf) -> str:
    """Describe a leaf: its class, and the share of positive training rows.

    Examples
    --------
    ``edible (115 of 120 training rows are edible)``
    """
    share = share_words(leaf.n_positive, leaf.n, "training row")
    label = printable(tree.label_name(leaf.label))
    return f"{label} ({share} {printable(tree.positive_label)})"


@dataclass(frozen=True)
class Condition:
    """The condition of a leaf's path on one feature, from all questions together.

    Attributes
    ----------
    feature : int
        Index of the feature.
    codes : frozenset of int
        The values that reach the leaf; may be empty.
    """

    feature: int
    codes: frozenset[int]


def leaf_conditions(tree: Tree, index: int) -> tuple[Condition, ...]:
    """Simplify the path to a leaf to one condition for each feature, in the order of the path.

    Thresholds on a feature become one interval. Sets become their intersection.

    Parameters
    ----------
    tree : Tree
        The tree.
    index : int
        The leaf's number, from 0, left to right.
    """
    allowed: dict[int, frozenset[int]] = {}
    for node, goes_left in tree.paths[index]:
        g, left = node.split.feature, node.split.left
        everything = frozenset(range(tree.features[g].n_values))
        side = left if goes_left else everything - left
        allowed[g] = allowed.get(g, everything) & side
    return tuple(Condition(g, codes) for g, codes in allowed.items())


def rule_words(tree: Tree, index: int) -> str:
    """Write the rule of a leaf: the simplified path as conditions joined by AND.

    Parameters
    ----------
    tree : Tree
        The tree.
    index : int
        The leaf's number, from 0, left to right.
    """
    conditions = leaf_conditions(tree, index)
    if not conditions:
        return "every row"
    return " AND ".join(
        condition_words(tree.features[condition.feature], condition.codes)
        for condition in conditions
    )


def spoken_rule(tree: Tree, index: int) -> str:
    """Write the rule of a leaf without signs: ``if age is above 2.5 and at most 4.5``.

    Parameters
    ----------
    tree : Tree
        The tree.
    index : int
        The leaf's number, from 0, left to right.
    """
    conditions = spoken_conditions(tree, index)
    return f"if {conditions}" if tree.paths[index] else f"for {conditions}"


def spoken_conditions(tree: Tree, index: int) -> str:
    """Write what a leaf's rows have in common, without signs: ``age is above 2.5 and odor is a``.

    Parameters
    ----------
    tree : Tree
        The tree.
    index : int
        The leaf's number, from 0, left to right.
    """
    conditions = [
        _spoken_condition(tree.features[condition.feature], condition.codes)
        for condition in leaf_conditions(tree, index)
    ]
    return " and ".join(conditions) or "every row"


def rules_text(tree: Tree) -> str:
    """Write one rule for each leaf, left to right, and the branches of unseen values."""
    lines = [
        f"{number}. {leaf_words(tree, leaf)}: {rule_words(tree, number - 1)}"
        for number, leaf in enumerate(tree.leaves, start=1)
    ]
    head = (
        f"Predict {printable(tree.target)}; the positive class is {printable(tree.positive_label)}."
    )
    unseen = unseen_words(tree)
    return "\n".join([head, *lines, unseen] if unseen else [head, *lines])


def rules_line(tree: Tree) -> str:
    """Write the rules of `rules_text` on one line, without the sentence on the outcome."""
    return " | ".join(rules_text(tree).splitlines()[1:])


def condition_words(feature: Feature, codes: frozenset[int]) -> str:
    """Write a condition on one feature: ``odor is a or b``, ``2.5 < age <= 4.5 (or missing)``."""
    name = feature_words(feature)
    if feature.is_numerical:
        return _interval_words(feature, codes, name)
    others = frozenset(range(feature.n_values)) - codes
    if not codes or len(codes) <= len(others):
        return f"{name} {_predicate(feature, codes, None)}"
    if not others:
        return f"{name} is any value"
    negation = {1: "is not", 2: "is neither"}.get(len(others), "is none of")
    last = " nor " if len(others) == 2 else ", "
    return f"{name} {negation} {_names(feature, others, None, last, missing='missing')}"


def _interval_words(feature: Feature, codes: frozenset[int], name: str) -> str:
    ordered = sorted(code for code in codes if code < feature.n_ordered)
    if not ordered:
        return f"{name} {_threshold_words(feature, codes)}"
    low, high = feature.interval(ordered)
    if math.isinf(low) or math.isinf(high):
        words = _threshold_words(feature, codes).replace(" or missing", " (or missing)")
        return f"{name} {words}"
    missing = " (or missing)" if feature.has_missing and feature.n_values - 1 in codes else ""
    return f"{shortest_decimal(low)} < {name} <= {shortest_decimal(high)}{missing}"


def _spoken_condition(feature: Feature, codes: frozenset[int]) -> str:
    ordered = sorted(code for code in codes if code < feature.n_ordered)
    if not feature.is_numerical or not ordered:
        return condition_words(feature, codes)
    numbers = spoken_interval(feature, ordered)
    if not numbers:
        return condition_words(feature, codes)
    missing = " (or missing)" if feature.has_missing and feature.n_values - 1 in codes else ""
    return f"{feature_words(feature)} is {numbers}{missing}"


def spoken_interval(feature: Feature, bins: Sequence[int]) -> str:
    """Name the numbers in neighbouring bins: ``above 2.5 and at most 4.5``; "" for all numbers."""
    low, high = feature.interval(bins)
    parts = [f"above {shortest_decimal(low)}"] if low > -math.inf else []
    parts += [f"at most {shortest_decimal(high)}"] if high < math.inf else []
    return " and ".join(parts)
