"""The view Near-optimal trees: settings on the left; progress and the trees on the right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import streamlit as st

from odt_core.alternatives import (
    DEFAULT_NUMBER,
    MOST_NUMBER,
    AlternativesPart,
    AlternativesView,
    parse_cost,
)
from odt_core.errors import InputError
from odt_core.exact import exact_decimal
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.solution import Engine
from odt_core.words import goal_words
from pages.alternatives import keys
from pages.alternatives.column_worth import draw_column_worth
from pages.alternatives.gallery import draw_gallery
from pages.alternatives.near_result import ShownTrees, draw_list
from pages.alternatives.near_table import draw_near_table
from pages.alternatives.pair import draw_beside_best, make_current_pressed
from pages.common.current_run import draw_job_progress, draw_unstored
from pages.common.drawings import draw_tree
from pages.common.markup import plain, shorten
from pages.common.session import work
from pages.common.settings import asked_words
from pages.common.studies import (
    EVERY,
    MOST_SECONDS_EACH,
    draw_stop_button,
    draw_study_button,
    draw_study_failure,
    is_busy,
)
from pages.common.tables import ReadyData, rows_of
from pages.common.widgets import start_value

LIST = "List near-optimal trees"


def draw_near(data: ReadyData, job: Job | None) -> None:
    """Draw the settings on the left, and the preview, progress or trees on the right.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job or None
        The current training run, which has a tree; None if only a list is open.
    """
    batch = work().alternatives
    begins_from = job or (None if batch is None else batch.jobs[0])
    assert begins_from is not None
    busy = is_busy(batch)
    if batch is not None and not busy:
        make_current_pressed(batch)
    left, right = st.columns([2, 5], gap="large")
    with left:
        button = st.container()
        asked = _draw_settings(begins_from)
    with button:
        draw_study_button(
            LIST,
            "Searching …",
            None if asked is None else lambda: [asked],
            key=keys.LIST,
            busy=busy,
            is_first=batch is None,
        )
    shown = None
    with right:
        if batch is None:
            _draw_preview(begins_from)
        elif busy:
            _watch(batch)
        else:
            shown = _draw_over(data, job, batch, asked)
    if shown is None or batch is None:
        return
    if shown.trees:  # these need the page's whole width
        draw_beside_best(job, shown)
        draw_near_table(shown)
    draw_column_worth(batch, shown)


def _draw_over(
    data: ReadyData, job: Job | None, batch: Batch, asked: JobSpec | None
) -> ShownTrees | None:
    """Draw a finished list with the gallery of its trees."""
    draw_unstored(*batch.jobs)
    has_result = batch.jobs[0].result is not None
    draw_study_failure(
        batch, nothing="" if has_result else "It was stopped before a tree was found."
    )
    if not has_result:
        return None
    part = None if asked is None else asked.part
    costs = part.costs if isinstance(part, AlternativesPart) else ()
    shown = draw_list(data, job, batch, dict(costs))
    if shown is not None and shown.trees:
        draw_gallery(shown)
    return shown


def _draw_settings(job: Job) -> JobSpec | None:
    """Draw and read the settings; None after an error, which the page shows."""
    _remember_settings()
    spec = job.spec.train
    unit = "errors" if spec.objective.goal.counts_rows else "percentage points"
    try:
        number = st.number_input(
            "Most trees",
            1,
            MOST_NUMBER,
            key=keys.NUMBER,
            persist_state="session",
            help="The list ends at this number. Each tree is the best for its choice of columns.",
        )
        within = st.text_input(
            f"Largest difference to the best, in {unit}",
            key=keys.WITHIN,
            persist_state="session",
            placeholder="any",
            max_chars=12,
            help="Empty allows any difference. The list then ends at the number of trees or the "
            "time limit.",
        )
        limit = st.number_input(
            "Time limit in seconds",
            1,
            MOST_SECONDS_EACH,
            key=keys.SECONDS,
            persist_state="session",
        )
        costs, most = _draw_costs(job)
        part = AlternativesPart(
            int(number or 1),
            _number(within, "The largest difference"),
            costs,
            most_total_cost=_number(most, "The largest cost"),
        )
    except InputError as error:
        st.error(plain(str(error)))
        return None
    words = goal_words(spec.objective, rows_of(job).train.negative_label)
    st.caption(plain(f"The conditions are those of the tree: {asked_words(spec)}; {words}."))
    train = replace(spec, time_limit=float(limit or 1), engine=Engine.SEARCH)
    return replace(job.spec, kind=JobKind.ALTERNATIVES, train=train, part=part)


def _number(text: str, what: str) -> Fraction | None:
    if not text.strip():
        return None
    number = exact_decimal(text.strip().replace(",", "."))
    if number is None or number < 0:
        raise InputError(f"{what}: {text!r} is not a number of at least 0.")
    return number


def _draw_costs(job: Job) -> tuple[tuple[tuple[str, Fraction], ...], str]:
    """Draw the costs of columns. Return the costs that are set, and the typed limit of a tree."""
    names = [feature.name for feature in rows_of(job).train.features]
    with st.expander("What asking about a column costs", key=keys.COSTS):
        st.caption(
            "Each column costs 1 unless you give another cost. If two questions are about "
            "a column, it counts once."
        )
        if not set(st.session_state.get(keys.COSTLY, ())) <= set(names):
            st.session_state[keys.COSTLY] = []
        chosen = st.multiselect(
            "Columns with another cost",
            names,
            key=keys.COSTLY,
            persist_state="session",
            format_func=lambda name: shorten(name, 40),
        )
        found = []
        for name in chosen:
            text = st.text_input(
                plain(shorten(name, 40)),
                key=start_value(keys.COST + name, "1"),
                persist_state="session",
                max_chars=12,
            )
            found.append((name, parse_cost(text.replace(",", "."), name)))
        most = st.text_input(
            "Largest cost of all columns of a tree",
            key=keys.MOST_TOTAL_COST,
            persist_state="session",
            placeholder="any",
            max_chars=12,
            help="Empty allows any cost. Otherwise the list has only trees whose columns together "
            "cost at most this.",
        )
    return tuple(found), most


def _remember_settings() -> None:
    """Begin with the settings of the list on the page, or else with the defaults."""
    batch = work().alternatives
    values: dict[str, object] = {keys.NUMBER: DEFAULT_NUMBER, keys.WITHIN: "", keys.SECONDS: 30}
    if batch is not None and batch.jobs:
        spec = batch.jobs[0].spec
        part = spec.part
        assert isinstance(part, AlternativesPart)
        within = "" if part.within is None else f"{float(part.within):g}"
        values = {
            keys.NUMBER: part.number,
            keys.WITHIN: within,
            keys.SECONDS: round(spec.train.time_limit),
        }
        if part.most_total_cost is not None:
            values |= {keys.MOST_TOTAL_COST: f"{float(part.most_total_cost):g}"}
        values |= {keys.COSTLY: [name for name, _ in part.costs]}
        values |= {keys.COST + name: f"{float(cost):g}" for name, cost in part.costs}
    for key, value in values.items():
        start_value(key, value)


def _draw_preview(job: Job) -> None:
    with st.container(border=True):
        st.header("Which other trees are as good?", anchor=False)
        st.markdown(
            "**List near-optimal trees** finds the best tree for each choice of columns. The list "
            "begins with the best, and says up to which point no tree is missing. Among trees that "
            "are almost as good, you may prefer a tree with a cheaper test, or a tree without a "
            "column that is often missing."
        )
    assert job.trained is not None
    st.markdown("**The current tree**")
    draw_tree(job.trained.tree, rows_of(job).test, key=keys.CURRENT_TREE)


@st.fragment(run_every=EVERY)
def _watch(batch: Batch) -> None:
    """Draw the progress of the list."""
    if batch.is_over:
        st.rerun()
    job = batch.jobs[0]
    draw_job_progress(job, "the near-optimal trees")
    if job.best is not None:
        st.caption(plain(AlternativesView(job.best).progress_words()))
    draw_stop_button(batch, key=keys.STOP_LIST)
