"""The remark on rows and events for each question, before training."""

from __future__ import annotations

import streamlit as st

from odt_core.data import Prepared
from odt_core.evaluation import sample_size
from odt_core.training import TrainSpec
from pages.common.text import plain


def draw_sample_size(rows: Prepared, spec: TrainSpec | None) -> None:
    """Draw the remark. It never blocks training.

    Parameters
    ----------
    rows : Prepared
        The training rows.
    spec : TrainSpec or None
        The run's specification; None if a control has an error.
    """
    if spec is None:
        return
    found = sample_size(rows.train, spec.topology)
    st.caption(plain(found.words))
