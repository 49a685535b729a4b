"""A part of a page has a place of its own, whatever the parts above it draw.

Streamlit tells a container without a key from others by its number among them. Where one message
more stands above, all that is in the containers below is taken away and made anew in the browser,
and a click or a choice that falls into that moment is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

P = ParamSpec("P")
T = TypeVar("T")


def draw_part(draw: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Draw a part of a page, which may be empty or of any length, in one place.

    Parameters
    ----------
    draw : callable
        Draws it.
    *args, **kwargs
        What it is called with.
    """
    with st.container():
        return draw(*args, **kwargs)
