"""What the user asks for, a run or a table, until it is done.

Whatever the user does next ends the script at its next word to the browser or touch of the
session's state, and with it goes what ``st.button`` returned. So a callback notes what is asked
for, and it stays noted until it is done as a whole.

A table that is handed over is read by whichever page is drawn next. A run that a button asks for
begins on the button's own page, which alone knows the settings. If the user leaves that page before
it could begin the run, the next page says so, and the run does not begin at a later visit.
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
from pages.common.text import sentence

_NOTED = "presses_noted"


@dataclass
class _Press:
    button: str
    page: str
    queued: Mapping[str, Any] | None = None


def press_on(button: str) -> dict[str, Any]:
    """Arguments of an ``st.button`` whose presses are noted.

    Parameters
    ----------
    button : str
        Its label. No two buttons of a page have the same.
    """
    return {"on_click": _note, "args": (button, this_page())}


def _note(button: str, page: str) -> None:
    st.session_state[_NOTED] = _Press(button, page)


def is_pressed(button: str) -> bool:
    """Whether a button was pressed, and its run is not yet queued and current."""
    noted = st.session_state.get(_NOTED)
    return noted is not None and noted.button == button


def forget_press() -> None:
    """Forget the button's press: the run is queued, or its page cannot queue it."""
    st.session_state.pop(_NOTED, None)


def do_pressed(queue: Callable[[], Mapping[str, Any]]) -> Work:
    """Queue the run that a button asks for, once, however often the script is ended meanwhile.

    Parameters
    ----------
    queue : callable
        Queues the run and returns the changes for `update`. It does not touch the session's state
        once the run is queued.
    """
    noted = st.session_state[_NOTED]
    try:
        if noted.queued is None:
            noted.queued = queue()
    except Exception:
        forget_press()  # not once more with each page that is drawn
        raise
    now = update(**noted.queued)
    forget_press()
    return now


def finish_presses() -> None:
    """On every page: make current what another page queued, or say that it was left too soon."""
    noted = st.session_state.get(_NOTED)
    if noted is None:
        return
    if noted.queued is not None:
        update(**noted.queued)
        forget_press()
    elif noted.page != this_page():
        forget_press()
        say(f"The page was left before it began: press **{noted.button}** there once more.")


NOW = "data_now_"
"""How keys begin that concern one table only."""
_HANDED = "data_handed"
_REFUSED = "data_refused"
_TABLES = "data_tables_taken"
TIME_TO_READ = 5.0
"""Seconds that a sentence stands before it is taken for read."""


@dataclass(frozen=True)
class _Handed:
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
        """Whether the user has left the page that said it, and had the time to read it there."""
        was_left = self.seen_on not in ("", this_page())
        return was_left and time.monotonic() - self.seen_at >= TIME_TO_READ


def tables_taken() -> int:
    """How many tables the session has taken: a widget with it in its key starts empty again."""
    return int(st.session_state.get(_TABLES, 0))


def hand_over(
    doing: str,
    refused: str,
    load: Callable[[], None],
    load_as: Callable[[ReadOptions], None] | None = None,
) -> None:
    """Note a table that is to become current; for callbacks.

    Parameters
    ----------
    doing : str
        What is shown while it is read, as Markdown.
    refused : str
        The headline if it cannot be used, as Markdown.
    load : callable
        Makes it current. Whatever `InputError` it raises is kept for `draw_refused`.
    load_as : callable, optional
        The same with other reading options, where it can be read otherwise.
    """
    st.session_state[_HANDED] = _Handed(doing, refused, load, _current_table(), load_as)


def take_over() -> None:
    """Read what was handed over, if anything was; at the beginning of every page."""
    refused = st.session_state.get(_REFUSED)
    if refused is not None and refused.is_read():
        _forget_refused()
    handed = st.session_state.get(_HANDED)
    if handed is None:
        return
    with st.spinner(handed.doing):
        try:
            handed.load()
        except InputError as error:
            error.__cause__ = error.__context__ = None  # with these, what was read would be kept
            reason = error.with_traceback(None)
            st.session_state[_REFUSED] = _Refused(handed.refused, reason, handed.load_as)
        except Exception:
            del st.session_state[_HANDED]  # not once more with each page that is drawn
            raise
        else:
            _begin_anew(is_other=_current_table() != handed.before)
        del st.session_state[_HANDED]


def _current_table() -> str | None:
    dataset = work().dataset
    return None if dataset is None else dataset.sha256


def _begin_anew(*, is_other: bool) -> None:
    """Forget what concerned the table before, and empty the uploader."""
    if is_other:
        for key in [key for key in st.session_state if str(key).startswith(NOW)]:
            del st.session_state[key]
    _forget_refused()
    st.session_state[_TABLES] = tables_taken() + 1


def take_back() -> None:
    """Forget a file that the user has taken away, read or not; for callbacks."""
    st.session_state.pop(_HANDED, None)
    _forget_refused()


def _forget_refused() -> None:
    st.session_state.pop(_REFUSED, None)


def draw_refused() -> None:
    """Say in one sentence why what was handed over could not be used.

    It stays until the user leaves the page, and goes along where that is done at once.
    """
    refused = st.session_state.get(_REFUSED)
    if refused is None:
        return
    st.error(sentence(str(refused.reason)), title=refused.title)
    if refused.seen_on != this_page():
        refused.seen_on, refused.seen_at = this_page(), time.monotonic()


@dataclass(frozen=True)
class Uneven:
    """A refused file that may be a table with other reading options.

    Attributes
    ----------
    title : str
        The refusal's headline, as Markdown.
    reason : RefusedRowsError
        Why it was refused, with its first lines.
    load_as : callable
        Reads it with other options and makes it current.
    """

    title: str
    reason: RefusedRowsError
    load_as: Callable[[ReadOptions], None]


def uneven() -> Uneven | None:
    """The file that was refused for its uneven rows, if that stands."""
    refused = st.session_state.get(_REFUSED)
    if refused is None or refused.load_as is None:
        return None
    if not isinstance(refused.reason, RefusedRowsError):
        return None
    return Uneven(refused.title, refused.reason, refused.load_as)
