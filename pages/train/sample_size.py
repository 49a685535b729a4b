"""How many rows and events there are for each question, said before training."""

from __future__ import annotations

import streamlit as st

from odt_core.data import Prepared
from odt_core.evaluation import sample_size
from odt_core.training import TrainSpec
from pages.common.text import plain


def draw_sample_size(rows: Prepared, spec: TrainSpec | None) -> None:
    """Draw a remark; it never keeps anyone from training.

    Parameters
    ----------
    rows : Prepared
        The training rows.
    spec : TrainSpec or None
        What the controls say; None if they cannot be used as they are.
    """
    if spec is None:
        return
    found = sample_size(rows.train, spec.topology)
    st.caption(plain(found.words))
