"""Training against testing sensitivity over many splits (paper, section 5.8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import streamlit as st

from odt_core.data import SplitSpec
from odt_core.data.sizes import size_text
from odt_core.errors import InputError
from odt_core.exact import parse_floor
from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.studies import CurveRepeat, CurveSpec, Sweep, check_curve
from odt_core.topology import PRESETS, Topology
from odt_core.training import TrainSpec
from odt_core.words import count_words, number_words
from pages.common.controls import draw_cap
from pages.common.current_run import draw_unstored
from pages.common.markup import plain
from pages.common.session import work
from pages.common.settings import SHAPE_NAMES, frontier_spec
from pages.common.studies import (
    EVERY,
    draw_stop_button,
    draw_study_button,
    draw_study_progress,
    is_busy,
)
from pages.common.tables import ReadyData, prepared_rows
from pages.common.widgets import start_value
from pages.sensitivity.chosen_point import sweep_words
from pages.sensitivity.curve_figure import (
    PLANE,
    SENSITIVITY,
    SHOWN,
    SPECIFICITY,
    draw_curve_figure,
)
from pages.sensitivity.curve_result import (
    draw_curve_result,
    rows_of_curves,
    tree_and_figure,
)
from pages.sensitivity.frontier_search import CAP_WIDTH, MAX_CARD, SECONDS, remember_frontier

RUN = "Run the curves"
SWEEP, LEVELS, SHAPES = "sens_sweep", "sens_levels", "sens_shapes"
REPEATS, TRAIN_SIZE = "sens_repeats", "sens_train_size"


@dataclass(frozen=True)
class TypedSettings:
    """The settings as typed."""

    sweep: Sweep
    levels: str
    shapes: list[str]
    cap: int | None
    repeats: int
    train_size: str


def draw_curves(data: ReadyData) -> None:
    """Draw the settings, the progress, and the curves so far."""
    settings = st.container(horizontal=True, vertical_alignment="bottom")
    with settings:
        given = _draw_settings(data)
    notes = st.container()
    with notes:
        asked = _read_or_say(data, given)
    batch = work().curve
    busy = is_busy(batch)
    with settings:
        draw_study_button(
            RUN,
            "Running …",
            None if asked is None else partial(_jobs, data, *asked),
            key="sens_curve_go",
            busy=busy,
            is_first=batch is None,
            width="content",
        )
    if batch is None:
        _draw_preview()
    elif busy:
        _watch(batch)
    elif asked is not None or batch.results:
        with notes:
            draw_unstored(*batch.jobs)
        draw_curve_result(data, batch)


def _draw_settings(data: ReadyData) -> TypedSettings:
    _remember_curve(data)
    remember_frontier()
    sweep = Sweep(
        st.selectbox(
            "Floors on",
            [sweep.value for sweep in Sweep],
            format_func=lambda value: sweep_words(Sweep(value)),
            key=SWEEP,
            persist_state="session",
            width=165,
        )
    )
    levels = st.text_input(
        "Floors, in %",
        key=LEVELS,
        persist_state="session",
        width=240,
        max_chars=400,
        help=f"Give floors on training {sweep.word}. For each floor, the search finds the tree "
        f"with the highest {sweep.other.word} that keeps it.",
    )
    shapes = st.multiselect(
        "Shapes",
        list(PRESETS),
        format_func=lambda name: SHAPE_NAMES[name],
        key=SHAPES,
        persist_state="session",
        width=225,
    )
    cap = draw_cap(MAX_CARD, CAP_WIDTH)
    repeats = st.number_input(
        "Splits",
        1,
        1000,
        step=10,
        key=REPEATS,
        persist_state="session",
        width=105,
        help="Each split draws new training and test rows. The paper has 30.",
    )
    train_size = st.text_input(
        "Training rows",
        key=TRAIN_SIZE,
        persist_state="session",
        width=115,
        help="Give a number, a share such as 0.8, or `paper`, which is 90% of the rows but at most "
        "600.",
    )
    return TypedSettings(sweep, levels, shapes, cap, int(repeats or 0), train_size)


def _remember_curve(data: ReadyData) -> None:
    """Begin with the settings of the curves on the page, or else with the paper's."""
    batch = work().curve
    curve, split = CurveSpec(), data.split
    if batch is not None and batch.jobs:
        split, part = batch.jobs[0].spec.train.split, batch.jobs[0].spec.part
        assert isinstance(part, CurveRepeat)
        curve = CurveSpec(part.levels, part.topologies, len(batch.jobs), part.sweep)
    shapes = [shape.name for shape in curve.topologies if shape.name in PRESETS]
    for key, value in (
        (LEVELS, ", ".join(number_words(100 * level) for level in curve.levels)),
        (SWEEP, curve.sweep.value),
        (SHAPES, shapes),
        (REPEATS, curve.repeats),
        (TRAIN_SIZE, "paper" if split.train_size == "all" else size_text(split.train_size)),
    ):
        start_value(key, value)


def _read_or_say(data: ReadyData, given: TypedSettings) -> tuple[TrainSpec, CurveSpec] | None:
    """Read the settings, or show an error."""
    try:
        return _read(data, given)
    except InputError as error:
        st.error(plain(str(error)))
        return None


def _read(data: ReadyData, given: TypedSettings) -> tuple[TrainSpec, CurveSpec]:
    floors: list[Fraction] = []
    for part in given.levels.replace(";", ",").split(","):
        if part.strip():
            floors.append(parse_floor(part, f"A floor on training {given.sweep.word}"))
    curve = CurveSpec(
        levels=tuple(dict.fromkeys(floors)),
        topologies=tuple(Topology.parse(name) for name in given.shapes),
        repeats=given.repeats,
        sweep=given.sweep,
    )
    limit = st.session_state.get(SECONDS, 60)
    spec = frontier_spec(data, given.shapes, given.cap, limit)
    split = SplitSpec.parse(given.train_size, None, seed=data.split.seed)
    if data.split.test_size is not None and given.train_size != "all":
        split = replace(split, test_size=data.split.test_size)
    spec = replace(spec, split=split)
    check_curve(spec)
    prepared_rows(data.dataset.table, data.schema, split)  # raises if the size is wrong
    return spec, curve


def _jobs(data: ReadyData, spec: TrainSpec, curve: CurveSpec) -> list[JobSpec]:
    """Make a job for each split. The figure shows the rate with the floors at first."""
    if st.session_state.get(SHOWN) != PLANE:
        st.session_state[SHOWN] = SENSITIVITY if curve.sweep is Sweep.TPR else SPECIFICITY
    return [data.dataset.job(spec, JobKind.CURVE, part) for part in curve.parts()]


def _draw_preview() -> None:
    with st.container(border=True):
        st.header("No curves yet", anchor=False)
        st.markdown(
            "A floor on sensitivity or specificity holds on the training rows, but may not hold on "
            "new rows. **Run the curves** draws many new splits and finds the best tree for every "
            "floor and shape on each. It shows how often the floors hold on the test rows."
        )


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw the progress and the curves so far."""
    with st.container():
        draw_study_progress(batch, f"{batch.n_done} of {count_words(len(batch.jobs), 'split')}")
    tree_place, figure_place = tree_and_figure()
    with tree_place:
        draw_stop_button(batch, key="sens_curve_cancel")
        st.caption("When all splits are done, the tree of a point appears here.")
    rows = rows_of_curves(batch)
    if rows:
        with figure_place:
            draw_curve_figure(rows)
