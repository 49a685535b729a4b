"""The paper's switches of the integer program (section 4.3), and its five configurations."""

from __future__ import annotations

import streamlit as st

from odt_core.solvers.mip.options import MipOptions
from pages.common.settings import TrainKey
from pages.common.widgets import show_value, start_value

_CONFIGURATION = "train_configuration"
CONFIGURATIONS = {
    "All": MipOptions(),
    "No Anchor": MipOptions(anchor=False),
    "No Relax": MipOptions(relax=False),
    "No Strength": MipOptions(strengthen=False),
    "Nothing": MipOptions(strengthen=False, anchor=False, relax=False),
}
"""The configurations that the paper compares in section 5.1."""

_SWITCHES = {
    "strengthen": (
        "Strengthened rows",
        "The program has the rows (strongleft) and (strongright) instead of (left) and (right), "
        "as in section 4.3.1.",
    ),
    "anchor": (
        "Anchor categories",
        "If a question can be reversed, one category of each column always goes left, as in "
        "section 4.3.2.",
    ),
    "delete": (
        "Only correct leaves",
        "The program has no variables for leaves that would classify a row wrongly, as in "
        "section 4.3.3.",
    ),
    "relax": (
        "Continuous variables",
        "Variables are continuous instead of binary wherever that is valid, as in section 4.3.4.",
    ),
    "numerical_direction": (
        "Numerical columns: direction instead of anchor",
        "The program breaks the symmetry of numerical columns by w = 1, as in section 4.4.",
    ),
    "card_direction": (
        "Capped columns: direction instead of anchor",
        "The program breaks the symmetry of columns under max.card by w = 1, as in section 4.5.",
    ),
}


def choose_switches() -> MipOptions:
    """Draw the configurations and the single switches."""
    keys = {
        name: start_value(TrainKey.switch(name), getattr(MipOptions(), name)) for name in _SWITCHES
    }
    options = MipOptions(**{name: st.session_state[key] for name, key in keys.items()})
    chosen = next((name for name, known in CONFIGURATIONS.items() if known == options), None)
    st.pills(
        "Configuration of section 5.1",
        list(CONFIGURATIONS),
        key=show_value(_CONFIGURATION, chosen),
        on_change=_take_configuration,
        wrap=True,
    )
    return MipOptions(
        **{
            name: st.checkbox(label, key=keys[name], persist_state="session", help=text)
            for name, (label, text) in _SWITCHES.items()
        }
    )


def _take_configuration() -> None:
    chosen = st.session_state[_CONFIGURATION]
    if chosen is None:
        return
    for name in _SWITCHES:
        st.session_state[TrainKey.switch(name)] = getattr(CONFIGURATIONS[chosen], name)
