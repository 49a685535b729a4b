"""A press of a button that queues a run, until the run is queued and current.

Whatever else the user does ends the script at its next word to the browser or touch of the
session's state, and with it goes what ``st.button`` returned. So a press is noted first and stays
noted until it is done as a whole. Only its own page knows the settings; where that page is left
before it could act, another says so, rather than that the run begins at the next visit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.common.notices import say
from pages.common.places import this_page
from pages.common.state import Work, update

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
        Its words, which tell it from others.
    """
    return {"on_click": _note, "args": (button, this_page())}


def _note(button: str, page: str) -> None:
    st.session_state[_NOTED] = _Press(button, page)


def is_pressed(button: str) -> bool:
    """Whether a button was pressed and what it asks for is not yet done."""
    noted = st.session_state.get(_NOTED)
    return noted is not None and noted.button == button


def forget_press() -> None:
    """What is asked for is done, or cannot be done by the page that was asked."""
    st.session_state.pop(_NOTED, None)


def do_pressed(queue: Callable[[], Mapping[str, Any]]) -> Work:
    """Do what was pressed, once, however often the script is ended meanwhile.

    Parameters
    ----------
    queue : callable
        Queues a run, without touching the session's state afterwards; what of the session's work
        changes by that.
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
    """On every page: make current what another has queued, or say that it was left too soon."""
    noted = st.session_state.get(_NOTED)
    if noted is None:
        return
    if noted.queued is not None:
        update(**noted.queued)
        forget_press()
    elif noted.page != this_page():
        forget_press()
        say(f"The page was left before it began: press **{noted.button}** there once more.")
