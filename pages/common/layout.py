"""Parts of a page with fixed places, columns, and the browser's theme."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from odt_core.render import THEMES, Theme
from pages.common.widgets import start_value

LEAST_WIDTH = 416
"""The smallest width in pixels of a figure or tree beside another."""

P = ParamSpec("P")
T = TypeVar("T")


def draw_part(draw: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Draw a part of a page as one element, so that its length does not move the parts below it."""
    with st.container():
        return draw(*args, **kwargs)


def choose_page_view(title: str, key: str, views: Iterable[str]) -> str:
    """Draw a page's title and, beside it, the switch between its views; return the chosen one.

    The page begins with the first view.
    """
    names = list(views)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.title(title, anchor=False, width="content")
        return str(
            st.segmented_control(
                "View",
                names,
                key=start_value(key, names[0]),
                persist_state="session",
                required=True,
                label_visibility="collapsed",
            )
        )


def side_by_side(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Make two containers, side by side if both are wide enough, or one below the other.

    If the second is empty, the first has the full width. The key is that of both together.
    """
    both, each = f".st-key-{key}", f"minmax(min({LEAST_WIDTH}px, 100%), 1fr)"
    st.html(
        f"<style>{both} {{ display: grid; gap: 1rem 2rem; "
        f"grid-template-columns: repeat(auto-fit, {each}); }} "
        f"{both} > * {{ min-width: 0; }}</style>"
    )
    with st.container(key=key):
        return st.container(), st.container()


# Streamlit does not run the page again when the user switches between light and dark. Drawings
# would keep the colours of the other theme.
_FOLLOW = st.components.v2.component(
    "odt_follow_theme",
    html="<span></span>",
    js="""
export default function ({ data, parentElement, setTriggerValue }) {
  const probe = parentElement.querySelector("span")
  probe.style.color = getComputedStyle(probe).getPropertyValue("--st-background-color")
  const [red, green, blue] = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number)
  const now = 0.3 * red + 0.6 * green + 0.1 * blue < 128 ? "dark" : "light"
  if (now !== data.drawn && now !== probe.dataset.sent) setTriggerValue("changed", now)
  probe.dataset.sent = now
}
""",
)

# Streamlit's theme has no setting for these words, and its elements have no other names.
_READABLE = """<style>
[data-testid] :is([data-variant=segmented_control], [data-variant=pills])[data-selected=true]:not(
  [data-disabled]),
[data-testid=stSlider] [data-testid=stSliderThumbValue] { color: inherit; }
[data-testid=stCaptionContainer] { opacity: .74; }
[data-testid] :is(input, textarea)::placeholder { color: inherit; opacity: .74; }
:is([class*=max_card], [class*=min_leaf]) input::placeholder { opacity: 1; }
</style>"""


def current_theme() -> Theme:
    """The drawing theme for the browser's light or dark page."""
    return THEMES.get(str(st.context.theme.type), THEMES["light"])


def follow_theme() -> None:
    """Draw the page again when the user switches between light and dark."""
    _FOLLOW(
        key="train_theme",
        data={"drawn": current_theme().name},
        height=0,
        on_changed_change=lambda: None,
    )


def keep_words_readable() -> None:
    """Use the page's text colour for some words to which Streamlit gives the buttons' colour.

    No single colour suits both white words on buttons and words on a dark page. Captions and
    hints in fields are also darker than Streamlit's. "No cap" and "any size" have full contrast,
    because they are values.
    """
    st.html(_READABLE)
