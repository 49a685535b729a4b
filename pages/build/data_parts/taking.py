"""A table that the user has handed over, until it is read.

When the user goes to another page, Streamlit ends the script at its next word to the browser or
touch of the session's state. So what was handed over is noted first, stays noted until it is taken
as a whole, and is read by whichever page is drawn next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from odt_core.errors import InputError
from pages.common.text import sentence

NOW = "data_now_"
"""How keys begin that concern one table only."""
_HANDED = "data_handed"
_ERROR = f"{NOW}error"
_TABLES = "data_tables_taken"


@dataclass(frozen=True)
class _Handed:
    doing: str
    load: Callable[[], None]


def tables_taken() -> int:
    """How many tables the session has taken: a widget with it in its key starts empty again."""
    return int(st.session_state.get(_TABLES, 0))


def hand_over(doing: str, load: Callable[[], None]) -> None:
    """Note a table that is to become current; for callbacks.

    Parameters
    ----------
    doing : str
        What is shown while it is read, as Markdown.
    load : callable
        Makes it current. Whatever `InputError` it raises is kept for `draw_error`.
    """
    st.session_state[_HANDED] = _Handed(doing, load)


def take_over() -> None:
    """Read what was handed over, if anything was."""
    handed = st.session_state.get(_HANDED)
    if handed is None:
        return
    with st.spinner(handed.doing):
        try:
            handed.load()
        except InputError as error:
            st.session_state[_ERROR] = str(error)
        except Exception:
            del st.session_state[_HANDED]  # not once more with each page that is drawn
            raise
        else:
            for key in [key for key in st.session_state if str(key).startswith(NOW)]:
                del st.session_state[key]
            st.session_state[_TABLES] = tables_taken() + 1
        del st.session_state[_HANDED]


def forget_error() -> None:
    """The file that could not be used was taken away."""
    st.session_state.pop(_ERROR, None)


def draw_error() -> None:
    """Say in one sentence why what was handed over could not be used."""
    if _ERROR in st.session_state:
        st.error(sentence(st.session_state[_ERROR]))
