"""The pages' files, so that one can link to another, and which of them is drawn now."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

_PAGE = "places_page"


class Place(StrEnum):
    """A page, by its file below the folder of `dashboard.py`."""

    DATA = "data/page.py"
    TRAIN = "train/page.py"
    SENSITIVITY = "sensitivity/page.py"
    COMPARE = "compare/page.py"
    ALTERNATIVES = "alternatives/page.py"
    PREDICT = "predict/page.py"
    RUNS = "runs/page.py"


def enter_page(title: str) -> None:
    """Note which page is drawn now, by its title."""
    st.session_state[_PAGE] = title


def this_page() -> str:
    """The title of the page that is drawn now."""
    return str(st.session_state.get(_PAGE, ""))
