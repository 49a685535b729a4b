"""The controls for the goal, the floors and the class weight."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from odt_core.problem import Goal
from odt_core.training import parse_floor, parse_weight
from pages.common.markup import plain, shorten
from pages.common.settings import FURTHER_FLOORS, TrainKey
from pages.common.widgets import start_value

_WEIGHT = TrainKey.WEIGHT


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
            key=FURTHER_FLOORS[rate],
            persist_state="session",
            max_chars=12,
            placeholder="no floor",
            help="A further condition on the training rows, for any goal.",
        )
        floors.append(parse_floor(text, f"The floor on {name}") if text.strip() else None)
    return floors[0], floors[1]
