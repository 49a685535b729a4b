"""The view Near-optimal trees: the trees that are as good as the current one, or almost."""

from __future__ import annotations

import streamlit as st

from odt_core.jobs import Job
from pages.common.drawings import draw_tree
from pages.common.tables import ReadyData, rows_of


def draw_near(data: ReadyData, job: Job) -> None:
    """Draw the current tree.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job
        The current training run, which has a tree.
    """
    assert job.trained is not None
    st.header("The current tree", anchor=False)
    draw_tree(job.trained.tree, rows_of(job).test, key="near_current")
