"""Every command of docs/howto.md runs, in order, and writes the files that it names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.data import SAMPLES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "howto.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ odt (.+)$", PAGE, re.MULTILINE)
OUTCOME = "diagnosis"


def write_patients(folder: Path) -> None:
    """Patients of another hospital with two sites, and new ones without an outcome."""
    frame = SAMPLES["breast-cancer"].load().frame.iloc[:200]
    frame.assign(site=["north", "south"] * 100).to_csv(folder / "other-hospital.csv", index=False)
    frame.drop(columns=OUTCOME).to_csv(folder / "new-patients.csv", index=False)


def test_every_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_patients(tmp_path)
    assert len(COMMANDS) >= 9
    for command in COMMANDS:
        words = shlex.split(command)
        target = None
        if ">" in words:
            words, target = words[: words.index(">")], words[-1]
        status = main(words)
        said = capsys.readouterr()
        assert status == 0, f"{command}: {said.err}"
        if target is not None:
            Path(target).write_text(said.out, encoding="utf-8")
        written = [words[words.index("--output") + 1]] if "--output" in words else []
        for name in (*written, *([target] if target else [])):
            assert Path(name).stat().st_size > 100, command
    report = Path("report.html").read_text(encoding="utf-8")
    for part in ("Rows of other-hospital.csv", "Rates of the test rows by worst_area", "A. Name"):
        assert part in report
    full = Path("full-report.html").read_text(encoding="utf-8")
    for part in ("Rows of other-hospital.csv", "<h2>Compared with other trees", "<h2>Stability"):
        assert part in full
