"""The settings of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import streamlit as st

from odt_core.data import Folding, Prepared, SplitSpec
from odt_core.data.sizes import parse_train_size, size_text
from odt_core.errors import InputError
from odt_core.evaluation import Baseline
from odt_core.studies import ComparisonFold, ComparisonSpec, CutPoints, TreeCandidate
from odt_core.topology import PRESETS, Topology
from odt_core.training import FeatureSelection, TrainSpec
from odt_core.words import count_words, goal_words
from pages.common.controls import choose_floor, choose_goal
from pages.common.markup import plain
from pages.common.session import work
from pages.common.settings import SHAPE_NAMES, frontier_spec, objective_of_train
from pages.common.studies import MOST_SECONDS_EACH
from pages.common.tables import ReadyData, prepared_rows
from pages.common.widgets import start_value

SHAPES, CAPS, CUTS, SELECTIONS = (
    "compare_shapes",
    "compare_caps",
    "compare_cuts",
    "compare_selections",
)
METHOD, FOLDS, SIZE, REPEATS, SECONDS, ALL_ROWS = (
    "compare_method",
    "compare_folds",
    "compare_size",
    "compare_repeats",
    "compare_seconds",
    "compare_all_rows",
)
"""Keys of the widgets."""

_CAPS: dict[int | None, str] = {1: "1", 2: "2", 3: "3", None: "no cap"}
_CUTS = {
    CutPoints.AS_SET: "as set",
    CutPoints.DECILES: "deciles",
    CutPoints.EVERY: "every",
}
_SELECTIONS = {FeatureSelection.NONE: "all", FeatureSelection.CART: "CART's"}
CAPS_HELP = (
    "The most categories of a column on one side of a question. You can choose several caps."
)
CUTS_HELP = (
    "Where numerical columns may be cut: as set on the Data page, at deciles, or at every value. "
    "Your own cut points always stay. You can choose several."
)
SELECTIONS_HELP = (
    "The columns that trees may use: all, or only those that a default CART uses on the fold's "
    "training rows (paper, section 5.4). You can choose several."
)
FEW_CATEGORIES = 3
"""The most categories of a column for which a cap of 1 makes no difference."""


Option = TypeVar("Option")


class Method(StrEnum):
    """The ways to divide the rows."""

    FOLDS = "Folds"
    HOLD_OUT = "Hold-out"


@dataclass(frozen=True)
class Plan:
    """The comparison that the settings describe.

    Attributes
    ----------
    spec : TrainSpec
        Data, rows, goal and limits. Its shape is the first candidate's.
    comparison : ComparisonSpec
        Candidates and folds.
    """

    spec: TrainSpec
    comparison: ComparisonSpec


def draw_plan(data: ReadyData, rows: Prepared) -> Plan | None:
    """Draw and read the settings; None after an error, which the page shows."""
    _remember_plan()
    try:
        goal = choose_goal(rows.train.positive_label, rows.train.negative_label)
        objective = objective_of_train(goal, choose_floor(goal))
        candidates = _draw_candidates(rows)
        folding = _draw_folds()
        limit = st.session_state.get(SECONDS)
        spec = frontier_spec(data, [c.topology.text for c in candidates], None, limit)
        takes_all = st.session_state.get(ALL_ROWS)
        split = SplitSpec("all", seed=data.split.seed) if takes_all else data.split
        spec = replace(spec, objective=objective, split=split)
        comparison = ComparisonSpec((*candidates, *Baseline), folding)
        first = replace(split, fold=next(iter(folding)))
        prepared_rows(data.dataset.table, data.schema, first)  # raises if the folds are wrong
    except InputError as error:
        st.error(plain(str(error)))
        return None
    plan = Plan(spec, comparison)
    st.caption(_plan_words(plan, rows))
    return plan


def _remember_plan() -> None:
    """Begin with the settings of the comparison on the page, or else with the defaults."""
    batch = work().comparison
    candidates: tuple[TreeCandidate, ...] = ()
    values: dict[str, object] = {
        SHAPES: ["depth-1", "depth-2", "depth-3"],
        CAPS: [None],
        CUTS: [CutPoints.AS_SET],
        SELECTIONS: [FeatureSelection.NONE],
        METHOD: Method.FOLDS,
        FOLDS: 5,
        SIZE: "paper",
        REPEATS: 1,
        SECONDS: 10,
        ALL_ROWS: False,
    }
    if batch is not None and batch.jobs:
        spec, part = batch.jobs[0].spec, batch.jobs[0].spec.part
        assert isinstance(part, ComparisonFold)
        candidates = tuple(c for c in part.candidates if isinstance(c, TreeCandidate))
        fold, last = part.fold, batch.jobs[-1].spec.part
        assert isinstance(last, ComparisonFold)
        values |= {
            SHAPES: [n for n in dict.fromkeys(c.topology.name for c in candidates) if n in PRESETS],
            CAPS: [cap for cap in dict.fromkeys(c.max_card for c in candidates) if cap in _CAPS],
            CUTS: list(dict.fromkeys(c.cuts for c in candidates)),
            SELECTIONS: list(dict.fromkeys(c.feature_selection for c in candidates)),
            METHOD: Method.FOLDS if fold.parts else Method.HOLD_OUT,
            FOLDS: fold.parts or 5,
            SIZE: "paper" if fold.train_size is None else size_text(fold.train_size),
            REPEATS: last.fold.repeat + 1,
            SECONDS: max(1, round(spec.train.time_limit)),
            ALL_ROWS: spec.train.split.train_size == "all",
        }
    for key, value in values.items():
        start_value(key, value)


def _draw_candidates(rows: Prepared) -> list[TreeCandidate]:
    """Draw the choices, and return a candidate for every combination.

    Raises
    ------
    InputError
        If nothing is chosen.
    """
    shapes = st.multiselect(
        "Shapes",
        list(PRESETS),
        format_func=lambda n: SHAPE_NAMES[n],
        key=SHAPES,
        persist_state="session",
    )
    caps: list[int | None] = [None]
    cuts = [CutPoints.AS_SET]
    if has_large_sets(rows):
        caps = _draw_choices("Largest sets of categories", CAPS, _CAPS, CAPS_HELP)
    if any(f.is_numerical for f in rows.train.features):
        cuts = _draw_choices("Cut points", CUTS, _CUTS, CUTS_HELP)
    selections = _draw_choices("Columns", SELECTIONS, _SELECTIONS, SELECTIONS_HELP)
    for chosen, name in (
        (shapes, "shape"),
        (caps, "largest set"),
        (cuts, "way to cut"),
        (selections, "choice of columns"),
    ):
        if not chosen:
            raise InputError(f"No {name} is chosen: choose at least one to compare.")
    return [
        TreeCandidate(Topology.parse(shape), cap, cut, selection)
        for shape in shapes
        for cap in caps
        for cut in cuts
        for selection in selections
    ]


def has_large_sets(rows: Prepared) -> bool:
    """Whether a cap on sets of categories would make a difference."""
    return any(not f.is_numerical and f.n_values > FEW_CATEGORIES for f in rows.train.features)


def _draw_choices(label: str, key: str, words: Mapping[Option, str], help_: str) -> list[Option]:
    """Draw a choice of several options."""
    return list(
        st.pills(
            label,
            list(words),
            format_func=lambda value: words[value],
            selection_mode="multi",
            key=key,
            persist_state="session",
            help=help_,
        )
    )


def _draw_folds() -> Folding:
    """Draw the settings of the folds.

    Raises
    ------
    InputError
        If the rows cannot be divided in this way.
    """
    with st.expander("Folds and time", key="compare_more"):
        method = st.segmented_control(
            "How the rows are divided",
            list(Method),
            key=METHOD,
            persist_state="session",
            required=True,
            help="Folds: the rows are divided into parts, and each part is the test set once. "
            "Hold-out: a random part trains and the rest tests, many times, as in the paper "
            "(section 5).",
        )
        if method is Method.FOLDS:
            parts = st.number_input("Folds", 2, 100, key=FOLDS, persist_state="session")
        else:
            size = st.text_input(
                "Rows to train on",
                key=SIZE,
                persist_state="session",
                max_chars=20,
                help="Give a number, a share such as 0.8, or `paper`, which is 90% of the rows but "
                "at most 600.",
            )
        repeats = st.number_input(
            "Repeats",
            1,
            200,
            key=REPEATS,
            persist_state="session",
            help="How often the rows are divided. More repeats give steadier means.",
        )
        st.number_input(
            "Time limit of a tree in seconds",
            1,
            MOST_SECONDS_EACH,
            key=SECONDS,
            persist_state="session",
        )
        st.toggle(
            "All rows, including the test rows",
            key=ALL_ROWS,
            persist_state="session",
            help="Then no rows are left for an honest test of the choice.",
        )
    if method is Method.FOLDS:
        return Folding(int(parts or 5), int(repeats or 1))
    return Folding(None, int(repeats or 1), parse_train_size(size))


def _plan_words(plan: Plan, rows: Prepared) -> str:
    """Describe the numbers of candidates and folds, the goal and the rows; Markdown."""
    candidates = plan.comparison.candidates
    n_trees = sum(isinstance(c, TreeCandidate) for c in candidates)
    baselines = count_words(len(candidates) - n_trees, "baseline")
    folds = count_words(len(plan.comparison.folding), "fold")
    text = (
        f"{count_words(n_trees, 'candidate')} and {baselines} on {folds}; "
        f"{goal_words(plan.spec.objective, rows.train.negative_label)}."
    )
    if plan.spec.split.train_size == "all":
        text += " All rows take part, so no rows are left for an honest test."
    else:
        text += f" The folds are of the {count_words(rows.train.n_rows, 'training row')}"
        n_test = 0 if rows.test is None else rows.test.n_rows
        text += f"; the {count_words(n_test, 'test row')} take no part." if n_test else "."
    return plain(text)
