"""From a file's bytes to a table, kept for all sessions; large files are read apart."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from odt_core.data import ReadOptions, Table, read_table
from odt_core.jobs.reading import read_table_apart
from pages.common.table_caches import table_cache

KEPT_TABLES = 6
"""Tables kept for all sessions together, besides each session's own."""
SMALL = 2 * 1024 * 1024
"""Bytes of a text file that is read at once, in the server: that takes less than a second."""
LONG_LINE = 16 * 1024
"""Bytes of a first line from which on a file has so many columns that it is read apart."""
TELL_EVERY = 0.5
"""Seconds between two words on what is being done."""
_PACKED = (b"\x1f\x8b", b"PK", b"PAR1", b"\xd0\xcf\x11\xe0")

_Key = tuple[str, ReadOptions, str]


class _Kept:
    """The tables that were asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[_Key, Table] = OrderedDict()

    def find(self, key: _Key) -> Table | None:
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
            return self._tables.get(key)

    def keep(self, key: _Key, table: Table) -> None:
        with self._lock:
            self._tables[key] = table
            while len(self._tables) > KEPT_TABLES:
                self._tables.popitem(last=False)


@table_cache
@st.cache_resource(show_spinner=False)
def _kept() -> _Kept:
    return _Kept()


def table_of(
    sha256: str,
    read: ReadOptions,
    name: str,
    source: bytes | Path,
    on_stop: Callable[[], None] | None = None,
) -> Table:
    """A file's table.

    A large file, and one that unpacks to who knows what, is read in a process of its own. That
    ends when the user stops it, goes elsewhere or closes the browser: Streamlit ends the script
    at its next word, and the process with it.

    Parameters
    ----------
    sha256 : str
        Of the file.
    read : ReadOptions
        How it is read.
    name : str
        Its name.
    source : bytes or Path
        Its bytes, or where it is.
    on_stop : callable, optional
        What a button that stops the reading does beside; without it there is no button.

    Raises
    ------
    InputError
        If it is no usable table, or takes too much time or memory.
    """
    key = (sha256, read, name)
    table = _kept().find(key)
    if table is None:
        if _is_small(source):
            table = read_table(source, read, name=name)
        else:
            table = _read(source, read, name, on_stop)
        _kept().keep(key, table)
    return table


def _is_small(source: bytes | Path) -> bool:
    if isinstance(source, bytes):
        size, start = len(source), source[:LONG_LINE]
    else:
        size = source.stat().st_size
        with source.open("rb") as file:
            start = file.read(LONG_LINE)
    is_wide = len(start) == LONG_LINE and b"\n" not in start
    return size <= SMALL and not is_wide and not start.startswith(_PACKED)


def _read(
    source: bytes | Path, read: ReadOptions, name: str, on_stop: Callable[[], None] | None
) -> Table:
    area = st.empty()
    with area.container(horizontal=True, vertical_alignment="center"):
        words = st.empty()
        if on_stop is not None:
            st.button("Stop reading", key="files_stop_reading", on_click=on_stop)
    told = -TELL_EVERY

    def tell(stage: str, seconds: float) -> None:
        nonlocal told
        if seconds - told >= TELL_EVERY:
            told = seconds
            words.markdown(f"{(stage or 'opening the file').capitalize()} … {seconds:.0f} s")

    table = read_table_apart(source, read, name, on_progress=tell)
    area.empty()
    return table
