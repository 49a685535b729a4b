"""Large tables are read in a process that is ended when it takes too long, or nobody waits."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest

from odt_core.data import (
    USUAL_SPLIT,
    ReadOptions,
    RefusedRowsError,
    SplitSpec,
    Table,
    check_schema,
    infer_schema,
    prepare,
    read_table,
    summarize_columns,
)
from odt_core.errors import InputError
from odt_core.jobs import table_readings
from odt_core.jobs.table_readings import Progress, TableReadings, read_table_in_process

TEXT = "age;ward;class\n" + "".join(f"{n};{'ab'[n % 2]};{'yn'[n % 2]}\n" for n in range(500))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "table.csv"
    place.write_text(TEXT)
    return place


def silent(stage: str, seconds: float) -> None:
    """Progress that nobody reads."""


@pytest.fixture
def children() -> Callable[[], list[psutil.Process]]:
    """What this process has started since the test began."""
    before = psutil.Process().children()
    return lambda: [child for child in psutil.Process().children() if child not in before]


def test_a_table_read_apart_is_the_same(path, children):
    path.write_text(re.sub(r"(\d);", r"\1,5;", TEXT))
    options = ReadOptions(decimal=",")
    apart = read_table_in_process(path, options, "t.csv", on_progress=silent)
    here = read_table(path, options, name="t.csv")
    assert apart.frame.equals(here.frame)
    assert (apart.report, apart.sha256, apart.name) == (here.report, here.sha256, "t.csv")
    assert apart.lines is not None and apart.lines.tolist() == here.lines.tolist()
    assert children() == []


def test_what_is_known_of_the_columns_comes_along(path):
    apart = read_table_in_process(path, ReadOptions(), "t.csv", on_progress=silent)
    here = read_table(path, name="t.csv")
    schema = infer_schema(here)
    assert schema in apart.remembered
    n_remembered = len(apart.remembered)
    assert infer_schema(apart) == schema
    assert check_schema(apart, schema) == check_schema(here, schema)
    readings = {name: schema.reading_of(name) for name in here.columns}
    summaries = summarize_columns(apart, schema.target, readings, schema.positive)
    assert summaries == summarize_columns(here, schema.target, readings, schema.positive)
    assert len(apart.remembered) == n_remembered
    beforehand, now = (prepare(table, schema, USUAL_SPLIT) for table in (apart, here))
    assert beforehand is prepare(apart, schema, USUAL_SPLIT)
    assert beforehand.encoder.to_json() == now.encoder.to_json()
    assert np.array_equal(beforehand.train.codes, now.train.codes)
    assert np.array_equal(beforehand.test_rows, now.test_rows)
    other = prepare(apart, schema, SplitSpec.parse("60%"))
    assert other.train.n_rows < beforehand.train.n_rows


def test_lines_that_are_no_table_come_along(path):
    path.write_text("Ward 3\n" + TEXT)
    with pytest.raises(RefusedRowsError, match="skip the first line") as refused:
        read_table_in_process(path, ReadOptions(decimal=","), "t.csv", on_progress=silent)
    assert refused.value.instead == ReadOptions(decimal=",", skip_lines=1)
    assert refused.value.beginning.startswith("Ward 3\nage;ward;class\n")


def test_a_file_that_cannot_be_read_is_reported(path):
    path.write_text("a,b\n1,2\n1\n")
    with pytest.raises(InputError, match="Line 3 has 1 cell"):
        read_table_in_process(path, ReadOptions(), "t.csv", on_progress=silent)


def test_the_process_ends_when_its_reader_stops_waiting(path, children):
    class LeftError(Exception):
        pass

    seen = []

    def leave(stage: str, seconds: float) -> None:
        seen.append(children()[0])
        raise LeftError

    with pytest.raises(LeftError):
        read_table_in_process(path, ReadOptions(), "t.csv", on_progress=leave)
    assert len(seen) == 1 and children() == [] and not seen[0].is_running()


@pytest.mark.parametrize(
    ("name", "limit", "message"),
    [
        ("MOST_SECONDS", 0.05, "'t.csv' was not read within 0.05 seconds"),
        ("machine_memory", lambda: 3 << 20, "'t.csv' takes more than 1 MB of memory"),
    ],
)
def test_limits_hold(path, children, monkeypatch, name, limit, message):
    monkeypatch.setattr(table_readings, name, limit)
    with pytest.raises(InputError, match=message):
        read_table_in_process(path, ReadOptions(), "t.csv", on_progress=silent)
    assert children() == []


def test_progress_is_reported(path):
    heard = []
    read_table_in_process(
        path, ReadOptions(), "t.csv", on_progress=lambda *said: heard.append(said)
    )
    assert heard and heard[0][1] <= heard[-1][1]


class WentError(Exception):
    """Raised when somebody goes to another page."""


def go(stage: str, seconds: float) -> None:
    raise WentError


class SlowFile:
    """A reading that ends when the test says so, and reports progress like a real reading."""

    def __init__(self) -> None:
        self.times_begun = 0
        self.may_end = threading.Event()
        self.was_ended = threading.Event()

    def read(self, on_progress: Progress) -> Table:
        self.times_begun += 1
        try:
            while not self.may_end.wait(0.01):
                on_progress("splitting", 1.0)
        except Exception:
            self.was_ended.set()
            raise
        return read_table(TEXT.encode())


def test_a_reading_goes_on_while_nobody_waits_for_a_moment():
    file, readings = SlowFile(), TableReadings()
    with pytest.raises(WentError):
        readings.table("key", file.read, go)
    heard = []

    def listen(stage: str, seconds: float) -> None:
        heard.append((stage, seconds))
        if stage:
            file.may_end.set()

    assert readings.table("key", file.read, listen).n_rows == 500
    assert file.times_begun == 1 and heard[-1] == ("splitting", 1.0)
    readings.table("key", file.read, silent)  # it is not kept here
    assert file.times_begun == 2


def test_a_reading_ends_when_nobody_waits_for_long():
    file, readings = SlowFile(), TableReadings(patience=0.0)
    with pytest.raises(WentError):
        readings.table("key", file.read, go)
    assert file.was_ended.wait(60)


def test_a_reading_that_is_stopped_ends_at_once_and_can_begin_anew():
    file, readings = SlowFile(), TableReadings(patience=3600.0)
    with pytest.raises(WentError):
        readings.table("key", file.read, go)
    readings.stop("key")
    assert file.was_ended.wait(60)
    file.may_end.set()
    assert readings.table("key", file.read, silent).n_rows == 500
    assert file.times_begun == 2


def test_a_reading_is_not_stopped_while_another_waits():
    file, readings = SlowFile(), TableReadings()

    def stop(stage: str, seconds: float) -> None:
        readings.stop("key")
        file.may_end.set()

    assert readings.table("key", file.read, stop).n_rows == 500


def test_all_waiting_sessions_hear_why_a_file_cannot_be_read():
    def refuse(on_progress: Progress) -> Table:
        raise InputError("no table")

    readings = TableReadings()
    for _ in range(2):
        with pytest.raises(InputError, match="no table"):
            readings.table("key", refuse, silent)
