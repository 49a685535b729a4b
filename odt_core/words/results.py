"""Goals and results of solves in words."""

from __future__ import annotations

import math

from odt_core.problem import Goal, LeafCount, Objective, Problem, SmallestLeaf
from odt_core.solution import Engine, MipRole, Prover, Solution, Status
from odt_core.words.text import (
    count_words,
    list_words,
    number_words,
    percent_words,
    printable,
    seconds_words,
)

ENGINE_WORDS: dict[Engine, str] = {
    Engine.HYBRID: "The exact search finds and proves the tree, and the paper's integer program in "
    "CBC confirms it if that takes only seconds, or continues if the search runs out of time.",
    Engine.SEARCH: "The exact search alone, which goes through all questions by counting and is "
    "usually the fastest.",
    Engine.CBC: "The paper's integer program alone, solved by CBC.",
    Engine.HIGHS: "The paper's integer program alone, solved by HiGHS.",
}
"""A description of each engine."""

RATE_NAMES = {"tpr": "sensitivity (TPR)", "tnr": "specificity (TNR)"}
"""The rates that may have a floor."""

GOAL_NAMES: dict[Goal, str] = {
    Goal.ACCURACY: "accuracy",
    Goal.BALANCED: "balanced accuracy",
    Goal.MAX_TPR: RATE_NAMES["tpr"],
    Goal.MAX_TNR: RATE_NAMES["tnr"],
}
"""The rate of each goal."""

LOSS_NAMES: dict[Goal, str] = {
    Goal.ACCURACY: "training errors",
    Goal.BALANCED: "balanced error in training",
    Goal.MAX_TPR: "missed cases in training",
    Goal.MAX_TNR: "false alarms in training",
}
"""What a tree loses under each goal."""

_PROVERS = {
    Prover.SEARCH: "the exact search",
    Prover.CBC: "CBC on the integer program",
    Prover.HIGHS: "HiGHS on the integer program",
}


def goal_words(objective: Objective, negative_label: str = "negative") -> str:
    """Describe a goal and its floors.

    Examples
    --------
    >>> from fractions import Fraction
    >>> goal_words(Objective(Goal.MAX_TPR, min_tnr=Fraction(95, 100)))
    'highest sensitivity (TPR) with specificity (TNR) at least 95%'
    """
    text = f"highest {GOAL_NAMES[objective.goal]}"
    if objective.class_weight != 1:
        text += (
            f", a correct row of {printable(negative_label)} counting "
            f"{number_words(objective.class_weight)} times"
        )
    floors = floor_words(objective)
    return f"{text} with {floors}" if floors else text


def floor_words(objective: Objective) -> str:
    """List the floors; "" without floors."""
    floors = zip(RATE_NAMES.values(), (objective.min_tpr, objective.min_tnr), strict=True)
    return " and ".join(
        f"{name} at least {number_words(100 * floor)}%"
        for name, floor in floors
        if floor is not None
    )


def value_words(problem: Problem, total: int) -> str:
    """Describe a total in the goal's unit.

    Parameters
    ----------
    problem : Problem
        The problem, with the goal and the class names.
    total : int
        The total (see `odt_core.problem.Gains`).

    Examples
    --------
    ``530 of 545 training rows right (97.2%)``; ``balanced accuracy 93.4%``
    """
    data, goal = problem.data, problem.objective.goal
    if goal is Goal.BALANCED:
        return f"balanced accuracy {percent_words(problem.gains.value(total))}"
    if goal is Goal.ACCURACY and problem.objective.class_weight != 1:
        return f"{number_words(problem.gains.value(total))} weighted rows right"
    n, rows = {
        Goal.ACCURACY: (data.n_rows, "training row"),
        Goal.MAX_TPR: (data.n_positive, f"training row of {printable(data.positive_label)}"),
        Goal.MAX_TNR: (data.n_negative, f"training row of {printable(data.negative_label)}"),
    }[goal]
    many = rows.replace("training row", "training rows", 1)
    share = f" ({percent_words(problem.gains.value(total) / _one(problem))})" if n else ""
    return f"{total:,} of {count_words(n, rows, many)} right{share}"


def _one(problem: Problem) -> int:
    """The total of a tree without errors."""
    return problem.data.n_rows if problem.objective.goal.counts_rows else 1


def gap_words(problem: Problem, gap: int) -> str:
    """Say how much better another tree can be at most, in the goal's unit.

    Parameters
    ----------
    problem : Problem
        The problem, with the goal and the class names.
    gap : int
        Bound minus total (see `odt_core.problem.Gains`).
    """
    objective, data = problem.objective, problem.data
    if objective.goal is Goal.BALANCED:
        # Rounded up, because a bound must not be rounded down.
        points = math.ceil(problem.gains.value(gap) * 100 * 100) / 100
        unit = "percentage point" if points == 1 else "percentage points"
        return f"a better tree has at most {number_words(points)} {unit} more balanced accuracy"
    if objective.goal is Goal.ACCURACY and objective.class_weight != 1:
        worth = number_words(problem.gains.value(gap))
        weight = number_words(objective.class_weight)
        return (
            f"a better tree gets at most {worth} more weighted rows right (a row of "
            f"{printable(data.negative_label)} counts {weight} times)"
        )
    of_class = {
        Goal.ACCURACY: "",
        Goal.MAX_TPR: f" of {printable(data.positive_label)}",
        Goal.MAX_TNR: f" of {printable(data.negative_label)}",
    }[objective.goal]
    rows = "row" if gap == 1 else "rows"
    return f"a better tree gets at most {gap:,} more {rows}{of_class} right"


def status_words(problem: Problem, solution: Solution, among: str = "of this shape") -> str:
    """Describe the status of a solve.

    Parameters
    ----------
    problem : Problem
        The problem.
    solution : Solution
        The solution.
    among : str
        The trees that the answer covers.

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


def smallest_leaf_words(smallest: SmallestLeaf | None) -> str:
    """Write the smallest size of a leaf; "" without such a condition.

    Examples
    --------
    >>> smallest_leaf_words(SmallestLeaf(5, LeafCount.RARER_CLASS))
    '5 rows of the rarer class'
    """
    if smallest is None:
        return ""
    of = " of the rarer class" if smallest.of is LeafCount.RARER_CLASS else ""
    return f"{count_words(smallest.rows, 'row')}{of}"


def proof_words(solution: Solution, over: str = "", among: str = "of this shape") -> str:
    """Name the engines that proved the answer and their times, and add the remark.

    Parameters
    ----------
    solution : Solution
        The solution.
    over : str
        The cut points that the answer covers, such as ``over the deciles``.
    among : str
        The trees that the answer covers.

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
    return f"Proved {over}." if proved else f"The search went {over}."


def _check_words(solution: Solution) -> str:
    """What the integer program did in addition to the proof."""
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
        return ""  # more time would not help, as the remark says
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
