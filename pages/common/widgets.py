"""Where a widget's value comes from.

A widget's value is in the session state, under a key that is a constant. There are three kinds:

- A value that belongs to the session's work, such as a column's use: the page sets it with
  `show_value` just before it draws the widget, and the widget's callback changes the work.
- A setting of a page, such as the time limit: it begins with `start_value` or empty, and
  ``persist_state="session"`` keeps it when the user changes pages.
- A press, or a value that nobody keeps, such as the columns that one click changes together: the
  widget has only its key, and Streamlit forgets the value when the user changes pages.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

_ABSENT = object()


def show_value(key: str, value: Any, *, unless: bool = False) -> str:
    """Set the value of a widget, and return its key. Call it just before the widget is drawn.

    The widget's callback writes the user's choice into the work. So the two never differ for longer
    than one run of the script, even if the user changes pages. With `unless`, the widget keeps the
    user's text, because it has an error that the user must correct.
    """
    if unless and key in st.session_state:
        return key
    if st.session_state.get(key, _ABSENT) != value:
        st.session_state[key] = value
    return key


def start_value(key: str, value: Any) -> str:
    """Set the value with which a widget begins, and return its key.

    If the widget already has a value, it keeps it. Call this just before the widget is drawn with
    ``persist_state="session"``.
    """
    st.session_state.setdefault(key, value)
    return key


def standing_error(key: str, about: str) -> str | None:
    """Return the error stored under `key`, if the widget `about` still has the wrong value.

    A widget loses its text when the user leaves the page. The error is then forgotten, too.
    """
    if about not in st.session_state:
        st.session_state.pop(key, None)
    found = st.session_state.get(key)
    return found if isinstance(found, str) else None
