"""What a page needs before it can do its work, and where to get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from odt_core.data import Schema, SplitSpec
from pages.common.places import Place
from pages.common.presses import forget_press
from pages.common.state import Dataset, work


@dataclass(frozen=True, eq=False)
class ReadyData:
    """A table with all that training needs to know about it."""

    dataset: Dataset
    schema: Schema
    split: SplitSpec


def send_to(place: Place, reason: str, link: str) -> NoReturn:
    """Say in one sentence what is missing, link to where it is made, and end the page here.

    Parameters
    ----------
    place : Place
        Where to go.
    reason : str
        What is missing and why, as Markdown.
    link : str
        The link's words.
    """
    forget_press()
    with st.container(border=True, key="needs"):
        st.markdown(reason)
        st.page_link(place, label=f"**{link} →**")
    st.stop()


def need_data() -> ReadyData:
    """The current data set, or a way to the Data page."""
    now = work()
    if now.dataset is None or now.schema is None or now.split is None:
        send_to(
            Place.DATA,
            "This page needs a data set: upload a table or take a sample, and say which column "
            "is the outcome.",
            "Choose data",
        )
    return ReadyData(now.dataset, now.schema, now.split)
