"""The controls of the Train page: four main controls, the Train button, and further options."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from odt_core.data import Binning, Prepared, Schema
from odt_core.errors import InputError
from odt_core.exact import parse_floor, parse_weight
from odt_core.jobs import Job
from odt_core.problem import Goal, LeafCount, Problem, SmallestLeaf
from odt_core.solution import Engine
from odt_core.solvers.mip.size import advice_on_cuts
from odt_core.topology import Topology
from odt_core.training import FeatureSelection, RulesSpec, TrainSpec, build_problem
from odt_core.words import ENGINE_WORDS, RATE_NAMES
from pages.common.controls import choose_floor, choose_goal, draw_cap
from pages.common.current_run import start_job, unfinished_job
from pages.common.layout import draw_part
from pages.common.markup import plain, shorten
from pages.common.session import is_pressed, note_press, update
from pages.common.settings import (
    DEFAULT_SHAPE,
    MOST_SECONDS,
    TrainKey,
    make_objective,
    read_cap,
    read_time_limit,
)
from pages.common.tables import ReadyData
from pages.common.widgets import start_value
from pages.train.rules import choose_rules
from pages.train.shape import choose_shape
from pages.train.switches import choose_switches

T = TypeVar("T")
TRAIN = "Train"
_ENGINE_NAMES = {
    Engine.HYBRID: "Hybrid",
    Engine.SEARCH: "Exact search",
    Engine.CBC: "CBC",
    Engine.HIGHS: "HiGHS",
}
_LEAF_COUNT_NAMES = {
    LeafCount.ROWS: "training rows",
    LeafCount.RARER_CLASS: "rows of the rarer class",
}


@dataclass(frozen=True)
class AskedTraining:
    """The run that the controls describe. Problem and spec are None if a control has an error.

    Attributes
    ----------
    problem : Problem or None
        The run's problem.
    spec : TrainSpec or None
        The run's specification.
    place : DeltaGenerator
        The place of the Train button.
    """

    problem: Problem | None
    spec: TrainSpec | None
    place: DeltaGenerator


class _Form:
    """Draws controls one after the other, each with its error below."""

    def __init__(self) -> None:
        self.is_complete = True

    def ask(self, draw: Callable[[], T], instead: T) -> T:
        """Draw a control and return its value, or `instead` after an error."""
        try:
            return draw()
        except InputError as error:
            self.is_complete = False
            st.error(plain(str(error)))
            return instead


def draw_controls(data: ReadyData, rows: Prepared) -> AskedTraining:
    """Draw all controls."""
    form = _Form()
    negative = rows.train.negative_label
    topology = draw_part(form.ask, choose_shape, Topology.parse(DEFAULT_SHAPE))
    smallest_leaf = draw_part(form.ask, _choose_smallest_leaf, None)
    max_card = form.ask(_choose_cap, None)
    goal = form.ask(lambda: choose_goal(rows.train.positive_label, negative), Goal.ACCURACY)
    floor = form.ask(lambda: choose_floor(goal), None)
    time_limit = form.ask(_choose_time, 60.0)
    button = st.container(key="train_button")
    with st.expander("More settings", key="train_more"):
        weight = form.ask(lambda: choose_weight(goal, negative), Fraction(1))
        further = form.ask(lambda: choose_further_floors(goal), dict[str, Fraction]())
        engine, threads, seed = _choose_engine()
        confirm = _choose_confirmation(engine)
        _offer_deciles(engine, data, rows)
        selection, least = _choose_selection()
        no_empty = _choose_no_empty()
    with st.expander("Expert rules", key="train_rules_expander"):
        rules = form.ask(lambda: choose_rules(rows.train.features, topology), RulesSpec())
    with st.expander("Advanced: the integer program (paper, section 4.3)", key="train_advanced"):
        mip = choose_switches()

    def make() -> tuple[TrainSpec, Problem]:
        spec = TrainSpec(
            schema=data.schema,
            split=data.split,
            topology=topology,
            objective=make_objective(goal, floor, weight, further),
            max_card=max_card,
            rules=rules,
            forbid_empty_branches=no_empty,
            smallest_leaf=smallest_leaf,
            feature_selection=selection,
            least_features=least,
            engine=engine,
            time_limit=time_limit,
            threads=threads,
            seed=seed,
            mip=replace(mip, confirm_always=confirm),
        )
        # The worker selects the features. The page only checks the controls.
        return spec, build_problem(rows, replace(spec, feature_selection=FeatureSelection.NONE))

    spec = problem = None
    with button:
        if form.is_complete:
            made = form.ask(make, None)
            spec, problem = made if made is not None else (None, None)
    return AskedTraining(problem, spec, button)


def draw_train_button(asked: AskedTraining, data: ReadyData) -> Job | None:
    """Draw the Train button. If it was pressed, start a run.

    Return the run for which the button is disabled. The page must watch it.
    """
    if is_pressed(TRAIN) and asked.spec is not None and unfinished_job() is None:
        start_job(data.dataset.job(asked.spec))
    running = unfinished_job()
    with asked.place:
        st.button(
            "Training …" if running else TRAIN,
            key="train_go",
            type="primary",
            width="stretch",
            disabled=running is not None or asked.spec is None,
            **note_press(TRAIN),
        )
    return running


def _choose_smallest_leaf() -> SmallestLeaf | None:
    rows = st.number_input(
        "Smallest leaf",
        min_value=1,
        step=1,
        value=None,
        placeholder="any size",
        key=TrainKey.MIN_LEAF,
        persist_state="session",
        help="The fewest training rows in a leaf, of all rows or of the rarer class. Larger leaves "
        "have more reliable rates. Empty means no condition.",
    )
    if rows is None:
        return None
    of = st.selectbox(
        "The smallest leaf counts",
        list(LeafCount),
        format_func=_LEAF_COUNT_NAMES.__getitem__,
        key=start_value(TrainKey.MIN_LEAF_OF, LeafCount.ROWS),
        persist_state="session",
        label_visibility="collapsed",
    )
    return SmallestLeaf(int(rows), of or LeafCount.ROWS)


def _choose_cap() -> int | None:
    more = (
        "With 1, questions are about single categories, as in *is it red?*; with 2, also about "
        "pairs, as in *is it red or blue?*. With a small cap, trees are easier to read and overfit "
        "less. The cap does not affect numerical columns."
    )
    return read_cap(draw_cap(TrainKey.MAX_CARD, more=more))


def _choose_time() -> float:
    return read_time_limit(
        st.number_input(
            "Time limit in seconds",
            min_value=1,
            max_value=MOST_SECONDS,
            step=30,
            key=start_value(TrainKey.SECONDS, 60),
            persist_state="session",
            help="When the time is over, the page shows the best tree so far and how much better "
            "another tree could be.",
        )
    )


def _choose_engine() -> tuple[Engine, int, int]:
    engines = list(Engine)
    engine = st.radio(
        "Engine",
        engines,
        format_func=lambda engine: _ENGINE_NAMES[engine],
        captions=[ENGINE_WORDS[engine] for engine in engines],
        key=start_value(TrainKey.ENGINE, engines[0]),
        persist_state="session",
    )
    n_cores = os.cpu_count() or 1
    left, right = st.columns(2)
    threads = left.number_input(
        "Threads", 1, n_cores, step=1, key=start_value(TrainKey.THREADS, 1), persist_state="session"
    )
    seed = right.number_input(
        "Seed",
        0,
        2**31 - 1,
        step=1,
        key=start_value(TrainKey.SEED, 0),
        persist_state="session",
        help="The solver's seed. The split has its own seed on the Data page.",
    )
    return Engine(engine), int(threads or 1), int(seed or 0)


def _choose_confirmation(engine: Engine) -> bool:
    return st.checkbox(
        "Confirm even if it takes long",
        key=TrainKey.switch("confirm_always"),
        persist_state="session",
        disabled=engine is not Engine.HYBRID,
        help="With this tick, CBC has the rest of the time limit to confirm the search's proof on "
        "the paper's integer program. Without it, CBC runs only if that takes about two seconds. "
        "The proof is valid without CBC.",
    )


def _offer_deciles(engine: Engine, data: ReadyData, rows: Prepared) -> None:
    """Say why deciles suit CBC and HiGHS better than every cut point, and offer them."""
    if engine not in (Engine.CBC, Engine.HIGHS):
        return
    advice = advice_on_cuts(rows.train.features, _ENGINE_NAMES[engine])
    if advice:
        st.info(advice)
        names = [feature.name for feature in rows.train.features if feature.is_numerical]
        st.button(
            "Cut at deciles",
            key="train_deciles",
            on_click=_cut_at_deciles,
            args=(data.schema, names),
        )


def _cut_at_deciles(schema: Schema, columns: list[str]) -> None:
    for column in columns:
        schema = schema.with_binning(column, Binning.deciles())
    update(schema=schema)


def _choose_selection() -> tuple[FeatureSelection, int]:
    selected = st.checkbox(
        "Only columns that CART uses",
        key=TrainKey.SELECTION,
        persist_state="session",
        help="The tree may only use the columns that a default CART uses on the training rows. The "
        "paper selects features in this way in its section 5.1.",
    )
    if not selected:
        return FeatureSelection.NONE, 1
    least = st.number_input(
        "At least this many columns",
        1,
        10_000,
        key=start_value(TrainKey.LEAST_FEATURES, 1),
        persist_state="session",
        help="If CART uses fewer, another CART is grown on the other columns, until there are "
        "enough. The result lists the columns.",
    )
    return FeatureSelection.CART, int(least or 1)


def _choose_no_empty() -> bool:
    no_empty = st.checkbox(
        "No empty branches",
        key=TrainKey.NO_EMPTY,
        persist_state="session",
        help="Every question must send at least one category each way. The paper has the rows "
        "(pickmore) and (pickless) for this. Without the tick, a question may have no effect.",
    )
    return bool(no_empty)


def choose_weight(goal: Goal, negative: str) -> Fraction:
    """Draw the class weight C, which only applies to accuracy.

    Raises
    ------
    InputError
        If the weight is not a positive number.
    """
    text = st.text_input(
        "Class weight C",
        key=start_value(TrainKey.WEIGHT, "1"),
        persist_state="session",
        max_chars=12,
        disabled=not goal.counts_rows,
        help=f"The weight of a correct row of {plain(shorten(negative, 30))}. A correct row of the "
        "positive class has the weight 1. Give a number or a fraction such as 3/2. The weight only "
        "applies to the goal accuracy.",
    )
    return parse_weight(text, "Class weight C") if goal.counts_rows else Fraction(1)


def choose_further_floors(goal: Goal) -> dict[str, Fraction]:
    """Draw the further floors, and return them by rate.

    Raises
    ------
    InputError
        If a floor is not a percentage.
    """
    floors = {}
    for rate, name in RATE_NAMES.items():
        if rate == goal.floor_rate:
            continue
        text = st.text_input(
            f"Floor on {name}, in %",
            key=TrainKey.further_floor(rate),
            persist_state="session",
            max_chars=12,
            placeholder="no floor",
            help="This is a further condition on the training rows. You can use it with any goal.",
        )
        if text.strip():
            floors[rate] = parse_floor(text, f"The floor on {name}")
    return floors
