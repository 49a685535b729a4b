"""The one place that puts splits, leaves, goals and results into words.

Screens, drawings, files and the command line all take their words from here. The words are plain
text: whoever writes them into Markdown, HTML or DOT escapes them for that language.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from odt_core.exact import shortest_decimal
from odt_core.problem import MISSING, Feature, Goal, Objective, Problem
from odt_core.solution import Engine, MipRole, Prover, Solution, Status
from odt_core.tree import Decision, Leaf, Tree

YES, NO = "yes", "no"
"""Answers to a question: ``yes`` is the left branch."""

SHORT = 3
"""How many categories a shortened list names."""

ENGINE_WORDS: dict[Engine, str] = {
    Engine.HYBRID: "The exact search finds and proves the tree; the paper's integer program in "
    "CBC confirms it where that takes seconds, or takes over where the search runs out of time.",
    Engine.SEARCH: "The exact search alone: it counts its way through all splits, and is usually "
    "the fastest.",
    Engine.CBC: "The paper's integer program alone, solved by CBC.",
    Engine.HIGHS: "The paper's integer program alone, solved by HiGHS.",
}
"""One sentence on each engine."""

GOAL_NAMES: dict[Goal, str] = {
    Goal.ACCURACY: "accuracy",
    Goal.BALANCED: "balanced accuracy",
    Goal.MAX_TPR: "sensitivity (TPR)",
    Goal.MAX_TNR: "specificity (TNR)",
}
"""The rate that each goal is about."""

_PROVERS = {
    Prover.SEARCH: "the exact search",
    Prover.CBC: "CBC on the integer program",
    Prover.HIGHS: "HiGHS on the integer program",
}

_KEPT_FORMAT_CHARACTERS = "\u200c\u200d"
"""Joiners that Persian, Indic scripts and emoji cannot do without."""


def printable(text: str) -> str:
    r"""A name from a file on one line, without control or text-direction characters.

    Examples
    --------
    >>> printable("blood\npressure")
    'blood pressure'
    """
    kept = []
    for character in text:
        if character in "\t\n\r\v\f\x85\u2028\u2029":
            kept.append(" ")
        elif character in _KEPT_FORMAT_CHARACTERS or not (
            unicodedata.category(character) in ("Cc", "Cf", "Cs") or _is_noncharacter(character)
        ):
            kept.append(character)
    return "".join(kept)


def _is_noncharacter(character: str) -> bool:
    """Whether Unicode reserves the code point, and XML forbids some of these."""
    point = ord(character)
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF


def category_words(category: str) -> str:
    """A category as it stands in a list: quoted where it would be misread there.

    Examples
    --------
    >>> category_words("almond"), category_words("red, or blue"), category_words("(missing)")
    ('almond', '"red, or blue"', '(missing)')
    """
    name = printable(category)
    misread = name != name.strip() or any(mark in name for mark in (",", ";", '"', " or "))
    if misread or name in ("", "missing"):
        return f'"{name}"'
    return name


def list_words(names: Sequence[str], last: str = ", ") -> str:
    """Names with commas between them.

    Examples
    --------
    >>> list_words(["a", "b", "c"], " or ")
    'a, b or c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])}{last}{names[-1]}"


def number_words(value: float) -> str:
    """A number without needless digits.

    Examples
    --------
    >>> number_words(4.5), number_words(3.0), number_words(0.1 + 0.2)
    ('4.5', '3', '0.3')
    """
    return f"{value:.12g}"


def percent_words(share: float | Fraction, digits: int = 1) -> str:
    """A share in percent.

    0% and 100% are said of exactly these only.

    Examples
    --------
    >>> percent_words(0.958), percent_words(1), percent_words(0.99999), percent_words(0.004, 0)
    ('95.8%', '100%', '>99.9%', '<1%')
    """
    if share in (0, 1):
        return f"{100 * int(share)}%"
    step = Fraction(1, 10**digits)
    steps = round(100 * share / step)
    if steps == 0:
        return f"<{float(step):.{digits}f}%"
    if steps == 100 / step:
        return f">{float(100 - step):.{digits}f}%"
    return f"{float(steps * step):.{digits}f}%"


def signed_points(share: float | Fraction) -> str:
    """A difference of two shares in percentage points, with its sign.

    Examples
    --------
    >>> signed_points(0.0158), signed_points(-0.04), signed_points(-0.0001)
    ('+1.6', '-4.0', '0.0')
    """
    points = round(float(100 * share), 1)
    return f"{points:+.1f}" if points else "0.0"


def count_words(n: int, one: str, many: str | None = None) -> str:
    """A count and its noun.

    Examples
    --------
    >>> count_words(1, "row"), count_words(1234, "row"), count_words(2, "leaf", "leaves")
    ('1 row', '1,234 rows', '2 leaves')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def share_words(part: int, n: int, one: str) -> str:
    """Some of a number of things, with the verb that follows.

    Examples
    --------
    >>> share_words(3, 20, "row"), share_words(1, 20, "row"), share_words(0, 1, "row")
    ('3 of 20 rows are', '1 of 20 rows is', '0 of 1 row is')
    """
    return f"{part:,} of {count_words(n, one)} {'is' if 1 in (part, n) else 'are'}"


def seconds_words(seconds: float) -> str:
    """A time span.

    Examples
    --------
    >>> seconds_words(0.0031), seconds_words(0.84), seconds_words(59.96), seconds_words(200)
    ('less than 0.01 s', '0.84 s', '60 s', '3 min 20 s')
    """
    if seconds < 0.01:
        return "less than 0.01 s"
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


# --- splits ---------------------------------------------------------------------------------


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
        feature=printable(feature.name),
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
    name = printable(feature.name)
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


# --- goals and results ----------------------------------------------------------------------


def goal_words(objective: Objective, negative_label: str = "negative") -> str:
    """What is maximised, under which floors.

    Examples
    --------
    >>> goal_words(Objective(Goal.MAX_TPR, min_tnr=Fraction(95, 100)))
    'highest sensitivity (TPR) with specificity (TNR) at least 95%'
    """
    text = f"highest {GOAL_NAMES[objective.goal]}"
    if objective.class_weight != 1:
        text += (
            f", a correct row of {printable(negative_label)} counting "
            f"{number_words(float(objective.class_weight))} times"
        )
    floors = floor_words(objective)
    return f"{text} with {floors}" if floors else text


def floor_words(objective: Objective) -> str:
    """The floors asked for; "" if there is none."""
    floors = (
        (GOAL_NAMES[Goal.MAX_TPR], objective.min_tpr),
        (GOAL_NAMES[Goal.MAX_TNR], objective.min_tnr),
    )
    return " and ".join(
        f"{name} at least {number_words(float(100 * floor))}%"
        for name, floor in floors
        if floor is not None
    )


def value_words(problem: Problem, total: int) -> str:
    """What a total is worth, in the goal's own terms.

    Parameters
    ----------
    problem : Problem
        Gives the goal and the class names.
    total : int
        As a whole number (see `odt_core.problem.Gains`).

    Examples
    --------
    ``530 of 545 training rows right (97.2%)``; ``balanced accuracy 93.4%``
    """
    data, goal = problem.data, problem.objective.goal
    if goal is Goal.BALANCED:
        return f"balanced accuracy {percent_words(problem.gains.value(total))}"
    if goal is Goal.ACCURACY and problem.objective.class_weight != 1:
        return f"{number_words(float(problem.gains.value(total)))} weighted rows right"
    n, rows = {
        Goal.ACCURACY: (data.n_rows, "training row"),
        Goal.MAX_TPR: (data.n_positive, f"training row of {printable(data.positive_label)}"),
        Goal.MAX_TNR: (data.n_negative, f"training row of {printable(data.negative_label)}"),
    }[goal]
    many = rows.replace("training row", "training rows", 1)
    share = f" ({percent_words(problem.gains.value(total) / _one(problem))})" if n else ""
    return f"{total:,} of {count_words(n, rows, many)} right{share}"


def _one(problem: Problem) -> int:
    """The value of a tree without errors."""
    return problem.data.n_rows if problem.objective.goal is Goal.ACCURACY else 1


def gap_words(problem: Problem, gap: int) -> str:
    """How much better another tree could be, at most, in the goal's own unit.

    Parameters
    ----------
    problem : Problem
        Gives the goal and the class names.
    gap : int
        Bound less total, as a whole number (see `odt_core.problem.Gains`).
    """
    objective, data = problem.objective, problem.data
    if objective.goal is Goal.BALANCED:
        # Rounded up: a bound that is rounded down is no bound.
        points = math.ceil(problem.gains.value(gap) * 100 * 100) / 100
        unit = "percentage point" if points == 1 else "percentage points"
        return f"a better tree has at most {number_words(points)} {unit} more balanced accuracy"
    if objective.goal is Goal.ACCURACY and objective.class_weight != 1:
        worth = number_words(float(problem.gains.value(gap)))
        weight = number_words(float(objective.class_weight))
        return (
            f"a better tree gets at most {worth} more weighted rows right (a row of "
            f"{printable(data.negative_label)} counts {weight} times)"
        )
    rows = f"{gap:,} more {'row' if gap == 1 else 'rows'}"
    if objective.goal is Goal.MAX_TPR:
        rows += f" of {printable(data.positive_label)}"
    elif objective.goal is Goal.MAX_TNR:
        rows += f" of {printable(data.negative_label)}"
    return f"a better tree gets at most {rows} right"


def status_words(problem: Problem, solution: Solution, among: str = "of this shape") -> str:
    """How far a solve came.

    Parameters
    ----------
    problem : Problem
        What was solved.
    solution : Solution
        The answer.
    among : str
        Which trees were searched.

    Examples
    --------
    ``Proved optimal``; ``Best found in 60 s; a better tree gets at most 3 more rows
    right``.
    """
    seconds = seconds_words(solution.seconds.total)
    if solution.status is Status.OPTIMAL:
        return "Proved optimal"
    if solution.status is Status.INFEASIBLE:
        floors = floor_words(problem.objective)
        demand = f"reaches {floors}" if floors else "meets the conditions"
        return f"Proved impossible: no tree {among} {demand} on the training rows"
    cancelled = solution.status is Status.CANCELLED
    if solution.tree is None:
        return (
            f"Stopped after {seconds}, before a tree was found"
            if cancelled
            else f"No tree found in {seconds}; whether there is one is not known"
        )
    began = f"Stopped after {seconds}" if cancelled else f"Best found in {seconds}"
    if solution.gap is None:
        return f"{began}; how much better a tree could be is not known"
    return f"{began}; {gap_words(problem, solution.gap)}"


def proof_words(solution: Solution, over: str = "", among: str = "of this shape") -> str:
    """Which engine proved the answer, in what time, and what else there is to say about it.

    Parameters
    ----------
    solution : Solution
        The answer.
    over : str
        Over which cut points it holds, such as ``over the deciles``.
    among : str
        Which trees were searched.

    Examples
    --------
    ``No tree of this shape does better on the training rows: the exact search proved it in 0.02 s,
    and CBC on the integer program in 0.8 s. CBC confirmed this tree and its result in the paper's
    integer program. It took the bound from the search. Only trying every tree checks the bound
    too.``
    """
    return " ".join(
        part
        for part in (
            _claim_words(solution, among),
            _cuts_words(solution, over),
            _check_words(solution),
            solution.remark,
        )
        if part
    )


def _cuts_words(solution: Solution, over: str) -> str:
    if not over:
        return ""
    proved = solution.status.is_settled
    return f"Proved {over}." if proved else f"Sought {over}."


def _check_words(solution: Solution) -> str:
    """What the integer program was asked beside the proof."""
    mip = solution.mip
    if mip is None:
        return ""
    time = seconds_words(solution.seconds.mip)
    if mip.role is MipRole.CONFIRMED and solution.tree is not None:
        return (
            f"{mip.solver} confirmed this tree and its result in the paper's integer program. It "
            "took the bound from the search. Only trying every tree checks the bound too."
        )
    if mip.role is MipRole.CONTINUED and mip.solver.lower() not in solution.proved_by:
        return f"{mip.solver} then worked on the integer program for {time}."
    return ""


def _claim_words(solution: Solution, among: str) -> str:
    best = f"No tree {among} does better on the training rows"
    if not solution.proved_by and solution.status is Status.OPTIMAL:
        return f"{best}: this one has the best value that any tree can have."
    if not solution.proved_by and solution.mip is not None and solution.mip.is_blurred:
        return ""  # it is not for want of time, as the remark says
    if not solution.proved_by:
        question = (
            "that no tree is better"
            if solution.tree is not None
            else "whether there is such a tree"
        )
        return f"{seconds_words(solution.seconds.total)} were not enough to prove {question}."
    claims: list[str] = []
    for prover in solution.proved_by:
        spent = solution.seconds.search if prover is Prover.SEARCH else solution.seconds.mip
        time = f" in {seconds_words(spent)}" if spent else ""
        proved = "" if claims else " proved it"
        claims.append(f"{_PROVERS[prover]}{proved}{time}")
    fact = "There is no such tree" if solution.tree is None else best
    return f"{fact}: {list_words(claims, ', and ')}."
