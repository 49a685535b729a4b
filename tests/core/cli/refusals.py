"""The messages of the command line about errors."""

from __future__ import annotations

import pytest

from odt_core.cli import main


def refusal(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that says what is wrong with a command, which ends with status 2."""
    try:
        status = main(words)
    except SystemExit as end:  # what the parser itself refuses
        status = int(str(end.code))
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("odt_core")]
    assert status == 2 and len(lines) == 1
    return lines[0]
