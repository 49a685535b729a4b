"""Delete a data set with everything made from it."""

from __future__ import annotations

from odt_core.storage import DatasetRecord, Deleted
from odt_core.words import count_words
from pages.common.notices import say
from pages.common.people import owner
from pages.common.server import store
from pages.common.table_caches import forget_tables
from pages.common.text import plain, shorten


def removal_words(record: DatasetRecord) -> str:
    """What goes with a data set, as a question in Markdown."""
    runs = (
        f" and the **{count_words(record.n_runs, 'run')}** made from it"
        if record.n_runs
        else ", from which no run was made"
    )
    return (
        f"Delete **{plain(shorten(record.name, 60))}**{runs}? They are gone for good, and wiped "
        "off the disk."
    )


def delete_dataset(sha256: str, name: str) -> Deleted:
    """Delete it from the store and from this server's memory, and say what happened.

    Raises
    ------
    NotFoundError
        If the person has no such data set.
    """
    gone = store().datasets.delete(owner(), sha256)
    forget_tables()
    words = f"Deleted {plain(shorten(name, 40))} and {count_words(gone.n_runs, 'run')}"
    say(f"{words}." if gone.wiped else f"{words}; the disk is wiped within a minute.")
    return gone
