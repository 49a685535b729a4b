"""Widgets that show what the session's work says, rather than keeping a value of their own."""

from __future__ import annotations

from typing import Any

import streamlit as st

_ABSENT = object()


def show_value(key: str, value: Any, *, unless: bool = False) -> str:
    """Make the widget with this key show `value`; call it just before the widget.

    The widget's callback writes what the user chose back into the work, so that the two never
    differ for longer than a run, however pages are left and entered.

    Parameters
    ----------
    key : str
        The widget's key.
    value : object
        What the work says.
    unless : bool
        Leave what the user typed, because it could not be used and is still to be mended.

    Returns
    -------
    str
        The key.
    """
    if unless and key in st.session_state:
        return key
    if st.session_state.get(key, _ABSENT) != value:
        st.session_state[key] = value
    return key


def standing_error(key: str, about: str) -> str | None:
    """The sentence kept under `key`, as long as the widget `about` still holds what it is about.

    A widget loses what was typed when its page is left, and the error is forgotten with it.
    """
    if about not in st.session_state:
        st.session_state.pop(key, None)
    found = st.session_state.get(key)
    return found if isinstance(found, str) else None
