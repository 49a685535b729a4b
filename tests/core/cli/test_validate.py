"""``validate``, and models that come from stored and exported runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from odt_core import __version__
from odt_core.cli import main
from odt_core.data import SAMPLES, ReadOptions
from odt_core.jobs.job import new_run
from odt_core.storage import LOCAL_OWNER, Ending, KeyMetrics, RunStatus, Store
from odt_core.studies import ValidationSpec
from odt_core.training import TrainSpec
from odt_core.worker.messages import JobKind, JobSpec
from tests.core.cli.refusals import refusal
from tests.core.jobs.stored import keep, trained_model, triage_job


@pytest.fixture(scope="module")
def model(triage: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("validate") / "model.json"
    sample = SAMPLES["triage"]
    status = main(
        ["train", str(triage), "--target", sample.target, "--positive", sample.positive,
         "--topology", "depth-1", "--engine", "search", "--output", str(path)]
    )  # fmt: skip
    assert status == 0
    return path


def test_it_prints_the_counts_of_the_rows_that_did_not_train(
    model: Path, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(model), str(triage), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    facts = json.loads(model.read_text())["facts"]["result"]
    counts = {name: found["validation"][name] for name in ("tp", "fp", "tn", "fn")}
    assert counts == facts["test"] == found["test"] and found["train"] == facts["train"]
    assert found["groups"] is None and found["software"] == __version__
    rate = found["validation"]["rates"]["sensitivity"]
    assert rate["x"] == counts["tp"] and rate["n"] == counts["tp"] + counts["fn"]


def test_the_report_takes_what_it_printed(
    model: Path, triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(model), str(triage), "--json"]) == 0
    printed = tmp_path / "validation.json"
    printed.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["report", str(model), "--validation", str(printed)]) == 0
    assert "validation rows" in capsys.readouterr().out
    wrong = refusal(["report", str(model), "--validation", str(triage)], capsys)
    assert "give the output of 'validate --json'" in wrong


def test_the_report_has_groups_and_frontier_where_it_has_the_file(
    model: Path, triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(model)]) == 0
    without = capsys.readouterr().out
    assert "Rates of the test rows by" not in without and "ROC plane" not in without
    column = SAMPLES["triage"].load().columns[2]
    assert main(["report", str(model), "--data", str(triage), "--by", column]) == 0
    found = capsys.readouterr().out
    assert f"Rates of the test rows by {column}" in found and "ROC plane: the frontier" in found
    other = tmp_path / "other.csv"
    other.write_bytes(triage.read_bytes() + b"\n")
    said = refusal(["report", str(model), "--data", str(other)], capsys)
    assert "is not the file that the model was trained on" in said
    assert "give --data too" in refusal(["report", str(model), "--by", column], capsys)


def test_the_report_finds_this_computers_runs(
    model: Path, triage: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store()
    spec = triage_job(store)
    stored = trained_model(store, spec)
    keep(store, replace(spec, kind=JobKind.VALIDATE, part=ValidationSpec(stored)))
    found = store.runs.list(LOCAL_OWNER).runs
    store.close()
    run = next(each for each in found if each.kind == JobKind.TRAIN)
    assert main(["report", run.id]) == 0
    said = capsys.readouterr().out
    assert "Rows of triage.csv" in said and "validation rows" in said
    assert "Rates of the test rows by" in said and "ROC plane: the frontier" in said


def test_groups_add_up(model: Path, triage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    column = SAMPLES["triage"].load().columns[0]
    assert main(["validate", str(model), str(triage), "--by", column, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for name in ("tp", "fp", "tn", "fn"):
        assert sum(group[name] for group in found["groups"]) == found["validation"][name]
    assert main(["validate", str(model), str(triage), "--by", column]) == 0
    said = capsys.readouterr().out
    assert "trained the tree" in said and "O:E" in said and column in said


def test_what_cannot_be_used_is_reported_in_one_line(
    model: Path,
    triage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ODT_DATA_DIR", str(tmp_path))
    assert "no column 'nowhere'" in refusal(
        ["validate", str(model), str(triage), "--by", "nowhere"], capsys
    )
    assert "There is no such run" in refusal(["validate", "0" * 32, str(triage)], capsys)


def test_the_tree_may_be_that_of_a_stored_or_exported_run(
    model: Path,
    triage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ODT_DATA_DIR", str(tmp_path / "data"))
    record = json.loads(model.read_text())
    store = Store()
    sha256 = store.datasets.put(LOCAL_OWNER, triage.read_bytes(), "triage.csv").sha256
    spec = JobSpec(
        sha256, "triage.csv", ReadOptions(), TrainSpec.from_json(record["facts"]["settings"])
    )
    run = store.runs.create(LOCAL_OWNER, new_run(spec))
    server = store.queue.register()
    assert store.queue.claim(server) is not None
    result = record["facts"]["result"]
    ending = Ending(RunStatus.DONE, result, record, KeyMetrics())
    store.queue.end(server, run.id, ending)
    exported = tmp_path / "triage.run.json"
    exported.write_text(store.exchange.export_run(LOCAL_OWNER, run.id))
    store.close()
    answers = []
    for given in (str(model), str(exported), run.id):
        assert main(["validate", given, str(triage), "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1] == answers[2]


def test_a_saved_copy_of_the_training_file_is_no_silent_validation(
    model: Path, triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *lines = triage.read_text(encoding="utf-8").splitlines()
    copy = tmp_path / "copy.csv"
    copy.write_text("\n".join([head, *reversed(lines)]), encoding="utf-8")
    assert main(["validate", str(model), str(copy)]) == 0
    said = capsys.readouterr().out
    assert "they are probably the same rows" in said and "No clear difference" not in said
    assert "not compared with the training rows one by one" in said
    printed = tmp_path / "validation.json"
    assert main(["validate", str(model), str(copy), "--json"]) == 0
    printed.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["report", str(model), "--validation", str(printed)]) == 0
    report = capsys.readouterr().out
    assert "they are probably the same rows" in report
    assert "not compared with the training rows one by one" in report
    assert main(["validate", str(model), str(triage)]) == 0
    own = capsys.readouterr().out
    assert "same rows" not in own and "one by one" not in own


def test_a_file_with_a_header_only_is_refused_in_one_line(
    model: Path, triage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text(triage.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    said = refusal(["validate", str(model), str(empty)], capsys)
    assert "no rows below the header" in said
