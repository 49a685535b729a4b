"""Runs from files: what other pages could not show is refused, in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from odt_core.alternatives.question import QuestionPart, run_ranking
from odt_core.data import Folding, ReadOptions, read_table
from odt_core.errors import InputError
from odt_core.jobs import JobKind
from odt_core.jobs.job import new_run
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER, Store
from odt_core.studies import ComparisonSpec, PathSpec, run_fold, run_path
from odt_core.topology import Topology
from pages.runs.run_file import check_run_file
from tests.runs import Maker

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    return Maker(Store(folder=tmp_path_factory.mktemp("importing")))


@pytest.fixture(scope="module")
def exported(maker: Maker) -> str:
    run = maker.done(name="Out")
    return maker.store.exchange.export_run(LOCAL_OWNER, run.id, with_data=True)


def take_in(maker: Maker, record: dict[str, Any]) -> str:
    store = maker.store
    return store.exchange.import_run("other", json.dumps(record), check_run_file).id


def test_what_goes_out_comes_in_and_can_be_run_again(maker: Maker, exported: str) -> None:
    run_id = take_in(maker, json.loads(exported))
    again = maker.store.runs.rerun("other", run_id)
    first, repeated = (maker.store.runs.get("other", i) for i in (run_id, again.id))
    assert first.spec == repeated.spec and first.result is not None


@pytest.fixture(scope="module")
def compared(maker: Maker) -> str:
    """A comparison's file, its first fold done."""
    plan = ComparisonSpec.grid((Topology.parse("depth-1"),), folding=Folding(2))
    spec = replace(maker.spec(), kind=JobKind.COMPARE)
    members = [replace(spec, part=part) for part in plan.fold_parts()]
    study = maker.store.studies.create(
        LOCAL_OWNER, new_run(members[0]), [new_run(member) for member in members]
    )
    text = maker.store.exchange.export_run(LOCAL_OWNER, study.id, with_data=True)
    found: dict[str, Any] = json.loads(text)
    table = read_table(maker.content, ReadOptions(), name=maker.name)
    runs = run_fold(table, spec.train, plan.fold_parts()[0])
    found["members"][0]["result"] = {"runs": [run.to_json() for run in runs]}
    return json.dumps(found)


def test_a_comparison_goes_out_and_comes_in(maker: Maker, compared: str) -> None:
    file = json.loads(compared)
    study = take_in(maker, file)
    first, second = maker.store.studies.members("other", study)
    assert first.result == file["members"][0]["result"] and second.result is None


@pytest.mark.parametrize(
    "change",
    [
        lambda first: first["result"]["runs"][0]["candidate"].update(topology="depth-9"),
        lambda first: first["result"]["runs"][0].update(fold={"repeat": 0}),
        lambda first: first["result"]["runs"][0].update(leaves=-1),
        lambda first: first["result"]["runs"][0]["test"].update(tp=0.5),
        lambda first: first["spec"]["part"]["fold"].update(part=7),
        lambda first: first["spec"]["part"].update(candidates=[{"baseline": "forest"}]),
        lambda first: first.update(kind="curve"),
    ],
)
def test_a_comparison_that_cannot_be_shown_is_refused(
    maker: Maker, compared: str, change: Change
) -> None:
    file = json.loads(compared)
    change(file["members"][0])
    with pytest.raises(InputError) as refused:
        take_in(maker, file)
    assert str(refused.value).count("\n") == 0


@pytest.fixture(scope="module")
def found_path(maker: Maker) -> str:
    """A path's file, the one on all training rows done."""
    plan = PathSpec(2, Folding(2))
    spec = replace(maker.spec(engine=Engine.SEARCH), kind=JobKind.PATH)
    members = [replace(spec, part=part) for part in plan.parts()]
    study = maker.store.studies.create(
        LOCAL_OWNER, new_run(members[0]), [new_run(member) for member in members]
    )
    text = maker.store.exchange.export_run(LOCAL_OWNER, study.id, with_data=True)
    found: dict[str, Any] = json.loads(text)
    table = read_table(maker.content, ReadOptions(), name=maker.name)
    found["members"][0]["result"] = run_path(table, spec.train, plan.parts()[0]).to_json()
    return json.dumps(found)


def test_a_path_goes_out_and_comes_in(maker: Maker, found_path: str) -> None:
    file = json.loads(found_path)
    study = take_in(maker, file)
    whole, *folds = maker.store.studies.members("other", study)
    assert whole.result == file["members"][0]["result"]
    assert [fold.result for fold in folds] == [None, None]


@pytest.mark.parametrize(
    "change",
    [
        lambda first: first["result"]["points"].pop(),
        lambda first: first["result"]["points"][1].update(questions=7),
        lambda first: first["result"]["points"][1].update(status="perfect"),
        lambda first: first["result"]["points"][2].update(tree={"nodes": "no"}),
        lambda first: first["result"]["points"][2]["train"].update(tp=-1),
        lambda first: first["spec"]["part"].update(most_questions=1),
        lambda first: first["spec"]["part"].update(most_questions=99),
    ],
)
def test_a_path_that_cannot_be_shown_is_refused(
    maker: Maker, found_path: str, change: Change
) -> None:
    file = json.loads(found_path)
    change(file["members"][0])
    with pytest.raises(InputError) as refused:
        take_in(maker, file)
    assert str(refused.value).count("\n") == 0


@pytest.fixture(scope="module")
def ranked(maker: Maker) -> str:
    """The file of columns that were ranked at a question."""
    spec = maker.spec(engine=Engine.SEARCH)
    part = QuestionPart(0, 3)
    run = maker.store.runs.create(
        LOCAL_OWNER, new_run(replace(spec, kind=JobKind.QUESTION, part=part))
    )
    text = maker.store.exchange.export_run(LOCAL_OWNER, run.id, with_data=True)
    found: dict[str, Any] = json.loads(text)
    table = read_table(maker.content, ReadOptions(), name=maker.name)
    found["run"]["result"] = run_ranking(table, spec.train, part).to_json()
    return json.dumps(found)


def test_ranked_columns_go_out_and_come_in(maker: Maker, ranked: str) -> None:
    file = json.loads(ranked)
    run_id = take_in(maker, file)
    assert maker.store.runs.get("other", run_id).result == file["run"]["result"]


@pytest.mark.parametrize(
    "change",
    [
        lambda run: run["result"]["loss"].update(unit=0),
        lambda run: run["result"]["columns"][0].update(status="perfect"),
        lambda run: run["result"]["columns"][0].update(total="many"),
        lambda run: run["result"].pop("without"),
        lambda run: run["spec"]["part"].update(node=-1),
        lambda run: run["spec"]["part"].update(n_columns=1.5),
    ],
)
def test_ranked_columns_that_cannot_be_shown_are_refused(
    maker: Maker, ranked: str, change: Change
) -> None:
    file = json.loads(ranked)
    change(file["run"])
    with pytest.raises(InputError) as refused:
        take_in(maker, file)
    assert str(refused.value).count("\n") == 0


def test_paths_of_one_study_have_the_same_length(maker: Maker, found_path: str) -> None:
    file = json.loads(found_path)
    file["members"][1]["spec"]["part"]["most_questions"] = 1
    with pytest.raises(InputError, match="different numbers of questions"):
        take_in(maker, file)


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
def test_what_cannot_be_shown_is_refused(maker: Maker, exported: str, change: Change) -> None:
    record = json.loads(exported)
    change(record)
    before = maker.store.runs.list("other").total
    with pytest.raises(InputError) as refused:
        take_in(maker, record)
    assert str(refused.value).count("\n") == 0
    assert maker.store.runs.list("other").total == before
