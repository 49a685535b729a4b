"""Training by the command line, as its tests ask for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from odt_core.cli import main


def train_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    """Run ``train --json``; the one object on standard output."""
    status = main(["train", *map(str, arguments), "--json"])
    output = capsys.readouterr().out
    assert status == 0
    assert output.count("\n") == 1
    return json.loads(output)


def monks_arguments(monks: Path) -> list[str | Path]:
    """All rows of monks-1, no test set, by CBC."""
    return [
        monks,
        "--target",
        "class",
        "--positive",
        "monk",
        "--train-size",
        "all",
        "--engine",
        "cbc",
    ]
