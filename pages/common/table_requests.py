"""The user's requests for a table, refused files, and other ways to read them.

The user's next action interrupts the running script. So a callback stores the request, and the next
page that is drawn reads the table.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from odt_core.data import ReadOptions, RefusedRowsError, read_table
from odt_core.data.dialect import DELIMITER_NAMES, MAX_COMMENT_MARK, MAX_SKIPPED
from odt_core.errors import InputError
from pages.common.markup import plain, sentence, shorten
from pages.common.session import this_page, work

NOW = "data_now_"
"""The prefix of keys that belong to one table."""
_REQUESTED = "data_requested"
_REFUSED = "data_refused"
_TABLES = "data_tables_taken"
TIME_TO_READ = 5.0
"""Seconds after which a message counts as read."""


@dataclass(frozen=True)
class _Request:
    doing: str
    refused: str
    load: Callable[[], None]
    before: str | None
    load_as: Callable[[ReadOptions], None] | None


@dataclass
class _Refused:
    title: str
    reason: InputError
    load_as: Callable[[ReadOptions], None] | None = None
    seen_on: str = ""
    seen_at: float = 0.0

    def is_read(self) -> bool:
        """Whether the user had time to read the message and has left its page."""
        was_left = self.seen_on not in ("", this_page())
        return was_left and time.monotonic() - self.seen_at >= TIME_TO_READ


def tables_loaded() -> int:
    """The number of tables loaded in this session. A widget with it in its key starts empty."""
    return int(st.session_state.get(_TABLES, 0))


def request_table(
    doing: str,
    refused: str,
    load: Callable[[], None],
    load_as: Callable[[ReadOptions], None] | None = None,
) -> None:
    """Request that a table becomes current; for callbacks.

    Parameters
    ----------
    doing : str
        The message while the file is read, as Markdown.
    refused : str
        The headline if the table cannot be used, as Markdown.
    load : callable
        Makes the table current. `draw_refused` shows its `InputError`.
    load_as : callable, optional
        Does the same with other reading options, if the file can be read in another way.
    """
    st.session_state[_REQUESTED] = _Request(doing, refused, load, _current_table(), load_as)


def draw_uploader(prefix: str, load: Callable[[str, bytes, ReadOptions], None], help: str) -> None:
    """Draw the uploader, which is empty again after each table. Its key begins with `prefix`.

    `load` gets a file's name, content and reading options, and makes it current.
    """
    key = f"{prefix}_{tables_loaded()}"
    st.file_uploader(
        "CSV, Excel, OpenDocument or Parquet file, also in .gz or .zip",
        key=key,
        help=help,
        on_change=_request_upload,
        args=(key, load),
    )


def _request_upload(key: str, load: Callable[[str, bytes, ReadOptions], None]) -> None:
    """Request the file of an uploader, or withdraw it if the user removed it."""
    file = st.session_state[key]
    if file is None:
        withdraw_table()
        return
    name, content = file.name, file.getvalue()
    request_table(
        f"Reading {plain(name)} …",
        f"{plain(shorten(name, 40))} cannot be used",
        lambda: load(name, content, ReadOptions()),
        lambda read: load(name, content, read),
    )


def load_requested_table() -> None:
    """Read the requested table, if any. Every page begins with this."""
    refused = st.session_state.get(_REFUSED)
    if refused is not None and refused.is_read():
        _forget_refused()
    requested = st.session_state.get(_REQUESTED)
    if requested is None:
        return
    with st.spinner(requested.doing):
        try:
            requested.load()
        except InputError as error:
            error.__cause__ = error.__context__ = None  # they would keep the table in memory
            reason = error.with_traceback(None)
            st.session_state[_REFUSED] = _Refused(requested.refused, reason, requested.load_as)
        except Exception:
            del st.session_state[_REQUESTED]  # otherwise each page would repeat the error
            raise
        else:
            _reset_table_state(is_other=_current_table() != requested.before)
        del st.session_state[_REQUESTED]


def _current_table() -> str | None:
    dataset = work().dataset
    return None if dataset is None else dataset.sha256


def _reset_table_state(*, is_other: bool) -> None:
    """Forget the state of the previous table, and empty the uploader."""
    if is_other:
        for key in [key for key in st.session_state if str(key).startswith(NOW)]:
            del st.session_state[key]
    _forget_refused()
    st.session_state[_TABLES] = tables_loaded() + 1


def withdraw_table() -> None:
    """Forget a file that the user removed; for callbacks."""
    st.session_state.pop(_REQUESTED, None)
    _forget_refused()


def _forget_refused() -> None:
    st.session_state.pop(_REFUSED, None)


def draw_refused() -> None:
    """Draw the reason why the requested table cannot be used.

    The message stays until the user leaves the page. If the user leaves at once, the next page also
    shows it.
    """
    refused = st.session_state.get(_REFUSED)
    if refused is None:
        return
    st.error(sentence(str(refused.reason)), title=refused.title)
    if refused.seen_on != this_page():
        refused.seen_on, refused.seen_at = this_page(), time.monotonic()


_SKIP, _COMMENT = f"{NOW}retry_skip", f"{NOW}retry_comment"
_DELIMITER = f"{NOW}retry_delimiter"
_OF = f"{NOW}retry_of"
LINES, LETTERS = 8, 100
"""The most lines, and the most characters of a line, that the page shows."""
ROWS, COLUMNS = 4, 12
"""The most rows and columns in the preview."""


def draw_other_reading() -> None:
    """Draw reading options and a preview, if lines of a file were refused as rows."""
    refused: _Refused | None = st.session_state.get(_REFUSED)
    if refused is None or not isinstance(reason := refused.reason, RefusedRowsError):
        return
    title, load_as = refused.title, refused.load_as
    if load_as is None:
        return
    proposed = reason.instead or reason.options
    if st.session_state.get(_OF) is not reason or _SKIP not in st.session_state:
        st.session_state[_OF] = reason
        st.session_state[_SKIP] = proposed.skip_lines
        st.session_state[_COMMENT] = proposed.comment or ""
        st.session_state[_DELIMITER] = proposed.delimiter
    with st.container(border=True, key="data_retry"):
        st.markdown("**Read the lines in another way**")
        _draw_lines(reason.beginning)
        read = _draw_options(proposed)
        if _draw_preview(reason.beginning, read):
            st.button(
                "Read it this way",
                key="data_retry_now",
                type="primary",
                on_click=request_table,
                args=("Reading the file …", title, lambda: load_as(read), load_as),
            )


def _draw_lines(beginning: str) -> None:
    lines = beginning.splitlines()[:LINES]
    shown = [f"{number:>2}  {shorten(line, LETTERS)}" for number, line in enumerate(lines, 1)]
    st.code("\n".join(shown), language=None, wrap_lines=True)


def _draw_options(proposed: ReadOptions) -> ReadOptions:
    draw_left_out(_SKIP, _COMMENT)
    delimiter = st.selectbox(
        "Delimiter",
        list(DELIMITER_NAMES),
        key=_DELIMITER,
        format_func=DELIMITER_NAMES.__getitem__,
        placeholder="automatic",
        help="The character between two cells.",
    )
    return without_lines(
        dataclasses.replace(proposed, delimiter=delimiter),
        st.session_state[_SKIP],
        st.session_state[_COMMENT],
    )


def draw_left_out(skip: str, comment: str, on_change: Callable[[], None] | None = None) -> None:
    """Draw the options for lines that are not rows of the table. `without_lines` reads them."""
    first, second = st.columns(2)
    first.number_input(
        "Skip the first lines",
        min_value=0,
        max_value=MAX_SKIPPED,
        step=1,
        key=skip,
        on_change=on_change,
        help="The number of lines above the column names, such as a title.",
    )
    second.text_input(
        "Comment mark",
        key=comment,
        max_chars=MAX_COMMENT_MARK,
        placeholder="none",
        on_change=on_change,
        help="Lines that begin with it are left out, such as # or //.",
    )


def without_lines(read: ReadOptions, skip: int | None, comment: str) -> ReadOptions:
    """Return reading options with the values of the widgets of `draw_left_out`."""
    return dataclasses.replace(
        read,
        skip_lines=min(max(int(skip or 0), 0), MAX_SKIPPED),
        comment=comment.strip()[:MAX_COMMENT_MARK] or None,
    )


def _draw_preview(beginning: str, read: ReadOptions) -> bool:
    """Draw the table of the first lines with these options. Return whether it is a table."""
    try:
        table = read_table(beginning.encode(), dataclasses.replace(read, encoding="utf-8"))
    except InputError as error:
        st.caption(f"With these options, the file cannot be read. {sentence(str(error))}")
        return False
    if len(table.columns) == 1:
        st.caption("With these options, each line is a single cell.")
        return False
    st.caption("The first rows, read this way:")
    st.dataframe(table.head(ROWS, COLUMNS), hide_index=True, alt="The first rows, read this way")
    return True
