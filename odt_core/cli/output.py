"""The output of answers: files, standard output, and JSON objects."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odt_core.errors import InputError, quoted
from odt_core.export import signed_record

if TYPE_CHECKING:
    from odt_core.jobs import JobKind


PROGRESS_EVERY = 1.0
STUDY = "study"
"""The field that holds the kind of a printed study, so that a sheet can read the study."""


class Pace:
    """Limits progress to one line a second."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether a second is over since it was last due."""
        now = time.monotonic()
        if now - self._last < PROGRESS_EVERY:
            return False
        self._last = now
        return True


def print_json(record: Mapping[str, Any], *, study: JobKind | None = None) -> None:
    """Print the JSON object of a command, with the version of the program.

    Parameters
    ----------
    record : mapping
        The answer.
    study : JobKind, optional
        The kind of study.
    """
    marks = {} if study is None else {STUDY: study.value}
    print(json.dumps(signed_record({**record, **marks}), ensure_ascii=False, allow_nan=False))


def print_study(
    options: argparse.Namespace,
    study: JobKind,
    record: Mapping[str, Any],
    text: Callable[[], str],
    csv: Callable[[], bytes],
    *,
    option: str = "--output",
) -> None:
    """Print a study as a text or, with ``--json``, as one JSON object. Then write its CSV file.

    So a file that cannot be written does not lose the answer. `option` names the file.
    """
    if options.json:
        print_json(record, study=study)
    else:
        print(text())
    if options.output is not None:
        write_output(options.output, csv(), option=option)


def write_output(target: str | None, content: bytes, *, option: str = "--output") -> None:
    """Write `content` to a file, or to standard output without a name.

    Parameters
    ----------
    target : str, optional
        The file.
    content : bytes
        The content.
    option : str
        The option that named the file, for messages.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    if target is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        if not content.endswith(b"\n"):
            sys.stdout.buffer.write(b"\n")
        sys.stdout.flush()
        return
    try:
        Path(target).write_bytes(content)
    except OSError as error:
        raise InputError(
            f"{option}: the file {quoted(target)} cannot be written ({error.strerror}): choose "
            "another."
        ) from error
