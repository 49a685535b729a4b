"""Short messages about what has just been done, which outlast the page being drawn anew."""

from __future__ import annotations

import streamlit as st

_SAID = "notices_said"


def say(words: str) -> None:
    """Show a message when the page is drawn next.

    Parameters
    ----------
    words : str
        Markdown.
    """
    st.session_state[_SAID] = (*st.session_state.get(_SAID, ()), words)


def draw_said() -> None:
    """Show what was said since the page was drawn last."""
    for words in st.session_state.pop(_SAID, ()):
        st.toast(words)
