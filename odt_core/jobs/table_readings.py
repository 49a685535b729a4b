"""Readings of large tables in other processes. Callers who want the same table share one."""

from __future__ import annotations

import dataclasses
import gc
import json
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from odt_core.data import ReadOptions, RefusedRowsError, Table
from odt_core.errors import InputError, quoted
from odt_core.processes import (
    ending_words,
    machine_memory,
    memory_with_all,
    with_temporary_folder,
)
from odt_core.worker.lines import to_line

LOOK_EVERY = 0.1
"""Seconds between two checks of the process."""

MOST_SECONDS = 120.0
"""The time limit of a reading."""

PATIENCE = 10.0
"""Seconds for which a reading goes on when nobody waits, so that a browser can change its page."""

Progress = Callable[[str, float], None]
"""A function that gets the current step and the seconds so far."""


def read_table_in_process(
    source: bytes | Path, options: ReadOptions, name: str, *, on_progress: Progress
) -> Table:
    """Read a table in another process, which ends before this call does.

    Parameters
    ----------
    source : bytes or Path
        The file's bytes, or its path.
    options : ReadOptions
        How to read the file.
    name : str
        The file's name for messages.
    on_progress : callable
        Called ten times a second. If it raises an exception, the reading ends.

    Raises
    ------
    RefusedRowsError
        If rows have too few or too many cells.
    InputError
        If the file is not a usable table, or takes too much time or memory.
    """
    memory = machine_memory() // 3
    too_large = (
        f"The file {quoted(name)} takes more than {memory >> 20:,} MB of memory to read: leave out "
        "columns or rows first."
    )
    with tempfile.TemporaryDirectory(prefix="odt-table-") as folder:
        place = Path(folder) / "table"
        if isinstance(source, bytes):
            content, source = source, Path(folder) / "file"
            source.write_bytes(content)
        order: dict[str, object] = {
            "path": str(source),
            "read": dataclasses.asdict(options),
            "name": name,
            "to": str(place),
            "too_large": too_large,
        }
        reader = _Reader(order, options, Path(folder))
        _wait(reader, on_progress, name, memory, too_large)
        if reader.error is not None:
            raise reader.error
        if not place.exists():
            raise InputError(
                f"The file {quoted(name)} could not be read: the process that read it ended "
                f"({reader.status}). Save it as CSV, or leave out columns or rows."
            )
        return _load(place)


def _wait(reader: _Reader, on_progress: Progress, name: str, memory: int, too_large: str) -> None:
    """Wait until the process has read the file, or end it at a limit."""
    try:
        while not reader.wait(LOOK_EVERY):
            on_progress(reader.stage, reader.seconds)
            if reader.seconds > MOST_SECONDS:
                raise InputError(
                    f"The file {quoted(name)} was not read within {MOST_SECONDS:g} seconds: "
                    "leave out columns or rows, or give each row as many cells as the header."
                )
            if memory_with_all(reader.pid) > memory:
                raise InputError(too_large)
    finally:
        reader.end()


def _load(place: Path) -> Table:
    """Load the table that our own process wrote into our own folder.

    With many columns, Python's garbage collector would take twice as long as everything else.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        with open(place, "rb") as file:
            table: Table = pickle.load(file)
    finally:
        if was_on:
            gc.enable()
    return table


class _LeftError(Exception):
    """Nobody waits for the reading any more."""


@dataclass(eq=False)
class _OpenReading:
    """The reading of a table, and the number of callers who wait for it."""

    result: Future[Table] = field(default_factory=Future)
    stage: str = ""
    seconds: float = 0.0
    n_waiting: int = 0
    left_at: float = 0.0
    is_ending: bool = False


class TableReadings:
    """Readings that are under way. Each table is read only once, even if several callers wait.

    A caller may leave and come back. A reading ends if nobody waits for it for `patience` seconds.

    Parameters
    ----------
    patience : float
        Seconds until a reading ends after the last caller has left.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._readings: dict[Hashable, _OpenReading] = {}

    def table(
        self, key: Hashable, read: Callable[[Progress], Table], on_progress: Progress
    ) -> Table:
        """Wait for a table. Its reading starts unless it is already under way.

        Parameters
        ----------
        key : hashable
            Identifies the table.
        read : callable
            Reads the table, as `read_table_in_process` does. It is called in a thread of its own
            with the function to which it reports its progress.
        on_progress : callable
            Called ten times a second. If it raises an exception, only the waiting ends.

        Raises
        ------
        InputError
            If the table cannot be read. Other exceptions of `read` are raised too.
        """
        with self._lock:
            reading = self._readings.get(key)
            if reading is None or reading.is_ending:
                reading = self._readings[key] = _OpenReading()
                arguments = (key, reading, read)
                threading.Thread(target=self._read, args=arguments, daemon=True).start()
            reading.n_waiting += 1
        try:
            while not wait([reading.result], LOOK_EVERY).done:
                on_progress(reading.stage, reading.seconds)
        finally:
            with self._lock:
                reading.n_waiting -= 1
                reading.left_at = time.monotonic()
        return reading.result.result()

    def stop(self, key: Hashable) -> None:
        """End the reading of a table now, unless somebody waits for it."""
        with self._lock:
            reading = self._readings.get(key)
            if reading is not None and not reading.n_waiting:
                reading.is_ending = True

    def _read(
        self, key: Hashable, reading: _OpenReading, read: Callable[[Progress], Table]
    ) -> None:
        def look(stage: str, seconds: float) -> None:
            reading.stage, reading.seconds = stage, seconds
            with self._lock:
                is_left = not reading.n_waiting
                if is_left and time.monotonic() - reading.left_at > self._patience:
                    reading.is_ending = True
                if reading.is_ending:
                    raise _LeftError

        try:
            reading.result.set_result(read(look))
        except Exception as error:  # raised again for all who wait
            reading.result.set_exception(error)
        with self._lock:
            if self._readings.get(key) is reading:
                del self._readings[key]


class _Reader:
    """The reading process and its messages."""

    def __init__(self, order: dict[str, object], options: ReadOptions, folder: Path) -> None:
        self._options = options
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "odt_core.worker.table_reader"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
            env=with_temporary_folder(folder),
        )
        self.pid = self._process.pid
        self.stage = ""
        self.error: InputError | None = None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(to_line(order))
            self._process.stdin.close()
        except BrokenPipeError:  # it ended at once: its status says why
            self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            self.stage = message.get("stage", self.stage)
            if "beginning" in message:
                read = message["instead"]
                instead = None if read is None else ReadOptions(**read)
                self.error = RefusedRowsError(
                    message["error"], self._options, instead, message["beginning"]
                )
            elif "error" in message:
                self.error = InputError(message["error"])

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def status(self) -> str:
        return ending_words(self._process.returncode)

    def wait(self, seconds: float) -> bool:
        """Wait for at most this many seconds; return whether the process has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
