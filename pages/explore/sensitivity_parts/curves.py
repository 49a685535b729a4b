"""Training against testing sensitivity over many splits (paper, section 5.8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import streamlit as st

from odt_core.data import SplitSpec
from odt_core.errors import InputError
from odt_core.jobs import Batch, JobKind, JobSpec
from odt_core.render import (
    SweepPoint,
    SweepSeries,
    sweep_alt_text,
    sweep_figure,
    sweep_roc_figure,
)
from odt_core.studies import (
    CurveRepeat,
    CurveRow,
    CurveRun,
    CurveSpec,
    Spread,
    Sweep,
    check_curve,
    curve_csv,
    curve_table,
)
from odt_core.topology import PRESETS, Topology
from odt_core.training import (
    TrainSpec,
    parse_percent,
)
from odt_core.words import count_words, number_words, percent_words, seconds_words
from pages.common.names import file_stem
from pages.common.needs import ReadyData
from pages.common.people import owner
from pages.common.prepared import prepared_rows
from pages.common.presses import do_pressed, is_pressed, press_on
from pages.common.server import job_manager
from pages.common.shapes import NAMES
from pages.common.state import work
from pages.common.tables import plain_table, value_html
from pages.common.text import html_text, plain
from pages.common.theme import current_theme
from pages.explore.sensitivity_parts.choose import sweep_words
from pages.explore.sensitivity_parts.downloads import draw_figure_downloads, draw_file
from pages.explore.sensitivity_parts.frontiers import (
    asked_words,
    draw_cap,
    frontier_spec,
    remember_what_is_shown,
)

EVERY = 0.7
"""Seconds between two looks."""
RUN = "Run the curves"
SENSITIVITY, SPECIFICITY, PLANE = "Sensitivity", "Specificity", "ROC plane"


@dataclass(frozen=True)
class Given:
    """The settings as they were typed."""

    sweep: Sweep
    levels: str
    shapes: list[str]
    cap: int | None
    repeats: int
    train_size: str


@dataclass(frozen=True)
class Asked:
    """What the settings say."""

    spec: TrainSpec
    curve: CurveSpec


def draw_curves(data: ReadyData) -> None:
    """Settings, progress, and the curves as far as they are known."""
    settings = st.container(horizontal=True, vertical_alignment="bottom")
    with settings:
        given = _draw_settings(data)
    asked = _read_or_say(data, given)
    batch = work().curve
    busy = batch is not None and not batch.is_over
    settings.button(
        "Running …" if busy else RUN,
        key="sens_curve_go",
        type="secondary" if batch is not None and not busy else "primary",
        disabled=busy or asked is None,
        **press_on(RUN),
    )
    if is_pressed(RUN) and asked is not None and not busy:
        _start(data, asked)
        st.rerun()
    if batch is None:
        _draw_preview()
    elif not batch.is_over:
        _watch(batch)
    elif asked is not None or batch.results:
        _draw_result(batch)


def _draw_settings(data: ReadyData) -> Given:
    _remember_curve(data)
    remember_what_is_shown()
    sweep = Sweep(
        st.selectbox(
            "Floors on",
            [sweep.value for sweep in Sweep],
            format_func=lambda value: sweep_words(Sweep(value)),
            key="sens_sweep",
            persist_state="session",
            width=165,
        )
    )
    other = Sweep.TNR if sweep is Sweep.TPR else Sweep.TPR
    levels = st.text_input(
        "Floors, in %",
        key="sens_levels",
        persist_state="session",
        width=240,
        max_chars=400,
        help=f"On {sweep.word} in training. One tree for each: the highest {other.word} that "
        "keeps it.",
    )
    shapes = st.multiselect(
        "Shapes",
        list(PRESETS),
        format_func=lambda name: NAMES[name],
        key="sens_shapes",
        persist_state="session",
        width=225,
    )
    cap = draw_cap()
    repeats = st.number_input(
        "Splits",
        1,
        1000,
        step=10,
        key="sens_repeats",
        persist_state="session",
        width=105,
        help="Each draws training and test rows anew; the paper has 30.",
    )
    train_size = st.text_input(
        "Training rows",
        key="sens_train_size",
        persist_state="session",
        width=115,
        help="A number, a share such as 0.8, or `paper`: the fewer of 90 % and 600.",
    )
    return Given(sweep, levels, shapes, cap, int(repeats or 0), train_size)


def _remember_curve(data: ReadyData) -> None:
    """Begin with the settings of the curves that are shown, else with the paper's."""
    batch = work().curve
    curve, split = CurveSpec(), data.split
    if batch is not None and batch.jobs:
        split, part = batch.jobs[0].spec.train.split, batch.jobs[0].spec.part
        assert isinstance(part, CurveRepeat)
        curve = CurveSpec(part.levels, part.topologies, len(batch.jobs), part.sweep)
    shapes = [shape.name for shape in curve.topologies if shape.name in PRESETS]
    for key, value in (
        ("levels", ", ".join(number_words(float(100 * level)) for level in curve.levels)),
        ("sweep", curve.sweep.value),
        ("shapes", shapes),
        ("repeats", curve.repeats),
        ("train_size", _size_text(split)),
    ):
        st.session_state.setdefault(f"sens_{key}", value)


def _read_or_say(data: ReadyData, given: Given) -> Asked | None:
    """The settings, or an error on the page."""
    try:
        return _read(data, given)
    except InputError as error:
        st.error(plain(str(error)))
        return None


def _size_text(split: SplitSpec) -> str:
    """The Data page's training size as it is written there; ``paper`` if every row trains."""
    size = split.train_size
    if isinstance(size, Fraction):
        return number_words(float(size))
    return "paper" if size == "all" else str(size)


def _read(data: ReadyData, given: Given) -> Asked:
    floors: list[Fraction] = []
    for part in given.levels.replace(";", ",").split(","):
        if part.strip():
            floors.append(parse_percent(part, f"A floor on training {given.sweep.word}"))
    curve = CurveSpec(
        levels=tuple(dict.fromkeys(floors)),
        topologies=tuple(Topology.parse(name) for name in given.shapes),
        repeats=given.repeats,
        sweep=given.sweep,
    )
    limit = st.session_state.get("sens_seconds", 60)
    spec = frontier_spec(data, given.shapes, given.cap, limit)
    split = SplitSpec.parse(given.train_size, None, seed=data.split.seed)
    if data.split.test_size is not None and given.train_size != "all":
        split = replace(split, test_size=data.split.test_size)
    spec = replace(spec, split=split)
    check_curve(spec)
    prepared_rows(data.dataset.table, data.schema, split)  # says what is wrong with the size
    return Asked(spec, curve)


def _start(data: ReadyData, asked: Asked) -> None:
    dataset, curve, mine = data.dataset, asked.curve, owner()
    jobs = [
        JobSpec(
            dataset.sha256,
            dataset.name,
            dataset.read,
            asked.spec,
            JobKind.CURVE,
            curve.repeat(number),
        )
        for number in range(curve.repeats)
    ]
    do_pressed(lambda: {"curve": Batch.submit(job_manager(), jobs, owner=mine)})
    if st.session_state.get("sens_curve_shown") != PLANE:
        floored = SENSITIVITY if curve.sweep is Sweep.TPR else SPECIFICITY
        st.session_state["sens_curve_shown"] = floored


def _draw_preview() -> None:
    with st.container(border=True):
        st.subheader("No curves yet", anchor=False)
        st.markdown(
            "A floor on sensitivity or specificity holds on the rows that trained the tree; on new "
            "rows it may not. **Run the curves** draws many new splits, finds the best tree for "
            "every floor and shape on each, and shows what was kept on the rows held out."
        )


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw how far the splits are, and what is known so far."""
    if batch.is_over:
        st.rerun()
    done, total, left = batch.n_done, len(batch.jobs), batch.seconds_left
    text = f"{done} of {count_words(total, 'split')}"
    if left is not None:
        text += f", about {seconds_words(max(left, 1.0))} left"
    st.progress(done / total, text=text)
    st.button(
        "Stop, and keep what is done",
        key="sens_curve_cancel",
        on_click=batch.cancel,
        args=(job_manager(),),
        disabled=batch.was_cancelled,
    )
    rows = curve_table(_runs(batch))
    if rows:
        _draw_figure(rows, key="sens_curve_partial")


def _runs(batch: Batch) -> tuple[CurveRun, ...]:
    return tuple(
        CurveRun.from_json(record) for result in batch.results for record in result["runs"]
    )


@st.fragment
def _draw_result(batch: Batch) -> None:
    if batch.failure:
        st.error(plain(batch.failure))
    rows = curve_table(_runs(batch))
    if not rows:
        if not batch.failure:
            st.info("It was stopped before a split was done.")
        return
    n_done = len(batch.results)
    words = f"{count_words(n_done, 'split')} in {seconds_words(batch.seconds)}"
    if n_done < len(batch.jobs):
        words += f", of {len(batch.jobs)} asked for"
    unproved = sum(row.n - row.proved for row in rows)
    words += f", floors on training {rows[0].sweep.word}"
    spec = batch.jobs[0].spec
    conditions = asked_words(spec.train, shape=False)
    words += f", {conditions}." if conditions else "."
    if unproved:
        words += (
            f" {count_words(unproved, 'tree is', 'trees are')} not proved best at the floor: give "
            f"more than {seconds_words(spec.train.time_limit)}, the time limit of the frontier."
        )
    st.caption(plain(f"{spec.table_name}: {words}"))
    left, right = st.columns([1, 1], gap="medium")
    with left:
        shown = _draw_figure(rows, key="sens_curve_figure")
        stem = f"{file_stem(spec.table_name, 'curves')}"
        with st.popover("Download", width="content"):
            draw_file("Table (CSV)", lambda: curve_csv(rows), f"{stem}.csv", "text/csv")
            draw_figure_downloads(
                lambda: _figure(rows, shown, opaque=True),
                lambda: _alt(rows, shown),
                f"{stem}-{shown.lower().replace(' ', '-')}",
            )
    with right:
        _draw_table(rows)


def _draw_figure(rows: tuple[CurveRow, ...], key: str) -> str:
    st.session_state.setdefault("sens_curve_shown", SENSITIVITY)
    shown = str(
        st.segmented_control(
            "Figure",
            [SENSITIVITY, SPECIFICITY, PLANE],
            key="sens_curve_shown",
            persist_state="session",
            required=True,
            label_visibility="collapsed",
        )
    )
    st.plotly_chart(
        _figure(rows, shown),
        key=f"{key}_{shown}",
        theme=None,
        config={"displayModeBar": False},
        alt=_alt(rows, shown),
    )
    if shown == PLANE:
        st.caption("Means over splits. Filled: training; hollow: test.")
    else:
        st.caption("Lines: means over splits. Bands: 10th to 90th percentile of the test value.")
    return shown


def _figure(rows: tuple[CurveRow, ...], shown: str, *, opaque: bool = False):  # type: ignore[no-untyped-def]
    theme = current_theme()
    tprs, tnrs = _series(rows, "tpr"), _series(rows, "tnr")
    if shown == PLANE:
        return sweep_roc_figure(tprs, tnrs, theme=theme, opaque=opaque)
    if shown == SPECIFICITY:
        return sweep_figure(tnrs, "specificity", theme=theme, opaque=opaque)
    return sweep_figure(tprs, "sensitivity", theme=theme, opaque=opaque)


def _alt(rows: tuple[CurveRow, ...], shown: str) -> str:
    said = {
        SENSITIVITY: sweep_alt_text(_series(rows, "tpr"), "sensitivity"),
        SPECIFICITY: sweep_alt_text(_series(rows, "tnr"), "specificity"),
    }
    return said.get(shown) or f"ROC plane of the means over splits. {' '.join(said.values())}"


def _series(rows: tuple[CurveRow, ...], rate: str) -> list[SweepSeries]:
    shapes = dict.fromkeys(row.topology for row in rows)
    return [
        SweepSeries(
            NAMES.get(shape, shape),
            tuple(_sweep_point(row, rate) for row in rows if row.topology == shape),
        )
        for shape in shapes
    ]


def _sweep_point(row: CurveRow, rate: str) -> SweepPoint:
    train: Spread = getattr(row, f"train_{rate}")
    test: Spread = getattr(row, f"test_{rate}")
    return SweepPoint(float(row.level), train.mean, test.mean, test.low, test.high)


def _draw_table(rows: tuple[CurveRow, ...]) -> None:
    """The paper's table: mean and, in brackets, variance in squared percent."""
    for shape in dict.fromkeys(row.topology for row in rows):
        name = NAMES.get(shape, shape)
        st.html(
            plain_table(
                f"{name}: means over splits",
                [
                    f'<b style="white-space:nowrap">{html_text(name)}</b><br>floor',
                    "Training TPR",
                    "Training TNR",
                    "Test TPR",
                    "Test TNR",
                    "Test below floor",
                ],
                [_cells(row) for row in rows if row.topology == shape],
            )
        )
    st.caption("Means over splits; in brackets variances, in squared percentage points.")


def _cells(row: CurveRow) -> list[str]:
    spreads = (row.train_tpr, row.train_tnr, row.test_tpr, row.test_tnr)
    return [
        f"{number_words(float(100 * row.level))}%",
        *(_spread(spread) for spread in spreads),
        value_html(f"{row.below}", f"of {row.n}"),
    ]


def _spread(spread: Spread) -> str:
    variance = "" if spread.variance is None else f"({10_000 * spread.variance:.2f})"
    return value_html(percent_words(spread.mean), variance)
