"""A tree in words: its questions, branches, leaves and rules."""

from __future__ import annotations

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

SHORT = 3
"""How many categories a shortened list names."""


@dataclass(frozen=True)
class SplitWords:
    """A decision node in words.

    Attributes
    ----------
    feature : str
        The feature's name.
    predicate : str
        What the question asks of it: ``is almond, anise or none``, ``<= 4.5``.
    yes, no : str
        The values that go left and right.
    unseen : str
        Where a value goes that no training row had (see `unseen_value_words`): `YES` or `NO`.
    """

    feature: str
    predicate: str
    yes: str
    no: str
    unseen: str

    @property
    def question(self) -> str:
        """The whole question; its answer is yes for rows that go left."""
        return f"{self.feature} {self.predicate}?"


def feature_words(feature: Feature) -> str:
    """What a question is about: the column's name, for dates with what is taken of them.

    Examples
    --------
    ``odor``, ``age (born)``, ``year (admitted)``
    """
    name = printable(feature.name)
    return f"{feature.measure} ({name})" if feature.measure else name


def split_words(tree: Tree, node: Decision, limit: int | None = None) -> SplitWords:
    """Put a decision node into words.

    Parameters
    ----------
    tree : Tree
        Gives the features' names and values.
    node : Decision
        One of its nodes.
    limit : int, optional
        Name at most so many categories ("a, b, c, ... (4 of 12)"); all by default.
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
    """`split_words` for the eye, with "≤" where it cannot be a sign of a user's own name."""
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
    """A decision node in the few words that a drawing has room for.

    Attributes
    ----------
    feature : str
        The feature's name.
    predicate : str
        What the question asks of it: ``is almond or anise``, ``≤ 4.5``,
        ``is in list 2``.
    yes, no : str
        What stands on the edges: the answer, and what the question itself does not say.
    """

    feature: str
    predicate: str
    yes: str
    no: str


def drawn_words(tree: Tree, node: Decision, number: int | None) -> DrawnWords:
    """Put a decision node into the words of a drawing.

    Parameters
    ----------
    tree : Tree
        Gives the features' names and values.
    node : Decision
        One of its nodes.
    number : int or None
        That of its list (see `category_lists`), if it has one.
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
            no = f"{NO}, or missing"
    elif 0 < len(others) <= SHORT:
        no = f"{NO}: {_names(feature, others, None)}"
    return DrawnWords(
        feature=words.feature,
        predicate=words.predicate if number is None else f"is in list {number}",
        yes=yes + _absent_note(tree, node, left),
        no=no + _absent_note(tree, node, right),
    )


def _seen(node: Decision, codes: frozenset[int]) -> frozenset[int]:
    """Those values that training rows at a node had."""
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
    """Sets of categories that are too long for a drawing's question, each as a whole.

    Returns
    -------
    dict from int to str
        For some of the tree's decision nodes, by their place in `Tree.decisions`: the set in words,
        such as ``job: admin., housemaid, retired or student (4 of 12)``. Lists are numbered from 1
        in this order.
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
    """What the tree does with values that no training row had, in up to two sentences.

    New values follow the branch that most training rows took. A value that training rows had, but
    none of those at the question, has a side that no row supports.

    Parameters
    ----------
    tree : Tree
        The tree.
    limit : int, optional
        Name at most so many categories of a question; all by default.

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
    """What a question answers to known values that no training row had there, as a sentence.

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
    """What a question about a feature can meet that no training row had; "" if nothing.

    Every number falls into a bin, so of a numerical feature that is a missing value, and only
    where no training row lacked one.
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
    """The values of a branch; those that no training row had at the node come apart."""
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
    """Category names in the order of their codes, shortened where there are more than `limit`."""
    names = [
        missing if feature.values[code] == MISSING else category_words(feature.values[code])
        for code in sorted(codes)
    ]
    if limit is None or len(names) <= limit:
        return list_words(names, last)
    return f"{', '.join(names[:limit])}, ... ({len(names)} of {feature.n_values})"


def _predicate(feature: Feature, codes: frozenset[int], limit: int | None) -> str:
    """What a question asks of its feature."""
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
    low, high = _bounds(feature, ordered)
    if low is None and high is None:
        return "is any value" if has_missing or not feature.has_missing else "is not missing"
    parts = [f"> {shortest_decimal(low)}"] if low is not None else []
    parts += [f"<= {shortest_decimal(high)}"] if high is not None else []
    return " and ".join(parts) + (" or missing" if has_missing else "")


def _bounds(feature: Feature, ordered: Sequence[int]) -> tuple[float | None, float | None]:
    """The open lower and closed upper end of neighbouring bins; None where there is no end."""
    if ordered[-1] - ordered[0] + 1 != len(ordered):
        raise ValueError(f"feature {feature.name!r}: the bins {ordered} are not neighbours")
    low = feature.cuts[ordered[0] - 1] if ordered[0] > 0 else None
    high = feature.cuts[ordered[-1]] if ordered[-1] < feature.n_ordered - 1 else None
    return low, high


# --- leaves and rules -----------------------------------------------------------------------


def leaf_words(tree: Tree, leaf: Leaf) -> str:
    """A leaf: its class, and how many of its training rows are positive.

    Examples
    --------
    ``edible (115 of 120 training rows are edible)``
    """
    share = share_words(leaf.n_positive, leaf.n, "training row")
    label = printable(tree.label_name(leaf.label))
    return f"{label} ({share} {printable(tree.positive_label)})"


@dataclass(frozen=True)
class Condition:
    """What a leaf's path asks of one feature, all its questions taken together.

    Attributes
    ----------
    feature : int
        Index of the feature.
    codes : frozenset of int
        The values that reach the leaf; empty if none does.
    """

    feature: int
    codes: frozenset[int]


def leaf_conditions(tree: Tree, index: int) -> tuple[Condition, ...]:
    """The simplified path to a leaf: one condition for each feature, in the order of the path.

    Several thresholds on a feature become one interval, several sets their intersection.

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


def rule_words(tree: Tree, index: int, limit: int | None = None) -> str:
    """The rule of a leaf: the simplified path as conditions joined by AND.

    Parameters
    ----------
    tree : Tree
        The tree.
    index : int
        The leaf's number, from 0, left to right.
    limit : int, optional
        Name at most so many categories of a feature; all by default.
    """
    conditions = leaf_conditions(tree, index)
    if not conditions:
        return "every row"
    return " AND ".join(
        condition_words(tree.features[condition.feature], condition.codes, limit)
        for condition in conditions
    )


def spoken_rule(tree: Tree, index: int) -> str:
    """The rule of a leaf without signs: ``if age is above 2.5 and at most 4.5 and odor is a``.

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
    return f"if {' and '.join(conditions)}" if conditions else "for every row"


def rules_text(tree: Tree) -> str:
    """The tree as one rule for each leaf, left to right, and what becomes of unseen values."""
    lines = [
        f"{number}. {leaf_words(tree, leaf)}: {rule_words(tree, number - 1)}"
        for number, leaf in enumerate(tree.leaves, start=1)
    ]
    head = (
        f"Predict {printable(tree.target)}; the positive class is {printable(tree.positive_label)}."
    )
    unseen = unseen_words(tree)
    return "\n".join([head, *lines, unseen] if unseen else [head, *lines])


def condition_words(feature: Feature, codes: frozenset[int], limit: int | None = None) -> str:
    """A condition on one feature: ``odor is a or b``, ``2.5 < age <= 4.5 (or missing)``."""
    name = feature_words(feature)
    if feature.is_numerical:
        return _interval_words(feature, codes, name)
    others = frozenset(range(feature.n_values)) - codes
    if not codes or len(codes) <= len(others):
        return f"{name} {_predicate(feature, codes, limit)}"
    if not others:
        return f"{name} is any value"
    negation = {1: "is not", 2: "is neither"}.get(len(others), "is none of")
    last = " nor " if len(others) == 2 else ", "
    return f"{name} {negation} {_names(feature, others, limit, last, missing='missing')}"


def _interval_words(feature: Feature, codes: frozenset[int], name: str) -> str:
    ordered = sorted(code for code in codes if code < feature.n_ordered)
    if not ordered:
        return f"{name} {_threshold_words(feature, codes)}"
    low, high = _bounds(feature, ordered)
    if low is None or high is None:
        words = _threshold_words(feature, codes).replace(" or missing", " (or missing)")
        return f"{name} {words}"
    missing = " (or missing)" if feature.has_missing and feature.n_values - 1 in codes else ""
    return f"{shortest_decimal(low)} < {name} <= {shortest_decimal(high)}{missing}"


def _spoken_condition(feature: Feature, codes: frozenset[int]) -> str:
    ordered = sorted(code for code in codes if code < feature.n_ordered)
    if not feature.is_numerical or not ordered:
        return condition_words(feature, codes)
    low, high = _bounds(feature, ordered)
    parts = [f"above {shortest_decimal(low)}"] if low is not None else []
    parts += [f"at most {shortest_decimal(high)}"] if high is not None else []
    if not parts:
        return condition_words(feature, codes)
    missing = " (or missing)" if feature.has_missing and feature.n_values - 1 in codes else ""
    return f"{feature_words(feature)} is {' and '.join(parts)}{missing}"


# --- goals and results ----------------------------------------------------------------------
