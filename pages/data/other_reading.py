"""Other reading options for a refused file, with a preview of its first lines."""

from __future__ import annotations

import dataclasses

import streamlit as st

from odt_core.data import ReadOptions, read_table
from odt_core.data.dialect import DELIMITER_NAMES, MAX_COMMENT_MARK, MAX_SKIPPED
from odt_core.errors import InputError
from pages.common.intents import NOW, UnevenFile, request_table, uneven_file
from pages.common.text import sentence, shorten

_SKIP, _COMMENT = f"{NOW}retry_skip", f"{NOW}retry_comment"
_DELIMITER = f"{NOW}retry_delimiter"
_OF = f"{NOW}retry_of"

LINES, LETTERS = 8, 100
"""The most lines, and the most characters of a line, that the page shows."""

ROWS, COLUMNS = 4, 12
"""The most rows and columns in the preview."""


def draw_other_reading() -> None:
    """Draw reading options and a preview, if lines of a file were refused as rows."""
    file = uneven_file()
    if file is None:
        return
    if st.session_state.get(_OF) is not file.reason or _SKIP not in st.session_state:
        proposed = _proposed(file)
        st.session_state[_OF] = file.reason
        st.session_state[_SKIP] = proposed.skip_lines
        st.session_state[_COMMENT] = proposed.comment or ""
        st.session_state[_DELIMITER] = proposed.delimiter
    with st.container(border=True, key="data_retry"):
        st.markdown("**Read the lines in another way**")
        _draw_lines(file.reason.beginning)
        read = _draw_options(file)
        if _draw_preview(file.reason.beginning, read):
            st.button(
                "Read it this way",
                key="data_retry_now",
                type="primary",
                on_click=request_table,
                args=("Reading the file …", file.title, lambda: file.load_as(read), file.load_as),
            )


def _proposed(file: UnevenFile) -> ReadOptions:
    return file.reason.instead or file.reason.options


def _draw_lines(beginning: str) -> None:
    lines = beginning.splitlines()[:LINES]
    shown = [f"{number:>2}  {shorten(line, LETTERS)}" for number, line in enumerate(lines, 1)]
    st.code("\n".join(shown), language=None, wrap_lines=True)


def _draw_options(file: UnevenFile) -> ReadOptions:
    first, second, third = st.columns(3)
    with third:
        delimiter = st.selectbox(
            "Delimiter",
            list(DELIMITER_NAMES),
            key=_DELIMITER,
            format_func=DELIMITER_NAMES.__getitem__,
            placeholder="automatic",
            help="The character between two cells.",
        )
    with first:
        n_skipped = st.number_input(
            "Skip lines",
            min_value=0,
            max_value=MAX_SKIPPED,
            step=1,
            key=_SKIP,
            help="Lines above the column names, such as a title.",
        )
    with second:
        mark = st.text_input(
            "Comment mark",
            key=_COMMENT,
            max_chars=MAX_COMMENT_MARK,
            placeholder="none",
            help="Lines that begin with it are left out, such as # or //.",
        )
    return dataclasses.replace(
        _proposed(file),
        delimiter=delimiter,
        skip_lines=min(max(int(n_skipped or 0), 0), MAX_SKIPPED),
        comment=(mark or "").strip()[:MAX_COMMENT_MARK] or None,
    )


def _draw_preview(beginning: str, read: ReadOptions) -> bool:
    """Draw the table of the first lines with these options. Return whether it is a table."""
    try:
        table = read_table(beginning.encode(), dataclasses.replace(read, encoding="utf-8"))
    except InputError as error:
        st.caption(f"Not yet: {sentence(str(error))}")
        return False
    if len(table.columns) == 1:
        st.caption("Not yet: the lines are one column.")
        return False
    st.caption("The first rows, read this way:")
    st.dataframe(table.head(ROWS, COLUMNS), hide_index=True, alt="The first rows, read this way")
    return True
