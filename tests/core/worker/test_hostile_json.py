"""Every malformed value of a specification or a model is refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from odt_core.cli import main
from odt_core.data import SAMPLES, ReadOptions, SplitSpec, read_table
from odt_core.errors import InputError
from odt_core.export import ExportFormat, Model, export_model
from odt_core.problem import Goal, Objective
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training
from odt_core.worker.messages import JobSpec
from tests.core.worker.hostile_json import GONE, WRONG, changed, paths


def read_model(record: Any, original: Any) -> None:
    """Read a model, and write it as code, which does not depend on its facts."""
    model = Model.from_json(record)
    if record["facts"] is original["facts"]:
        export_model(model, ExportFormat.PYTHON)


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    sample = SAMPLES["monks-1"]
    objective = Objective(Goal.MAX_TPR, min_tnr=Fraction(9, 10))
    spec = TrainSpec(
        sample.schema(),
        SplitSpec(Fraction(4, 5)),
        Topology.parse("depth-2"),
        engine=Engine.SEARCH,
        max_card=2,
        objective=objective,
    )
    result = run_training(read_table(sample.csv(), name="monks-1.csv"), spec)
    assert result.model is not None
    job = JobSpec("a" * 64, "monks-1.csv", ReadOptions(), spec)
    return {"job": job.to_json(), "model": result.model.to_json()}


def read_job(record: Any, original: Any) -> None:
    """Read a specification; pages keep tables by the options with which they were read."""
    hash(JobSpec.from_json(record).read)


@pytest.mark.parametrize(("name", "read"), [("job", read_job), ("model", read_model)])
def test_a_wrong_value_is_refused_in_words_or_harmless(
    records: dict[str, Any], name: str, read: Callable[[Any, Any], object]
) -> None:
    record, refused = records[name], 0
    for path in paths(record):
        for wrong in (*WRONG, GONE):
            try:
                read(changed(record, path, wrong), record)
            except InputError as error:
                assert str(error).endswith(".")
                refused += 1
    assert refused > 1000


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "{", "", "\x00", "[1e999]"])
def test_a_model_that_is_no_sound_json_is_refused_by_the_commands(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, table = tmp_path / "model.json", tmp_path / "table.csv"
    model.write_text(text)
    table.write_text("a,b\n1,2\n")
    assert main(["predict", str(model), str(table)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "model" in said


def test_a_run_file_of_a_hundred_thousand_levels_is_refused(records: dict[str, Any]) -> None:
    from odt_core.storage.runfile import read_run_file

    deep = json.dumps(records["model"]).replace('"facts": {', '"facts": {"x": ' + "[" * 100_000)
    with pytest.raises(InputError):
        read_run_file(deep)
