"""The user's requests for a run or a table. A request is stored until it is done.

The user's next action interrupts the running script, and the return value of ``st.button`` is lost.
So a callback stores each request.

The next page that is drawn reads a requested table. A requested run begins on the button's own
page, which alone knows the settings. If the user leaves that page too early, the next page says so,
and the run does not begin at a later visit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from odt_core.data import ReadOptions, RefusedRowsError
from odt_core.errors import InputError
from pages.common.messages import say
from pages.common.places import this_page
from pages.common.state import Work, update, work
from pages.common.text import plain, sentence, shorten

_NOTED = "presses_noted"


@dataclass
class _Press:
    button: str
    page: str
    queued: Mapping[str, Any] | None = None


def note_press(button: str) -> dict[str, Any]:
    """Return arguments for ``st.button``, with which a callback stores the press.

    Parameters
    ----------
    button : str
        The label, which is unique on the page.
    """
    return {"on_click": _note, "args": (button, this_page())}


def _note(button: str, page: str) -> None:
    st.session_state[_NOTED] = _Press(button, page)


def is_pressed(button: str) -> bool:
    """Whether a button was pressed and its run is not yet queued and current."""
    noted = st.session_state.get(_NOTED)
    return noted is not None and noted.button == button


def forget_press() -> None:
    """Forget the press, because the run is queued or its page cannot queue it."""
    st.session_state.pop(_NOTED, None)


def queue_pressed(queue: Callable[[], Mapping[str, Any]]) -> Work:
    """Queue the run of a pressed button exactly once, even if the script is interrupted.

    Parameters
    ----------
    queue : callable
        Queues the run and returns the changes for `update`. It must not access the session's state
        after the run is queued.
    """
    noted = st.session_state[_NOTED]
    try:
        if noted.queued is None:
            noted.queued = queue()
    except Exception:
        forget_press()  # otherwise each page would repeat the error
        raise
    now = update(**noted.queued)
    forget_press()
    return now


def finish_presses() -> None:
    """Make another page's run current, or say that the user left that page too early.

    Every page calls this.
    """
    noted = st.session_state.get(_NOTED)
    if noted is None:
        return
    if noted.queued is not None:
        update(**noted.queued)
        forget_press()
    elif noted.page != this_page():
        forget_press()
        say(f"You left the page before the run began: press **{noted.button}** there again.")


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


def request_upload(key: str, load: Callable[[str, bytes, ReadOptions], None]) -> None:
    """Request the file of an uploader, or withdraw it if the user removed it; for callbacks.

    Parameters
    ----------
    key : str
        The uploader's key.
    load : callable
        Reads the file by name, content and reading options, and makes it current.
    """
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


@dataclass(frozen=True)
class UnevenFile:
    """A refused file that may be a table with other reading options.

    Attributes
    ----------
    title : str
        The refusal's headline, as Markdown.
    reason : RefusedRowsError
        The reason, with the file's first lines.
    load_as : callable
        Reads the file with other options and makes it current.
    """

    title: str
    reason: RefusedRowsError
    load_as: Callable[[ReadOptions], None]


def uneven_file() -> UnevenFile | None:
    """The file that was refused for its uneven rows; None without such a file."""
    refused = st.session_state.get(_REFUSED)
    if refused is None or refused.load_as is None:
        return None
    if not isinstance(refused.reason, RefusedRowsError):
        return None
    return UnevenFile(refused.title, refused.reason, refused.load_as)
