"""What is maximised, under which floors."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from odt_core.errors import InputError
from odt_core.problem import Goal, Objective
from odt_core.training import parse_floor, parse_weight
from odt_core.words import GOAL_NAMES
from pages.common.settings import TrainKey
from pages.common.text import plain, shorten

_WEIGHT = TrainKey.WEIGHT
_FURTHER = {rate: TrainKey.further_floor(rate) for rate in ("tpr", "tnr")}
"""The keys of the further floors, by their rates."""


def _title(goal: Goal) -> str:
    name = GOAL_NAMES[goal]
    return f"{name[0].upper()}{name[1:]}"


def choose_goal(positive: str, negative: str) -> Goal:
    """Draw the choice of goal with one sentence on what it means for these classes."""
    st.session_state.setdefault(TrainKey.GOAL, Goal.ACCURACY)
    goal = st.selectbox(
        "Goal",
        list(Goal),
        format_func=_title,
        key=TrainKey.GOAL,
        persist_state="session",
        help="What the tree is to do best on the training rows.",
    )
    goal = Goal(goal or Goal.ACCURACY)
    yes, no = plain(shorten(positive, 30)), plain(shorten(negative, 30))
    st.caption(
        {
            Goal.ACCURACY: "Gets the most rows right.",
            Goal.BALANCED: f"{yes} and {no} count the same, however many rows each has.",
            Goal.MAX_TPR: f"Finds the most {yes}, with a floor on specificity (TNR) that limits "
            "false alarms.",
            Goal.MAX_TNR: f"Raises the fewest false alarms on {no}, with a floor on sensitivity "
            f"(TPR) that limits missed {yes}.",
        }[goal]
    )
    return goal


def choose_floor(goal: Goal) -> Fraction | None:
    """Draw the floor that belongs to the goal, and read it exactly as it is written.

    Raises
    ------
    InputError
        If it is not a percentage.
    """
    if goal.floor_rate is None:
        return None
    rate = "Specificity (TNR)" if goal is Goal.MAX_TPR else "Sensitivity (TPR)"
    key = TrainKey.floor(goal)
    st.session_state.setdefault(key, "95.0")
    text = st.text_input(
        f"{rate} at least, in %",
        key=key,
        persist_state="session",
        max_chars=12,
        help="On the training rows, exactly as written. In test rows a little less is usual: a "
        "floor of 100 % in training gives 97 to 99 % in test.",
    )
    return parse_floor(text, f"The floor on {rate[0].lower()}{rate[1:]}")


def objective_of_train(goal: Goal, floor: Fraction | None) -> Objective:
    """A goal and its floor, with the class weight and the further floors of the Train page.

    Raises
    ------
    InputError
        If one cannot be used.
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
    """Draw the class weight C, which goes with accuracy only.

    Raises
    ------
    InputError
        If it is not a positive number.
    """
    st.session_state.setdefault(_WEIGHT, "1")
    text = st.text_input(
        "Class weight C",
        key=_WEIGHT,
        persist_state="session",
        max_chars=12,
        disabled=goal is not Goal.ACCURACY,
        help=f"What a correct row of {plain(shorten(negative, 30))} is worth; a correct row of "
        "the positive class is worth 1. Give a number or a fraction such as 3/2. It goes with the "
        "goal accuracy only.",
    )
    return parse_weight(text, "Class weight C") if goal is Goal.ACCURACY else Fraction(1)


def choose_further_floors(goal: Goal) -> tuple[Fraction | None, Fraction | None]:
    """Draw the floors that are not part of the goal; (sensitivity, specificity).

    Raises
    ------
    InputError
        If one is not a percentage.
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
            help="A further condition on the training rows, whatever the goal.",
        )
        floors.append(parse_floor(text, f"The floor on {name}") if text.strip() else None)
    return floors[0], floors[1]


def make_objective(
    goal: Goal,
    floor: Fraction | None,
    weight: Fraction,
    further: tuple[Fraction | None, Fraction | None],
) -> Objective:
    """Put the parts together.

    Raises
    ------
    InputError
        If they do not fit each other.
    """
    min_tpr, min_tnr = further
    if goal is Goal.MAX_TPR:
        min_tnr = floor
    elif goal is Goal.MAX_TNR:
        min_tpr = floor
    if goal.floor_rate is None and floor is not None:
        raise InputError(f"The goal {goal} takes no floor of its own.")
    return Objective(goal, weight, min_tpr, min_tnr)
