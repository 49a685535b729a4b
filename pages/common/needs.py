"""What a page needs before it can do its work, and where to get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from odt_core.data import Prepared, Schema, SplitSpec
from odt_core.errors import InputError
from pages.common.places import Place
from pages.common.prepared import prepared_rows
from pages.common.presses import forget_press
from pages.common.state import Dataset, work
from pages.common.text import plain, sentence


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


def need_rows(data: ReadyData) -> Prepared:
    """The current rows, or a way to the Data page where something is to be said or mended first.

    Nothing new is trained before a person has said what the outcome is. A run that was made with
    the same columns can still be looked at.

    Parameters
    ----------
    data : ReadyData
        The current table and what is said of it.
    """
    try:
        rows = prepared_rows(data.dataset.table, data.schema, data.split)
    except InputError as error:
        send_to(Place.DATA, f"The data cannot be used yet: {plain(str(error))}", "Mend the data")
    questions = [finding for finding in rows.findings if finding.needs_answer]
    job = work().job
    if questions and (job is None or job.spec.train.schema != data.schema):
        send_to(Place.DATA, sentence(questions[0].message), "Answer that first")
    return rows


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
