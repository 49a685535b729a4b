"""What was last said of a data set's columns and rows, kept with it for a reload."""

from __future__ import annotations

import dataclasses
import logging
from dataclasses import dataclass

import streamlit as st

from odt_core.data import ReadOptions, Schema, SplitSpec
from odt_core.errors import InputError
from pages.common.people import owner
from pages.common.server import store
from pages.common.state import Work

DEFAULT_SPLIT = SplitSpec.parse("80%")
_KEPT = "keeping_kept"

log = logging.getLogger("pages.common.keeping")


@dataclass(frozen=True)
class Choices:
    """What a person said of a data set.

    Attributes
    ----------
    read : ReadOptions
        How the file is read.
    schema : Schema or None
        What its columns mean; None if nothing was kept.
    split : SplitSpec
        Which rows train.
    run : str or None
        The run that was current then.
    """

    read: ReadOptions = ReadOptions()
    schema: Schema | None = None
    split: SplitSpec = DEFAULT_SPLIT
    run: str | None = None


def kept_choices(sha256: str) -> Choices:
    """What this person last said of a data set.

    Raises
    ------
    NotFoundError
        If the person has no such data set.
    """
    record = store().datasets.choices(owner(), sha256)
    if record is None:
        return Choices()
    try:
        return Choices(
            ReadOptions(**record["read"]),
            Schema.from_json(record["schema"]),
            SplitSpec.from_json(record["split"]),
            record["run"],
        )
    except (InputError, KeyError, TypeError, ValueError):
        log.exception("the choices of another version cannot be read; they begin anew")
        return Choices()


def keep_choices(now: Work) -> None:
    """Keep what is said now, if it differs from what was kept last."""
    if now.dataset is None or now.schema is None or now.split is None:
        return
    record = {
        "read": dataclasses.asdict(now.dataset.read),
        "schema": now.schema.to_json(),
        "split": now.split.to_json(),
        "run": None if now.job is None else now.job.id,
    }
    said = (now.dataset.sha256, record)
    if st.session_state.get(_KEPT) == said:
        return
    try:
        store().datasets.keep_choices(owner(), now.dataset.sha256, record)
    except InputError:  # the page goes on; what is current is in the session
        log.exception("the choices could not be kept")
        return
    st.session_state[_KEPT] = said
