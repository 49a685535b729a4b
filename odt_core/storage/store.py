"""The store: data sets, runs and the queue in one database."""

from __future__ import annotations

import logging
import os
import tempfile
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select, update

from odt_core.errors import InputError
from odt_core.folders import data_folder
from odt_core.storage.cache import FileCache
from odt_core.storage.database import Database, locate
from odt_core.storage.datasets import Datasets, ensure_owner
from odt_core.storage.erasure import wipe
from odt_core.storage.exchange import Exchange
from odt_core.storage.presence import Presence
from odt_core.storage.queue import LEASE, Queue
from odt_core.storage.revisions import migrate
from odt_core.storage.runs import Runs
from odt_core.storage.sign_ins import SignIns
from odt_core.storage.studies import Studies
from odt_core.storage.tables import OwnerRow

LONGEST_RETENTION = 36_500
"""Longest age limit, in days."""

ONLY_IN_MEMORY = "Until then data sets and runs are kept in memory only, and end with the server."

log = logging.getLogger("odt_core.storage.store")


class Store:
    """All stored data. Many threads and many servers can use it at once.

    Opening it creates or migrates the tables.

    Parameters
    ----------
    address : str, optional
        The database, see `odt_core.storage.database.locate`. ``sqlite://`` keeps all in memory.
    folder : Path, optional
        The data folder, see `odt_core.folders.data_folder`.
    retention_days : int, optional
        Age limit for data sets of owners who have set none. The default is ``ODT_RETENTION_DAYS``,
        or no limit. Age counts from the last upload of a data set or the last run on it.
    lease : float
        See `odt_core.storage.queue.LEASE`.

    Attributes
    ----------
    datasets, runs, studies, queue, exchange, sign_ins
        The calls for each of these.
    database : Database
        The database beneath them, with the data of all owners. Only this room and its tests use it.
    problem : str
        One sentence on why nothing outlives this process; empty if all is well.

    Raises
    ------
    StorageError
        If the database cannot be reached, created or written.
    InputError
        If the address is not valid, or a newer version of the program has written the database.
    """

    def __init__(
        self,
        address: str | None = None,
        folder: Path | None = None,
        *,
        retention_days: int | None = None,
        lease: float = LEASE,
    ) -> None:
        folder = folder or data_folder()
        self.problem = ""
        if retention_days is not None:
            check_days(retention_days)
        self._retention_days = retention_days or _retention_from_environment()
        self.database = Database(locate(address, folder))
        self.database.prepare_file()
        migrate(self.database)
        cache = FileCache(folder / "cache" / self.database.key[:16])
        self.datasets = Datasets(self.database, cache)
        self.runs = Runs(self.database)
        self.studies = Studies(self.database)
        self.queue = Queue(self.database, Presence(folder / "servers"), lease)
        self.exchange = Exchange(self.database, self.datasets)
        self.sign_ins = SignIns(self.database)

    def retention(self, owner: str) -> int | None:
        """An owner's age limit for unused data sets and their runs, in days; None for no limit."""
        with self.database.read() as connection:
            query = select(OwnerRow.retention_days).where(OwnerRow.subject == owner)
            return connection.scalar(query) or self._retention_days

    def set_retention(self, owner: str, days: int | None) -> None:
        """Set an owner's age limit. None restores the server's limit.

        Raises
        ------
        InputError
            If it is not at least one day and at most a hundred years.
        """
        if days is not None:
            check_days(days)
        with self.database.write() as connection:
            ensure_owner(self.database, connection, owner, self.database.now(connection))
            connection.execute(
                update(OwnerRow).where(OwnerRow.subject == owner).values(retention_days=days)
            )

    def tidy(self) -> None:
        """Do the regular work of a server, at the start and about every half minute.

        This marks runs of ended servers as interrupted, deletes data sets past their age limit
        with all their runs, and wipes deleted data off the disk and out of the cache.
        """
        self.queue.interrupt_lost()
        self._delete_old()
        self.sign_ins.delete_ended()
        self.datasets.sweep_cache()
        wipe(self.database)

    def close(self) -> None:
        """Close the idle connections."""
        self.database.close()

    def _delete_old(self) -> None:
        with self.database.read() as connection:
            owners = connection.execute(select(OwnerRow.subject, OwnerRow.retention_days)).all()
            now = self.database.now(connection)
        for owner, own_days in owners:
            days = own_days or self._retention_days
            if days:
                self.datasets.delete_unused_since(owner, now - timedelta(days=days))


def open_store() -> Store:
    """Open the store. If it cannot be written, open one in memory, with `Store.problem` set."""
    store = None
    try:
        store = Store()
        store.queue.leave(store.queue.register())  # checks that database and folder are writable
        return store
    except InputError as error:
        log.exception("nothing is kept: the store cannot be used")
        if store is not None:
            store.close()
        # The age limit may be the setting at fault, and nothing in memory becomes that old.
        memory = Path(tempfile.mkdtemp(prefix="odt-memory-"))
        instead = Store("sqlite://", memory, retention_days=LONGEST_RETENTION)
        instead.problem = f"{error} {ONLY_IN_MEMORY}"
        return instead


def has_store() -> bool:
    """Whether a store exists, so that `Store()` would open it and not create it.

    If the environment names a database server, the answer is always true.

    Raises
    ------
    InputError
        If the environment names no database.
    """
    url = locate()
    if url.get_backend_name() != "sqlite":
        return True
    return bool(url.database) and Path(str(url.database)).is_file()


def check_days(days: int) -> int:
    """Return an age limit after checking it.

    Raises
    ------
    InputError
        If it is not at least one day and at most a hundred years.
    """
    if not 1 <= days <= LONGEST_RETENTION:
        raise InputError(
            f"The age limit for data sets is {days} days: give from 1 to {LONGEST_RETENTION}."
        )
    return days


def _retention_from_environment() -> int | None:
    text = os.environ.get("ODT_RETENTION_DAYS", "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdecimal():
        raise InputError(
            f"ODT_RETENTION_DAYS is {text!r}: give a whole number of days, or leave it out."
        )
    return check_days(int(text))
