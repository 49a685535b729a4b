"""Tables and their prepared rows, cached for all sessions, and checks before a page uses them."""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar, cast

import streamlit as st

from odt_core.data import Prepared, ReadOptions, Schema, SplitSpec, Table, prepare, read_table
from odt_core.errors import InputError, quoted
from odt_core.jobs import Job
from odt_core.jobs.table_readings import Progress, TableReadings, read_table_in_process
from odt_core.problem import Problem
from odt_core.training import FeatureSelection, build_problem
from pages.common.markup import plain, sentence
from pages.common.server import store
from pages.common.session import Dataset, Place, forget_press, work
from pages.common.table_requests import withdraw_table

P = ParamSpec("P")
T = TypeVar("T")

KEPT = 4
"""The most tables, and the most results of a function, that are cached for all sessions together.

Each session also has its current table.
"""
SMALL = 2 * 1024 * 1024
"""The largest text file, in bytes, that the server reads itself, in less than a second."""
LONG_LINE = 16 * 1024
"""A first line of more bytes has many columns, so a separate process reads the file."""
TELL_EVERY = 0.5
"""Seconds between two updates of the progress."""
_PACKED = (b"\x1f\x8b", b"PK", b"PAR1", b"\xd0\xcf\x11\xe0")

_Key = tuple[str, ReadOptions, str]


class _Tables:
    """The last tables, and the tables that are being read."""

    def __init__(self) -> None:
        self.readings = TableReadings()
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
            while len(self._tables) > KEPT:
                self._tables.popitem(last=False)

    def forget(self) -> None:
        with self._lock:
            self._tables.clear()


_TABLES = _Tables()
_FORGET: list[Callable[[], None]] = [_TABLES.forget]


def table_cache(make: Callable[P, T]) -> Callable[P, T]:
    """Cache the last results of a function. They come from rows of tables (see `forget_tables`).

    Tables are compared by identity, because hashing their cells is slow.
    """
    cached = lru_cache(maxsize=KEPT)(make)
    _FORGET.append(cached.cache_clear)
    return cast("Callable[P, T]", cached)


def forget_tables() -> None:
    """Drop this server's cached tables and the results computed from them."""
    for forget in _FORGET:
        forget()


def read_upload(name: str, content: bytes, read: ReadOptions) -> Table:
    """Read an uploaded file (see `table_of`). A stop withdraws it.

    Raises
    ------
    InputError
        If the file is too large or is not a usable table.
    """
    most = int(st.get_option("server.maxUploadSize"))
    if len(content) > most * 1024 * 1024:  # the browser also checks this, but a user can bypass it
        raise InputError(
            f"The file {quoted(name)} has more than {most} MB: leave out columns or "
            "rows, or compress it with gzip."
        )
    return table_of(hashlib.sha256(content).hexdigest(), read, name, content, withdraw_table)


def table_of(
    sha256: str,
    read: ReadOptions,
    name: str,
    source: bytes | Path,
    on_stop: Callable[[], None] | None = None,
) -> Table:
    """Read a file's table.

    A separate process reads large and packed files. It continues while the user is on another page.
    It ends when the user stops it, or soon after the browser is closed. The stop button calls
    `on_stop`. Without it, there is no button.

    Raises
    ------
    InputError
        If the file is not a usable table, or takes too much time or memory.
    """
    key = (sha256, read, name)
    table = _TABLES.find(key)
    if table is None:
        if _is_small(source):
            table = read_table(source, read, name=name)
            _TABLES.keep(key, table)
        else:
            table = _read_apart(key, source, on_stop)
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


def _read_apart(key: _Key, source: bytes | Path, on_stop: Callable[[], None] | None) -> Table:
    _, options, name = key

    def read(on_progress: Progress) -> Table:
        table = read_table_in_process(source, options, name, on_progress=on_progress)
        _TABLES.keep(key, table)
        return table

    def stop() -> None:
        _TABLES.readings.stop(key)
        if on_stop is not None:
            on_stop()

    area = st.empty()
    with area.container(horizontal=True, vertical_alignment="center"):
        words = st.empty()
        if on_stop is not None:
            st.button("Stop reading", key="files_stop_reading", on_click=stop)
    told = -TELL_EVERY

    def tell(stage: str, seconds: float) -> None:
        nonlocal told
        if seconds - told >= TELL_EVERY:
            told = seconds
            words.markdown(f"{(stage or 'opening the file').capitalize()} … {seconds:.0f} s")

    table = _TABLES.readings.table(key, read, tell)
    area.empty()
    return table


@table_cache
def prepared_rows(table: Table, schema: Schema, split: SplitSpec) -> Prepared:
    """Prepare a table's training and test rows.

    Raises
    ------
    InputError
        If the table does not match the schema or the split.
    """
    return prepare(table, schema, split)


def rows_of(job: Job) -> Prepared:
    """The training and test rows of a run."""
    return prepared_rows(table_of_run(job), job.spec.train.schema, job.spec.train.split)


def table_of_run(job: Job) -> Table:
    """The table of a run."""
    dataset, spec = work().dataset, job.spec
    if dataset is not None and (dataset.sha256, dataset.read) == (spec.dataset, spec.read):
        return dataset.table
    path = store().datasets.path(job.owner, spec.dataset)
    return table_of(spec.dataset, spec.read, spec.table_name, path)


def problem_of(job: Job) -> Problem:
    """The problem of a run, without its feature selection."""
    spec = dataclasses.replace(job.spec.train, feature_selection=FeatureSelection.NONE)
    return build_problem(rows_of(job), spec)


@dataclass(frozen=True, eq=False)
class ReadyData:
    """A table with the settings that training needs."""

    dataset: Dataset
    schema: Schema
    split: SplitSpec


def send_to(place: Place, reason: str, link: str) -> NoReturn:
    """Say what is missing, link to the page that provides it, and end the current page.

    The reason is a sentence of Markdown.
    """
    forget_press()
    with st.container(border=True, key="needs"):
        st.markdown(reason)
        st.page_link(place, label=f"**{link} →**")
    st.stop()


def need_rows(data: ReadyData) -> Prepared:
    """Return the current rows, or link to the Data page if something is missing or wrong.

    Nothing is trained before the user has chosen the outcome. An earlier run with the same columns
    can still be shown.
    """
    try:
        rows = prepared_rows(data.dataset.table, data.schema, data.split)
    except InputError as error:
        send_to(Place.DATA, f"The data cannot be used yet: {plain(str(error))}", "Fix the data")
    questions = [finding for finding in rows.findings if finding.needs_answer]
    job = work().job
    if questions and (job is None or job.spec.train.schema != data.schema):
        send_to(Place.DATA, sentence(questions[0].message), "Answer that first")
    return rows


def ready_data() -> ReadyData | None:
    """Return the current table with its settings; None without a table."""
    now = work()
    if now.dataset is None or now.schema is None or now.split is None:
        return None
    return ReadyData(now.dataset, now.schema, now.split)


def need_data() -> ReadyData:
    """Return the current table with its settings, or link to the Data page."""
    return ready_data() or send_to(
        Place.DATA,
        "This page needs a data set: upload a table or take a sample, and choose the outcome "
        "column.",
        "Choose data",
    )
