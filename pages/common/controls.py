"""Controls that several pages have: limits, goal and floor, a whole question, and downloads."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from odt_core.errors import InputError, quoted
from odt_core.exact import parse_floor, shortest_decimal
from odt_core.export import signed_record
from odt_core.figures import Chart, FigureFormat, chart_file
from odt_core.jobs import Job
from odt_core.problem import Feature, Goal
from odt_core.training import NodeRuleSpec
from odt_core.words import GOAL_NAMES, RATE_NAMES, capitalized, printable
from pages.common.markup import plain, shorten
from pages.common.settings import TrainKey
from pages.common.widgets import start_value


def draw_cap(key: str, width: int | Literal["stretch"] = "stretch", more: str = "") -> int | None:
    """Draw the field for the largest set of categories. `read_cap` reads its value.

    The help of the field ends with the sentences `more`.
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


def choose_goal(positive: str, negative: str) -> Goal:
    """Draw the choice of goal, with a sentence on its meaning for these classes."""
    goal = st.selectbox(
        "Goal",
        list(Goal),
        format_func=lambda goal: capitalized(GOAL_NAMES[goal]),
        key=start_value(TrainKey.GOAL, Goal.ACCURACY),
        persist_state="session",
        help="The rate that the search makes as high as possible on the training rows.",
    )
    goal = Goal(goal or Goal.ACCURACY)
    yes, no = plain(shorten(positive, 30)), plain(shorten(negative, 30))
    st.caption(
        {
            Goal.ACCURACY: "Gets the most rows right.",
            Goal.BALANCED: f"{yes} and {no} count the same, whatever their numbers of rows.",
            Goal.MAX_TPR: f"Finds the most {yes}, with a floor on specificity (TNR) that limits "
            "false alarms.",
            Goal.MAX_TNR: f"Raises the fewest false alarms on {no}, with a floor on sensitivity "
            f"(TPR) that limits missed {yes}.",
        }[goal]
    )
    return goal


def choose_floor(goal: Goal) -> Fraction | None:
    """Draw the goal's floor, and read it exactly.

    Raises
    ------
    InputError
        If the floor is not a percentage.
    """
    if goal.floor_rate is None:
        return None
    rate = RATE_NAMES[goal.floor_rate]
    key = TrainKey.floor(goal)
    text = st.text_input(
        f"Floor on {rate}, in %",
        key=start_value(key, "95.0"),
        persist_state="session",
        max_chars=12,
        help="The exact floor on the training rows. The rate on test rows is usually a little "
        "lower: a floor of 100% in training often gives 97 to 99% in test.",
    )
    return parse_floor(text, f"The floor on {rate}")


def draw_question(
    node: int, features: tuple[Feature, ...], key: str = TrainKey.RULE
) -> NodeRuleSpec | None:
    """Draw the choice of a whole question for a decision node, numbered from 1.

    The keys of the controls begin with `key`. The rule is None while a part of it is not chosen.
    """
    g = st.selectbox(
        "Column",
        range(len(features)),
        format_func=lambda g: shorten(printable(features[g].name)),
        key=f"{key}_column",
    )
    feature = features[g]
    if not feature.is_numerical:
        left = choose_names("Categories that answer yes", f"{key}_left", list(feature.values))
        if not left:
            return None
        return NodeRuleSpec(node, feature=feature.name, categories=tuple(left))
    if not feature.cuts:
        st.caption("This column has a single bin, so there is nothing to ask.")
        return None
    cut = st.selectbox(
        "Yes up to the cut point",
        feature.cuts,
        format_func=shortest_decimal,
        key=f"{key}_cut",
        help="The column's cut points. You can set other cut points on the Data page.",
    )
    missing_left = feature.has_missing and st.checkbox(
        "Missing values answer yes", key=f"{key}_missing"
    )
    return NodeRuleSpec(
        node, feature=feature.name, threshold=float(cut), missing_left=bool(missing_left)
    )


def choose_names(label: str, key: str, options: list[str], *, persist: bool = False) -> list[str]:
    """Draw a choice of several names. Names that are not in the data are dropped."""
    if key in st.session_state:
        st.session_state[key] = [name for name in st.session_state[key] if name in options]
    chosen = st.multiselect(
        label,
        options,
        format_func=lambda name: shorten(printable(name)),
        key=key,
        placeholder="none",
        persist_state="session" if persist else None,
    )
    unknown = [name for name in chosen if name not in options]
    if unknown:
        raise InputError(f"{quoted(unknown[0])} is not in the list: choose from the list.")
    return list(chosen)


def draw_formula_switch(key: str) -> bool:
    """Draw the switch for CSV files that other programs read.

    Return whether text that begins like a formula stays as it is.
    """
    return bool(
        st.checkbox(
            "Keep text that begins like a formula",
            key=key,
            help="Without the tick, such text gets an apostrophe, so that a spreadsheet shows the "
            "text and does not compute it. Tick this if another program reads the file.",
        )
    )


def draw_figure_downloads(chart: Callable[[], Chart], stem: str) -> None:
    """Draw buttons for one chart in every format."""
    for kind in FigureFormat:
        label = f"Figure ({kind.upper()})"
        draw_file(label, partial(_figure, chart, kind), f"{stem}.{kind.value}", kind.mime)


def _figure(chart: Callable[[], Chart], kind: FigureFormat) -> bytes:
    return chart_file(chart(), kind)


def draw_file(label: str, content: Callable[[], bytes], name: str, mime: str, **looks: Any) -> None:
    """Draw a button that makes a file and downloads it.

    The file is made outside the session. `looks` are options of ``st.download_button``.
    """
    st.download_button(
        label,
        _kept(content, name, mime),
        name,
        mime,
        key=f"download_{name}",
        on_click="ignore",
        **{"width": "stretch"} | looks,
    )


def _kept(content: Callable[[], bytes], name: str, mime: str) -> Callable[[], bytes]:
    """Return a maker whose file belongs to this session, like the file of an ordinary button.

    The public way is to give ``st.download_button`` the maker alone. This fails: Streamlit deletes
    such a file as soon as any two scripts have ended, and a slow browser may ask for it later. A
    file given as bytes stays as long as its button, but then every run of the script would make it.
    """
    context = get_script_run_ctx()

    def make() -> bytes:
        made, server = content(), runtime.get_instance()
        if context is not None and server.is_active_session(context.session_id):
            as_static = {"is_for_static_download": True}
            what = (made, mime, f"download {name}", name)
            keep = threading.Thread(target=server.media_file_mgr.add, args=what, kwargs=as_static)
            add_script_run_ctx(keep, context).start()
            keep.join()
        return made

    return make


def result_json(job: Job) -> bytes:
    """Write the result of a job as a JSON file."""
    assert job.result is not None
    return json.dumps(signed_record(job.result), ensure_ascii=False, indent=1).encode()
