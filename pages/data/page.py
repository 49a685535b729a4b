"""The Data page: load a table and choose its meaning."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from odt_core.data import Finding, Prepared, Severity, check_schema
from odt_core.errors import InputError
from odt_core.words import count_words
from pages.common.layout import draw_part
from pages.common.markup import plain, shorten
from pages.common.session import Place, work
from pages.common.tables import prepared_rows
from pages.data.checks import draw_checks, draw_questions
from pages.data.columns import draw_columns
from pages.data.current_table import current
from pages.data.detail import draw_cuts, draw_detail, draw_missing
from pages.data.outcome import draw_outcome
from pages.data.rows import draw_rows
from pages.data.source import draw_source, draw_welcome


def draw_page() -> None:
    """Draw a welcome, or the table on the left and its meaning on the right."""
    now = work()
    if now.dataset is None:
        st.title("Which data should the tree learn from?", anchor=False)
        draw_welcome()
        return
    st.title(plain(shorten(now.dataset.name, 60)), anchor=False)
    left, right = st.columns([4, 7], gap="large")
    with left:
        draw_source()
    with right:
        draw_part(draw_outcome)
        data = current()
        table = data.dataset.table
        found = check_schema(table, data.schema)
        questions = [finding for finding in found if finding.needs_answer]
        errors = [finding for finding in found if finding.severity is Severity.ERROR]
        draw_part(draw_questions, questions)
        draw_part(draw_columns)
        draw_part(draw_cuts)
        try:  # after the parts that do not need the rows, because it takes longest
            used: Prepared | str = prepared_rows(table, data.schema, data.split)
        except InputError as error:
            used = str(error)
        draw_part(draw_checks, used)
        draw_part(draw_missing)
        draw_part(draw_detail, used)
        draw_rows(used, has_errors=bool(errors))
    with st.bottom:
        _draw_next(used, errors, questions)


def _draw_next(
    used: Prepared | str, errors: Sequence[Finding], questions: Sequence[Finding]
) -> None:
    """Draw the link to the next step, or what is missing for it."""
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        border=True,
    ):
        if isinstance(used, str):
            more = f" ({count_words(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
            st.markdown(f"**Not ready:** {plain(shorten(used, 130))}{more}")
        elif questions:
            st.markdown(f"**A question first:** {plain(shorten(questions[0].message, 130))}")
        else:
            same = len(used.dropped)
            dropped = f" ({same} more have only one value)" if same else ""
            untrained = " Nothing is trained yet." if work().job is None else ""
            st.markdown(
                f"**Ready:** {count_words(used.train.n_rows, 'training row')}, "
                f"{count_words(used.train.n_features, 'feature')}{dropped}.{untrained}"
            )
        if st.button(
            "Choose the tree's shape →",
            key="data_next",
            type="primary",
            disabled=isinstance(used, str) or bool(questions),
        ):
            st.switch_page(Place.TRAIN)


draw_page()
