"""The pages' files, for links between pages, and the current page."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

_PAGE = "places_page"


class Place(StrEnum):
    """A page, with its file below the folder of `dashboard.py`."""

    DATA = "data/page.py"
    TRAIN = "train/page.py"
    SENSITIVITY = "sensitivity/page.py"
    COMPARE = "compare/page.py"
    ALTERNATIVES = "alternatives/page.py"
    PREDICT = "predict/page.py"
    RUNS = "runs/page.py"


def enter_page(title: str) -> None:
    """Set the title of the current page."""
    st.session_state[_PAGE] = title


def this_page() -> str:
    """The title of the current page."""
    return str(st.session_state.get(_PAGE, ""))
