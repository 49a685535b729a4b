"""A run's settings as the Train page's controls hold them."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import streamlit as st

from odt_core.problem import LeafCount, Objective
from odt_core.topology import PRESETS, AnyShape, Shape
from odt_core.training import FeatureSelection, TrainSpec
from odt_core.words import count_words

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
"""The shape that is chosen at first."""

MOST_SECONDS = 24 * 3600
"""The longest time limit that may be asked for."""


def load_settings(spec: TrainSpec) -> None:
    """Make the Train page's controls say what a run was asked.

    Call it before they are drawn.
    """
    leaf = spec.smallest_leaf
    values = {
        **_shape(spec.topology),
        **_objective(spec.objective),
        "train_max_card": spec.max_card,
        "train_min_leaf": None if leaf is None else leaf.rows,
        "train_min_leaf_of": LeafCount.ROWS if leaf is None else leaf.of,
        "train_seconds": min(max(round(spec.time_limit), 1), MOST_SECONDS),
        "train_engine": spec.engine,
        "train_threads": spec.threads,
        "train_seed": spec.seed,
        "train_selection": spec.feature_selection is FeatureSelection.CART,
        "train_least_features": spec.least_features,
        "train_no_empty": spec.forbid_empty_branches,
        "train_rules": spec.rules.nodes,
        "train_forbidden": list(spec.rules.forbidden),
        **{f"train_mip_{name}": value for name, value in dataclasses.asdict(spec.mip).items()},
    }
    for key, value in values.items():
        st.session_state[key] = value


def _shape(topology: Shape) -> dict[str, Any]:
    if isinstance(topology, AnyShape):
        return {"train_shape": ANY, "train_most_questions": topology.most_questions}
    if topology.name in PRESETS:
        return {"train_shape": topology.name}
    return {"train_shape": OWN, "train_own_shape": topology.text}


def _objective(objective: Objective) -> dict[str, Any]:
    """Goal, weight and floors; the goal's own floor stands beside it, others are further ones."""
    floors = {"tpr": objective.min_tpr, "tnr": objective.min_tnr}
    values: dict[str, Any] = {
        "train_goal": objective.goal,
        "train_weight": str(objective.class_weight),
    }
    for rate, floor in floors.items():
        text = "" if floor is None else percent_text(floor)
        if rate == objective.goal.floor_rate:
            values[f"train_floor_{objective.goal.value}"] = text or "0"
        else:
            values[f"train_further_{rate}"] = text
    return values


def percent_text(share: Fraction) -> str:
    """A share as an exact percentage; where no decimal is exact, one that is a little lower.

    Examples
    --------
    >>> percent_text(Fraction(95, 100)), percent_text(Fraction(1, 3)), percent_text(Fraction(1))
    ('95', '33.333333', '100')
    """
    steps = 100 * share * 10**6 // 1
    whole, rest = divmod(int(steps), 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def shape_name(topology: Shape) -> str:
    """The shape's name on its card, or its text."""
    if isinstance(topology, AnyShape):
        return f"any shape, at most {count_words(topology.most_questions, 'question')}"
    return SHAPE_NAMES.get(topology.name, topology.text)
