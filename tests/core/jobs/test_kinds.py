"""Jobs of other kinds than training: frontiers, repeats of a curve, adoptions; and batches."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest

from odt_core.alternatives.question import QuestionPart, Ranking, run_ranking
from odt_core.data import SAMPLES, Folding, ReadOptions, SplitSpec
from odt_core.jobs import JobKind, JobManager, JobSpec
from odt_core.solution import Assignment
from odt_core.storage import LOCAL_OWNER, RunStatus, Store
from odt_core.studies import (
    Adoption,
    ComparisonSpec,
    CurveSpec,
    FoldRun,
    RangeRun,
    StabilitySpec,
    Sweep,
    ValidationResult,
    ValidationSpec,
    floor_objective,
    run_fold,
    run_frontier,
    run_repeat,
)
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training
from odt_core.worker.kinds import RUNNERS
from tests.core.jobs.helpers import table_of
from tests.core.studies.parts import run_stability
from tests.waiting import wait_until

CURVE = CurveSpec(topologies=(Topology.parse("depth-1"),), repeats=4)


@pytest.fixture()
def triage(store: Store) -> JobSpec:
    sha256 = store.datasets.put(LOCAL_OWNER, SAMPLES["triage"].csv(), "triage.csv").sha256
    train = TrainSpec(
        schema=SAMPLES["triage"].schema(),
        split=SplitSpec.parse("200"),
        topology=Topology.parse("depth-1"),
        max_card=1,
    )
    return JobSpec(sha256, "triage.csv", ReadOptions(), train)


def repeats(spec: JobSpec, curve: CurveSpec = CURVE) -> list[JobSpec]:
    return [
        dataclasses.replace(spec, kind=JobKind.CURVE, part=curve.repeat(number))
        for number in range(curve.repeats)
    ]


def test_every_kind_can_be_run() -> None:
    assert set(RUNNERS) == set(JobKind)


def test_specifications_survive_json(triage: JobSpec) -> None:
    frontier = dataclasses.replace(triage, kind=JobKind.FRONTIER)
    on_tnr = repeats(triage, dataclasses.replace(CURVE, sweep=Sweep.TNR))
    for spec in (triage, frontier, *repeats(triage), *on_tnr):
        assert JobSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    old = {k: v for k, v in triage.to_json().items() if k not in ("kind", "part")}
    assert JobSpec.from_json(old) == triage


def test_a_frontier_comes_and_a_point_of_it_is_adopted(
    manager: JobManager, store: Store, triage: JobSpec
) -> None:
    job = manager.submit(dataclasses.replace(triage, kind=JobKind.FRONTIER))
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    table = table_of(store, triage)
    here = run_frontier(table, triage.train).to_json()
    assert job.result is not None and job.result["points"] == here["points"]

    point = job.result["points"][1]
    objective = floor_objective(Fraction(point["train"]["tp"], job.result["n_positive"]))
    adoption = Adoption(Assignment.from_json(point["assignment"]), point["proved"], 0.1)
    adopted = manager.submit(
        dataclasses.replace(
            triage,
            kind=JobKind.ADOPT,
            train=dataclasses.replace(triage.train, objective=objective),
            part=adoption,
        )
    )
    wait_until(lambda: adopted.is_over)
    assert adopted.status is RunStatus.DONE, adopted.message
    assert adopted.result is not None and adopted.result["tree"] == point["tree"]
    assert adopted.result["status"] == "optimal" and adopted.model is not None


def test_the_folds_of_a_comparison_are_a_study(
    manager: JobManager, store: Store, triage: JobSpec
) -> None:
    plan = ComparisonSpec.grid((Topology.parse("depth-1"),), (1,), folding=Folding(3))
    specs = [
        dataclasses.replace(triage, kind=JobKind.COMPARE, part=part) for part in plan.fold_parts()
    ]
    for spec in specs:
        assert JobSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert specs[0].time_limit == 4 * triage.train.time_limit, "one tree and three baselines"
    batch = manager.submit_study(specs)
    wait_until(lambda: batch.is_over)
    assert not batch.failure
    here = run_fold(table_of(store, triage), triage.train, plan.fold_parts()[1])
    runs = [FoldRun.from_json(record) for record in batch.results[1]["runs"]]
    assert [dataclasses.replace(run, seconds=0) for run in runs] == [
        dataclasses.replace(run, seconds=0) for run in here
    ]


def test_resamples_are_a_study(manager: JobManager, store: Store, triage: JobSpec) -> None:
    parts = StabilitySpec(40).parts()
    specs = [dataclasses.replace(triage, kind=JobKind.STABILITY, part=part) for part in parts]
    for spec in specs:
        assert JobSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    limits = [spec.time_limit / triage.train.time_limit for spec in specs[:2]]
    assert limits == [3, 2], "two resamples each, and the tree of all rows"
    batch = manager.submit_study(specs)
    wait_until(lambda: batch.is_over)
    assert not batch.failure
    here = run_stability(table_of(store, triage), triage.train, StabilitySpec(40))
    assert tuple(RangeRun.from_json(result) for result in batch.results) == here


def test_columns_are_ranked_at_a_question(
    manager: JobManager, store: Store, triage: JobSpec
) -> None:
    part = QuestionPart(0, 8)
    asked = dataclasses.replace(triage, kind=JobKind.QUESTION, part=part)
    assert JobSpec.from_json(json.loads(json.dumps(asked.to_json()))) == asked
    assert asked.time_limit == 10 * triage.train.time_limit
    job = manager.submit(asked)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    here = run_ranking(table_of(store, triage), triage.train, part)
    assert job.result is not None and Ranking.from_json(job.result) == here
    assert store.runs.summary(LOCAL_OWNER, job.id).metrics.solved == "optimal"


def test_a_question_that_the_shape_lacks_is_refused(manager: JobManager, triage: JobSpec) -> None:
    asked = dataclasses.replace(triage, kind=JobKind.QUESTION, part=QuestionPart(1, 8))
    job = manager.submit(asked)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.FAILED
    assert "decision node 2" in job.message


def test_a_batch_counts_and_estimates(manager: JobManager, store: Store, triage: JobSpec) -> None:
    batch = manager.submit_study(repeats(triage))
    assert batch.seconds_left is None and not batch.is_over
    wait_until(lambda: batch.n_done >= 1)
    assert batch.is_over or (batch.seconds_left or 0) > 0
    wait_until(lambda: batch.is_over)
    assert batch.n_done == 4 and batch.seconds_left == 0 and not batch.failure
    table = table_of(store, triage)
    expected = [run.to_json() for run in run_repeat(table, triage.train, CURVE.repeat(2))]
    assert batch.results[2]["runs"] == expected


def test_a_single_job_does_not_wait_for_a_batch(manager: JobManager, triage: JobSpec) -> None:
    batch = manager.submit_study(repeats(triage, dataclasses.replace(CURVE, repeats=40)))
    wait_until(lambda: batch.n_done >= 1)
    job = manager.submit(triage)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE, job.message
    assert not batch.is_over
    manager.cancel_study(batch)
    wait_until(lambda: batch.is_over)
    assert batch.was_cancelled and 0 < len(batch.results) < 40


def test_what_is_wrong_with_a_repeat_is_reported(manager: JobManager, triage: JobSpec) -> None:
    train = dataclasses.replace(triage.train, split=SplitSpec("all"))
    batch = manager.submit_study(repeats(dataclasses.replace(triage, train=train)))
    wait_until(lambda: batch.is_over)
    assert "leaves none" in batch.failure


def test_a_frozen_tree_is_validated_on_another_data_set(
    manager: JobManager, triage: JobSpec, store: Store
) -> None:
    table = table_of(store, triage)
    model = run_training(table, triage.train).model
    assert model is not None
    lines = SAMPLES["triage"].csv().splitlines(keepends=True)
    content = b"".join(lines[:101])
    other = store.datasets.put(LOCAL_OWNER, content, "other.csv").sha256
    part = ValidationSpec(model, run="training")
    spec = dataclasses.replace(
        triage, dataset=other, table_name="other.csv", kind=JobKind.VALIDATE, part=part
    )
    job = manager.submit(spec)
    wait_until(lambda: job.is_over)
    assert job.status is RunStatus.DONE and job.result is not None, job.message
    result = ValidationResult.from_json(json.loads(json.dumps(job.result)))
    assert result.data.sha256 == other and result.trained_on.sha256 == triage.dataset
    assert (result.flow.read, result.flow.used) == (100, 100)
    kept = store.runs.get(LOCAL_OWNER, job.id)
    assert kept.summary.kind == "validate" and JobSpec.from_json(kept.spec).to_json() == kept.spec
