"""Messages in the page: what was just done, and what cannot be stored or shown now.

They stand in the page, below the banner, and not in a toast: a toast would lie on buttons, and a
screen reader would not know its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from odt_core.jobs import Job
from odt_core.storage import StorageError
from odt_core.words import count_words
from pages.common.people import owner
from pages.common.server import job_manager
from pages.common.text import plain

_SAID = "notices_said"


def say(words: str) -> None:
    """Show a message when the page is drawn next.

    Parameters
    ----------
    words : str
        Markdown.
    """
    st.session_state[_SAID] = (*st.session_state.get(_SAID, ()), words)


def draw_said() -> None:
    """Draw what was said since the page was drawn last; it goes with the next step."""
    for words in st.session_state.pop(_SAID, ()):
        st.info(words)


LOOK_EVERY = 2.0
"""Seconds between two looks whether a result is stored by now."""


@contextmanager
def said_if_store_is_away() -> Iterator[None]:
    """Say why what is drawn here, or by the decorated function, cannot be shown now."""
    try:
        yield
    except StorageError as error:
        st.error(f"What is stored cannot be shown now. {plain(str(error))}")


def draw_unstored(*jobs: Job) -> None:
    """Say that a result is not stored yet, and why, for as long as that is so.

    A result may be drawn before the first try to store it has failed, so the page goes on looking.

    Parameters
    ----------
    *jobs : Job
        What brought the result; all are over.
    """
    if not _are_stored(jobs):
        st.fragment(_watch_unstored, run_every=LOOK_EVERY)(jobs)


def _are_stored(jobs: Sequence[Job]) -> bool:
    return all(map(job_manager().is_stored, jobs))


def _watch_unstored(jobs: Sequence[Job]) -> None:
    if _are_stored(jobs):
        st.rerun()
    reason = next(filter(None, map(job_manager().unstored, jobs)), "")
    if reason:
        st.warning(
            f"**This result is not stored yet.** {plain(reason)} It is kept in memory and is "
            "stored as soon as that is possible. If the server ends before, it is lost."
        )


def draw_unentered() -> None:
    """Say that runs are missing from the table, since they could not be stored yet."""
    n = job_manager().n_unentered(owner())
    if n:
        st.warning(
            f"{count_words(n, 'run is', 'runs are')} not stored yet, and not in this table: see "
            "the message above."
        )
