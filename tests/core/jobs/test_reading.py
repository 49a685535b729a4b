"""Large tables are read in a process that is ended when it takes too long, or nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from odt_core.data import (
    ReadOptions,
    RefusedRowsError,
    check_schema,
    infer_schema,
    read_table,
    summarize_columns,
)
from odt_core.errors import InputError
from odt_core.jobs.reading import ReadLimits, read_table_apart

TEXT = "age;ward;class\n" + "".join(f"{n},5;{'ab'[n % 2]};{'yn'[n % 2]}\n" for n in range(500))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "table.csv"
    place.write_text(TEXT)
    return place


def silent(stage: str, seconds: float) -> None:
    """Nobody looks."""


@pytest.fixture
def children() -> Callable[[], list[psutil.Process]]:
    """What this process has started since the test began."""
    before = psutil.Process().children()
    return lambda: [child for child in psutil.Process().children() if child not in before]


def test_a_table_read_apart_is_the_same(path, children):
    options = ReadOptions(decimal=",")
    apart = read_table_apart(path, options, "t.csv", on_progress=silent)
    here = read_table(path, options, name="t.csv")
    assert apart.frame.equals(here.frame)
    assert (apart.report, apart.sha256, apart.name) == (here.report, here.sha256, "t.csv")
    assert apart.lines is not None and apart.lines.tolist() == here.lines.tolist()
    assert children() == []


def test_what_is_known_of_the_columns_comes_along(path):
    apart = read_table_apart(path, ReadOptions(), "t.csv", on_progress=silent)
    here = read_table(path, name="t.csv")
    schema = infer_schema(here)
    assert schema in apart.known
    n_known = len(apart.known)
    assert infer_schema(apart) == schema
    assert check_schema(apart, schema) == check_schema(here, schema)
    readings = {name: schema.reading_of(name) for name in here.columns}
    summaries = summarize_columns(apart, schema.target, readings, schema.positive)
    assert summaries == summarize_columns(here, schema.target, readings, schema.positive)
    assert len(apart.known) == n_known


def test_lines_that_are_no_table_come_along(path):
    path.write_text("Ward 3\n" + TEXT)
    with pytest.raises(RefusedRowsError, match="skip the first line") as refused:
        read_table_apart(path, ReadOptions(decimal=","), "t.csv", on_progress=silent)
    assert refused.value.instead == ReadOptions(decimal=",", skip_lines=1)
    assert refused.value.beginning.startswith("Ward 3\nage;ward;class\n")


def test_what_is_wrong_is_said(path):
    path.write_text("a,b\n1,2\n1\n")
    with pytest.raises(InputError, match="Line 3 has 1 cell"):
        read_table_apart(path, ReadOptions(), "t.csv", on_progress=silent)


def test_whoever_stops_waiting_ends_the_process(path, children):
    class LeftError(Exception):
        pass

    seen = []

    def leave(stage: str, seconds: float) -> None:
        seen.append(children()[0])
        raise LeftError

    with pytest.raises(LeftError):
        read_table_apart(path, ReadOptions(), "t.csv", on_progress=leave)
    assert len(seen) == 1 and children() == [] and not seen[0].is_running()


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (ReadLimits(seconds=0.05), "'t.csv' was not read within 0.05 seconds"),
        (ReadLimits(memory=1 << 20), "'t.csv' takes more than 1 MB of memory"),
    ],
)
def test_limits_hold(path, children, limits, message):
    with pytest.raises(InputError, match=message):
        read_table_apart(path, ReadOptions(), "t.csv", on_progress=silent, limits=limits)
    assert children() == []


def test_progress_is_told(path):
    heard = []
    read_table_apart(path, ReadOptions(), "t.csv", on_progress=lambda *said: heard.append(said))
    assert heard and heard[0][1] <= heard[-1][1]
