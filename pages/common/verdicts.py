"""The first sentence about a tree: what it does on test rows."""

from __future__ import annotations

import streamlit as st

from odt_core.evaluation import Metrics, Tone, Verdict, verdict
from odt_core.problem import Objective
from pages.common.text import plain


def draw_verdict(objective: Objective, train: Metrics, test: Metrics | None) -> None:
    """Draw what a tree does on test rows, coloured by how far they fall from training."""
    draw_found_verdict(verdict(objective, train, test))


def draw_found_verdict(found: Verdict) -> None:
    """Draw a verdict in the colour of its tone."""
    box = {
        Tone.GOOD: st.success,
        Tone.CAUTION: st.warning,
        Tone.BAD: st.error,
        Tone.UNTESTED: st.info,
    }[found.tone]
    box(plain(found.remark), title=plain(found.text))
