"""A run's settings as values of the Train page's controls."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Literal

import streamlit as st

from odt_core.errors import InputError
from odt_core.problem import Goal, LeafCount, Objective
from odt_core.topology import PRESETS, AnyShape, Shape
from odt_core.training import FeatureSelection, TrainSpec
from odt_core.words import count_words


class TrainKey:
    """Keys of the Train page's controls, which have values for the session."""

    SHAPE = "train_shape"
    OWN_SHAPE = "train_own_shape"
    MOST_QUESTIONS = "train_most_questions"
    MAX_CARD = "train_max_card"
    MIN_LEAF = "train_min_leaf"
    MIN_LEAF_OF = "train_min_leaf_of"
    GOAL = "train_goal"
    WEIGHT = "train_weight"
    RULES = "train_rules"
    FORBIDDEN = "train_forbidden"
    SECONDS = "train_seconds"
    ENGINE = "train_engine"
    THREADS = "train_threads"
    SEED = "train_seed"
    SELECTION = "train_selection"
    LEAST_FEATURES = "train_least_features"
    NO_EMPTY = "train_no_empty"

    @staticmethod
    def floor(goal: Goal) -> str:
        """Key of a goal's floor."""
        return f"train_floor_{goal.value}"

    @staticmethod
    def further_floor(rate: str) -> str:
        """Key of a further floor on ``tpr`` or ``tnr``."""
        return f"train_further_{rate}"

    @staticmethod
    def switch(name: str) -> str:
        """Key of a switch of the integer program, by its field."""
        return f"train_mip_{name}"


OWN, ANY = "own", "any"
SHAPE_NAMES = {
    "depth-1": "Depth 1",
    "depth-2": "Depth 2",
    "depth-2.5": "Depth 2.5",
    "depth-3": "Depth 3",
    "imbalanced": "Imbalanced",
    "depth-4": "Depth 4",
    "cues-3": "3 cues",
    "cues-4": "4 cues",
    OWN: "Own shape",
    ANY: "Any shape, at most k questions",
}
DEFAULT_SHAPE = "depth-2"
"""The shape with which a session begins."""

MOST_SECONDS = 24 * 3600
"""The longest time limit, in seconds."""


def read_time_limit(seconds: float | None) -> float:
    """Read the value of a field for the time limit.

    Raises
    ------
    InputError
        If it is not from 1 to `MOST_SECONDS`. The browser also checks this, but a user can bypass
        it.
    """
    if seconds is None or not 1 <= seconds <= MOST_SECONDS:
        raise InputError(f"The time limit must be from 1 to {MOST_SECONDS} seconds.")
    return float(seconds)


def draw_cap(key: str, width: int | Literal["stretch"] = "stretch", more: str = "") -> int | None:
    """Draw the field for the largest set of categories. `read_cap` reads its value.

    Parameters
    ----------
    key : str
        The field's key.
    width : int or ``stretch``
        The field's width in pixels.
    more : str
        Further sentences for the help.
    """
    return st.number_input(
        "Largest set of categories",
        min_value=1,
        step=1,
        value=None,
        placeholder="no cap",
        key=key,
        persist_state="session",
        width=width,
        help="The most categories of a column on one side of a question (max.card in the paper). "
        f"Empty means no cap. {more}",
    )


def read_cap(cap: int | None) -> int | None:
    """Read the value of a field for the largest set of categories; None for no cap.

    Raises
    ------
    InputError
        If it is less than 1.
    """
    if cap is not None and cap < 1:
        raise InputError("The largest set of categories must be at least 1, or empty for no cap.")
    return None if cap is None else int(cap)


def load_settings(spec: TrainSpec) -> None:
    """Set the Train page's controls to a run's settings.

    Call it before they are drawn.
    """
    leaf = spec.smallest_leaf
    values = {
        **_shape(spec.topology),
        **_objective(spec.objective),
        TrainKey.MAX_CARD: spec.max_card,
        TrainKey.MIN_LEAF: None if leaf is None else leaf.rows,
        TrainKey.MIN_LEAF_OF: LeafCount.ROWS if leaf is None else leaf.of,
        TrainKey.SECONDS: min(max(round(spec.time_limit), 1), MOST_SECONDS),
        TrainKey.ENGINE: spec.engine,
        TrainKey.THREADS: spec.threads,
        TrainKey.SEED: spec.seed,
        TrainKey.SELECTION: spec.feature_selection is FeatureSelection.CART,
        TrainKey.LEAST_FEATURES: spec.least_features,
        TrainKey.NO_EMPTY: spec.forbid_empty_branches,
        TrainKey.RULES: spec.rules.nodes,
        TrainKey.FORBIDDEN: list(spec.rules.forbidden),
        **{TrainKey.switch(name): value for name, value in dataclasses.asdict(spec.mip).items()},
    }
    for key, value in values.items():
        st.session_state[key] = value


def _shape(topology: Shape) -> dict[str, Any]:
    if isinstance(topology, AnyShape):
        return {TrainKey.SHAPE: ANY, TrainKey.MOST_QUESTIONS: topology.most_questions}
    if topology.name in PRESETS:
        return {TrainKey.SHAPE: topology.name}
    return {TrainKey.SHAPE: OWN, TrainKey.OWN_SHAPE: topology.text}


def _objective(objective: Objective) -> dict[str, Any]:
    """Goal, weight and floors. The goal has its own floor; other floors are further floors."""
    floors = {"tpr": objective.min_tpr, "tnr": objective.min_tnr}
    values: dict[str, Any] = {
        TrainKey.GOAL: objective.goal,
        TrainKey.WEIGHT: str(objective.class_weight),
    }
    for rate, floor in floors.items():
        text = "" if floor is None else percent_text(floor)
        if rate == objective.goal.floor_rate:
            values[TrainKey.floor(objective.goal)] = text or "0"
        else:
            values[TrainKey.further_floor(rate)] = text
    return values


def percent_text(share: Fraction) -> str:
    """Write a share as an exact percentage; rounded down if no decimal is exact.

    Examples
    --------
    >>> percent_text(Fraction(95, 100)), percent_text(Fraction(1, 3)), percent_text(Fraction(1))
    ('95', '33.333333', '100')
    """
    steps = 100 * share * 10**6 // 1
    whole, rest = divmod(int(steps), 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def shape_name(topology: Shape) -> str:
    """Return the shape's name on its card, or its text."""
    if isinstance(topology, AnyShape):
        return f"any shape, at most {count_words(topology.most_questions, 'question')}"
    if topology.preset is None:
        return topology.text
    mirrored = "" if topology.name == topology.preset else ", mirrored"
    return f"{SHAPE_NAMES[topology.preset]}{mirrored}"
