"""Runs from files: what other pages could not show is refused, in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odt_core.errors import InputError
from odt_core.storage import LOCAL_OWNER, Store
from pages.use.runs_parts.checking import check_run_file
from tests.runs import Maker

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(Store(folder=tmp_path))


def exported(maker: Maker) -> dict[str, Any]:
    run = maker.done(name="Out")
    text = maker.store.exchange.export_run(LOCAL_OWNER, run.id, with_data=True)
    found: dict[str, Any] = json.loads(text)
    return found


def take_in(maker: Maker, record: dict[str, Any]) -> str:
    store = maker.store
    return store.exchange.import_run("other", json.dumps(record), check_run_file).id


def test_what_goes_out_comes_in_and_can_be_run_again(maker: Maker) -> None:
    run_id = take_in(maker, exported(maker))
    again = maker.store.runs.rerun("other", run_id)
    first, repeated = (maker.store.runs.get("other", i) for i in (run_id, again.id))
    assert first.spec == repeated.spec and first.result is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file["run"]["spec"].pop("train"),
        lambda file: file["run"]["spec"]["train"].update(version=99),
        lambda file: file["run"]["spec"].update(dataset="0" * 64),
        lambda file: file["run"].update(kind="frontier"),
        lambda file: file["run"]["result"].update(tree={"nodes": "no"}),
        lambda file: file["run"]["result"].pop("errors"),
        lambda file: file["run"]["result"].update(train=None),
        lambda file: file["run"]["result"]["words"].pop("proof"),
        lambda file: file["run"]["result"].update(trace=[[1]]),
        lambda file: file["run"].update(model={"format": "else"}),
        lambda file: file["run"].update(best={"tree": 7}),
        lambda file: file["run"]["metrics"].update(solved="perfect"),
        lambda file: file["run"].update(trace=[1]),
        lambda file: file["run"]["result"]["train"].update(tp=-1),
        lambda file: file["run"]["result"]["train"].update(tp=13.0),
        lambda file: file["run"]["result"]["test"].update(fn=1e9),
        lambda file: file["run"]["result"]["mip"].pop("solver"),
        lambda file: file["run"]["result"]["words"].update(proof=None),
        lambda file: file["run"]["result"].update(errors=None),
        lambda file: file["run"]["result"].update(n_train=10**12),
        lambda file: file["run"]["result"].update(trace=[[0.1, 1, 1]] * 20_001),
        lambda file: file["run"]["spec"].update(more=1),
        lambda file: file["run"]["spec"]["train"].update(more=1),
        lambda file: file["run"]["spec"]["train"]["schema"]["columns"][0].update(more="x"),
    ],
)
def test_what_cannot_be_shown_is_refused(maker: Maker, change: Change) -> None:
    record = exported(maker)
    change(record)
    with pytest.raises(InputError) as refused:
        take_in(maker, record)
    assert str(refused.value).count("\n") == 0
    assert maker.store.runs.list("other").total == 0
