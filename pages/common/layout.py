"""Places and colours on the page: parts that stay where they are, columns, the reader's theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from odt_core.render import THEMES, Theme

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


# Streamlit does not run the page again when the reader switches between light and dark, so what is
# drawn in colours of its own would keep those of the other theme.
_FOLLOW = st.components.v2.component(
    "odt_follow_theme",
    html="<span></span>",
    js="""
export default function ({ data, parentElement, setTriggerValue }) {
  const probe = parentElement.querySelector("span")
  probe.style.color = getComputedStyle(probe).getPropertyValue("--st-background-color")
  const [red, green, blue] = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number)
  const now = 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light"
  if (now !== data.drawn && now !== probe.dataset.told) setTriggerValue("changed", now)
  probe.dataset.told = now
}
""",
)

_READABLE = """<style>
[data-testid] [data-variant=segmented_control][data-selected=true]:not([data-disabled]),
[data-testid=stSlider] [data-testid=stSliderThumbValue] { color: inherit; }
[data-testid=stCaptionContainer] { opacity: .74; }
[data-testid] :is(input, textarea)::placeholder { color: inherit; opacity: .74; }
:is([class*=max_card], [class*=min_leaf]) input::placeholder { opacity: 1; }
</style>"""


def current_theme() -> Theme:
    """The drawing theme of the browser's light or dark page."""
    return THEMES.get(str(st.context.theme.type), THEMES["light"])


def follow_theme() -> None:
    """Draw the page anew when the reader switches between light and dark."""
    _FOLLOW(
        key="train_theme",
        data={"drawn": current_theme().name},
        height=0,
        on_changed_change=lambda: None,
    )


def keep_words_readable() -> None:
    """Set words on the page in its text colour where Streamlit takes that of buttons.

    White words on a button and words on a dark page cannot both stand out in one colour. Captions
    and hints in fields are less faint than Streamlit has them. "No cap" and "any size", which are
    values, are not faint at all.
    """
    st.html(_READABLE)
