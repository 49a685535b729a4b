"""A part of a page has a place of its own, whatever the parts above it draw.

Streamlit tells a container without a key from others by its number among them. Where one message
more stands above, all that is in the containers below is taken away and made anew in the browser,
and a click or a choice that falls into that moment is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

LEAST_WIDTH = 416
"""Pixels that a figure or a tree needs to be read beside another."""

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


def side_by_side(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two containers, side by side where both are wide enough, else one below the other.

    The first takes the whole width while the second is empty.

    Parameters
    ----------
    key : str
        Name of the two together.
    """
    both, each = f".st-key-{key}", f"minmax(min({LEAST_WIDTH}px, 100%), 1fr)"
    st.html(
        f"<style>{both} {{ display: grid; gap: 1rem 2rem; "
        f"grid-template-columns: repeat(auto-fit, {each}); }} "
        f"{both} > * {{ min-width: 0; }}</style>"
    )
    with st.container(key=key):
        return st.container(), st.container()
