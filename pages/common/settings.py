"""A run's settings: values of the Train page's controls, specifications, and words."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import streamlit as st

from odt_core.alternatives.question import Others
from odt_core.errors import InputError
from odt_core.exact import parse_floor, parse_weight
from odt_core.jobs import JobKind
from odt_core.problem import Goal, LeafCount, Objective
from odt_core.solution import Engine
from odt_core.storage import RunSummary
from odt_core.topology import PRESETS, AnyShape, Shape, Topology
from odt_core.training import FeatureSelection, RulesSpec, TrainSpec, conditions_of
from odt_core.words import RATE_NAMES, count_words
from pages.common.markup import shorten
from pages.common.session import work
from pages.common.tables import ReadyData


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
    RULE = "train_rule"
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
    "depth-1": "Depth-1",
    "depth-2": "Depth-2",
    "depth-2.5": "Depth-2.5",
    "depth-3": "Depth-3",
    "imbalanced": "Imbalanced",
    "depth-4": "Depth-4",
    "cues-3": "3 cues",
    "cues-4": "4 cues",
    OWN: "Own shape",
    ANY: "Any shape, at most k questions",
}
DEFAULT_SHAPE = "depth-2"
"""The shape with which a session begins."""
MOST_SECONDS = 24 * 3600
"""The longest time limit, in seconds."""


def asked_words(spec: TrainSpec) -> str:
    """Describe the shape and the conditions of a search; plain text."""
    return ", ".join([shape_name(spec.topology), *conditions_of(spec)])


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
    """Return the shape's name within a sentence, or its text."""
    if isinstance(topology, AnyShape):
        return f"any shape, at most {count_words(topology.most_questions, 'question')}"
    if topology.preset is None:
        return topology.text
    mirrored = "" if topology.name == topology.preset else ", mirrored"
    return f"{_within_a_sentence(topology.preset)}{mirrored}"


def _within_a_sentence(preset: str) -> str:
    label = SHAPE_NAMES[preset]
    return f"{label[:1].lower()}{label[1:]}"


def objective_of_train(goal: Goal, floor: Fraction | None) -> Objective:
    """Combine a goal and its floor with the Train page's class weight and further floors.

    Raises
    ------
    InputError
        If one of them cannot be used.
    """
    weight = Fraction(1)
    if goal.counts_rows:
        weight = parse_weight(str(st.session_state.get(TrainKey.WEIGHT, "1")), "Class weight C")
    texts = {rate: st.session_state.get(TrainKey.further_floor(rate), "") for rate in RATE_NAMES}
    further = {
        rate: parse_floor(text, "A floor")
        for rate, text in texts.items()
        if text.strip() and rate != goal.floor_rate
    }
    return make_objective(goal, floor, weight, further)


def make_objective(
    goal: Goal, floor: Fraction | None, weight: Fraction, further: Mapping[str, Fraction]
) -> Objective:
    """Make the objective from its parts; `further` has the floors on other rates than the goal's.

    Raises
    ------
    InputError
        If the parts contradict each other.
    """
    floors: dict[str, Fraction | None] = {**further}
    if goal.floor_rate is not None:
        floors[goal.floor_rate] = floor
    return Objective(goal, weight, floors.get("tpr"), floors.get("tnr"))


def frontier_spec(
    data: ReadyData, shapes: Sequence[str], cap: int | None, limit: float | None
) -> TrainSpec:
    """Return the run for the settings and the first shape, with the current tree's conditions.

    Raises
    ------
    InputError
        If a setting cannot be used.
    """
    seconds, max_card = read_time_limit(limit), read_cap(cap)
    topologies = [Topology.parse(shape) for shape in shapes]
    spec = TrainSpec(
        schema=data.schema,
        split=data.split,
        topology=topologies[0],
        objective=Objective(),
        max_card=max_card,
        engine=Engine.SEARCH,
        time_limit=seconds,
    )
    job = work().job
    if job is None or job.spec.train.schema != data.schema:
        return spec
    then = job.spec.train
    return replace(
        spec,
        rules=rules_that_apply(then, topologies),
        forbid_empty_branches=then.forbid_empty_branches,
        smallest_leaf=then.smallest_leaf,
        feature_selection=then.feature_selection,
        least_features=then.least_features,
    )


def rules_that_apply(then: TrainSpec, topologies: Sequence[Topology]) -> RulesSpec:
    """Return a run's rules for other shapes. Rules for single nodes apply to its own shape only."""
    if all(topology == then.topology for topology in topologies):
        return then.rules
    return RulesSpec(then.rules.forbidden)


OTHERS_WORDS = {
    Others.FREE: "Everything",
    Others.BELOW: "Not the questions above",
    Others.KEPT: "Nothing",
}
"""The options for what else may change with a question."""
KIND_WORDS = {
    JobKind.TRAIN: "Tree",
    JobKind.FRONTIER: "Frontier",
    JobKind.CURVE: "Curves",
    JobKind.COMPARE: "Comparison",
    JobKind.STABILITY: "Stability",
    JobKind.ADOPT: "Chosen tree",
    JobKind.PATH: "Path by size",
    JobKind.VERIFY: "Check of a proof",
    JobKind.VALIDATE: "Validation",
    JobKind.ALTERNATIVES: "Alternatives",
    JobKind.QUESTION: "Columns at a question",
}


def kind_words(kind: str) -> str:
    """Name the kind of a run."""
    return KIND_WORDS.get(JobKind(kind), kind) if kind in set(JobKind) else shorten(kind, 30)


def shape_of(run: RunSummary) -> str:
    """Name the shapes of a run within a sentence, or by their texts."""
    return ", ".join(_shape_of_name(name) for name in run.headline.topology.split(", "))


def _shape_of_name(name: str) -> str:
    number = name.removeprefix("any-")
    if name != number and number.isdigit():
        return f"any, at most {count_words(int(number), 'question')}"
    return _within_a_sentence(name) if name in SHAPE_NAMES else name


def run_name(run: RunSummary) -> str:
    """Return the user's name for a run, or a name from its kind and shape."""
    if run.name:
        return run.name
    shape = shape_of(run)
    return f"{kind_words(run.kind)}{f', {shape}' if shape else ''}"
