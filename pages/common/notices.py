"""Short messages about what has just been done, which outlast the page being drawn anew.

They stand in the page, below the banner, and not in a toast: that would lie on buttons, and a
screen reader would not know its name.
"""

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
    """Draw what was said since the page was drawn last; it goes with the next step."""
    for words in st.session_state.pop(_SAID, ()):
        st.info(words)
