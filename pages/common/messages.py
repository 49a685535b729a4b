"""Messages in the page: results of actions, and problems with storing or showing.

They appear in the page, below the banner. A toast would cover buttons, and has no name for screen
readers.
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
    """Show a message the next time the page is drawn.

    Parameters
    ----------
    words : str
        Markdown.
    """
    st.session_state[_SAID] = (*st.session_state.get(_SAID, ()), words)


def draw_messages() -> None:
    """Draw the new messages. They disappear with the user's next action."""
    for words in st.session_state.pop(_SAID, ()):
        st.info(words)


LOOK_EVERY = 2.0
"""Seconds between two checks whether a result is stored."""


@contextmanager
def show_store_errors() -> Iterator[None]:
    """Draw an error of the store instead of the part inside; a context manager and a decorator."""
    try:
        yield
    except StorageError as error:
        st.error(f"Stored data and runs cannot be shown now. {plain(str(error))}")


def draw_unstored(*jobs: Job) -> None:
    """Draw a warning as long as a result is not stored.

    The page checks again and again, because storing may first fail after the result is drawn.

    Parameters
    ----------
    *jobs : Job
        The result's jobs; all are over.
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
            f"**This result is not stored yet.** {plain(reason)} It is in memory, and will be "
            "stored as soon as possible. If the server ends before that, the result is lost."
        )


def draw_missing_runs() -> None:
    """Draw a note that runs are missing from the table because they are not stored yet."""
    n = job_manager().n_unentered(owner())
    if n:
        st.warning(
            f"{count_words(n, 'run is', 'runs are')} not stored yet, and not in this table: see "
            "the message above."
        )
