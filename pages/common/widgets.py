"""Widgets that show what the session's work says, rather than keeping a value of their own."""

from __future__ import annotations

from typing import Any

import streamlit as st

_ABSENT = object()


def show_value(key: str, value: Any) -> str:
    """Make the widget with this key show `value`; call it just before the widget.

    The widget's callback writes what the user chose back into the work, so that the two never
    differ for longer than a run, however pages are left and entered.

    Returns
    -------
    str
        The key.
    """
    if st.session_state.get(key, _ABSENT) != value:
        st.session_state[key] = value
    return key
