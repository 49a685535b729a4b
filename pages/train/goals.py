"""The controls for the goal, the floors and the class weight."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from odt_core.errors import InputError
from odt_core.problem import Goal, Objective
from odt_core.training import parse_floor, parse_weight
from odt_core.words import GOAL_NAMES, capitalized
from pages.common.settings import TrainKey
from pages.common.text import plain, shorten
from pages.common.widgets import start_value

_WEIGHT = TrainKey.WEIGHT
_FURTHER = {rate: TrainKey.further_floor(rate) for rate in ("tpr", "tnr")}
"""The keys of the further floors, by rate."""


def choose_goal(positive: str, negative: str) -> Goal:
    """Draw the choice of goal, with a sentence on its meaning for these classes."""
    goal = st.selectbox(
        "Goal",
        list(Goal),
        format_func=lambda goal: capitalized(GOAL_NAMES[goal]),
        key=start_value(TrainKey.GOAL, Goal.ACCURACY),
        persist_state="session",
        help="The rate that the search makes as high as possible on the training rows.",
    )
    goal = Goal(goal or Goal.ACCURACY)
    yes, no = plain(shorten(positive, 30)), plain(shorten(negative, 30))
    st.caption(
        {
            Goal.ACCURACY: "Gets the most rows right.",
            Goal.BALANCED: f"{yes} and {no} count the same, whatever their numbers of rows.",
            Goal.MAX_TPR: f"Finds the most {yes}, with a floor on specificity (TNR) that limits "
            "false alarms.",
            Goal.MAX_TNR: f"Raises the fewest false alarms on {no}, with a floor on sensitivity "
            f"(TPR) that limits missed {yes}.",
        }[goal]
    )
    return goal


def choose_floor(goal: Goal) -> Fraction | None:
    """Draw the goal's floor, and read it exactly.

    Raises
    ------
    InputError
        If the floor is not a percentage.
    """
    if goal.floor_rate is None:
        return None
    rate = "Specificity (TNR)" if goal is Goal.MAX_TPR else "Sensitivity (TPR)"
    key = TrainKey.floor(goal)
    text = st.text_input(
        f"{rate} at least, in %",
        key=start_value(key, "95.0"),
        persist_state="session",
        max_chars=12,
        help="The exact floor on the training rows. The rate on test rows is usually a little "
        "lower: a floor of 100% in training often gives 97 to 99% in test.",
    )
    return parse_floor(text, f"The floor on {rate[0].lower()}{rate[1:]}")


def objective_of_train(goal: Goal, floor: Fraction | None) -> Objective:
    """Combine a goal and its floor with the Train page's class weight and further floors.

    Raises
    ------
    InputError
        If one of them cannot be used.
    """
    weight = Fraction(1)
    if goal is Goal.ACCURACY:
        weight = parse_weight(str(st.session_state.get(_WEIGHT, "1")), "Class weight C")
    further: list[Fraction | None] = []
    for rate, key in _FURTHER.items():
        text = str(st.session_state.get(key, "")).strip()
        is_further = text and rate != goal.floor_rate
        further.append(parse_floor(text, "A floor") if is_further else None)
    return make_objective(goal, floor, weight, (further[0], further[1]))


def choose_weight(goal: Goal, negative: str) -> Fraction:
    """Draw the class weight C, which only applies to accuracy.

    Raises
    ------
    InputError
        If the weight is not a positive number.
    """
    text = st.text_input(
        "Class weight C",
        key=start_value(_WEIGHT, "1"),
        persist_state="session",
        max_chars=12,
        disabled=goal is not Goal.ACCURACY,
        help=f"The weight of a correct row of {plain(shorten(negative, 30))}. A correct row of the "
        "positive class has the weight 1. Give a number or a fraction such as 3/2. The weight only "
        "applies to the goal accuracy.",
    )
    return parse_weight(text, "Class weight C") if goal is Goal.ACCURACY else Fraction(1)


def choose_further_floors(goal: Goal) -> tuple[Fraction | None, Fraction | None]:
    """Draw the further floors, and return those on sensitivity and specificity.

    Raises
    ------
    InputError
        If a floor is not a percentage.
    """
    floors: list[Fraction | None] = []
    for rate, name in (("tpr", "Sensitivity (TPR)"), ("tnr", "Specificity (TNR)")):
        if rate == goal.floor_rate:
            floors.append(None)
            continue
        text = st.text_input(
            f"{name} at least, in %",
            key=_FURTHER[rate],
            persist_state="session",
            max_chars=12,
            placeholder="no floor",
            help="A further condition on the training rows, for any goal.",
        )
        floors.append(parse_floor(text, f"The floor on {name}") if text.strip() else None)
    return floors[0], floors[1]


def make_objective(
    goal: Goal,
    floor: Fraction | None,
    weight: Fraction,
    further: tuple[Fraction | None, Fraction | None],
) -> Objective:
    """Make the objective from its parts.

    Raises
    ------
    InputError
        If the parts contradict each other.
    """
    min_tpr, min_tnr = further
    if goal is Goal.MAX_TPR:
        min_tnr = floor
    elif goal is Goal.MAX_TNR:
        min_tpr = floor
    if goal.floor_rate is None and floor is not None:
        raise InputError(f"The goal {goal} has no floor of its own.")
    return Objective(goal, weight, min_tpr, min_tnr)
