"""A path by number of questions, and what its cross-validation says."""

from __future__ import annotations

import math
import statistics

import pytest

from odt_core.data import SAMPLES, Fold, Folding, ReadOptions, SplitSpec, Table
from odt_core.jobs.job import kept_result
from odt_core.solution import Status
from odt_core.studies import PathPart, PathSpec, PathView, run_path
from odt_core.topology import Topology
from odt_core.training import BestSoFar, Hooks, TrainSpec
from odt_core.worker.messages import JobKind, JobSpec


@pytest.fixture(scope="module")
def table() -> Table:
    return SAMPLES["triage"].load()


@pytest.fixture(scope="module")
def spec() -> TrainSpec:
    split = SplitSpec.parse("150", seed=3)
    return TrainSpec(SAMPLES["triage"].schema(), split, Topology.parse("depth-1"))


def test_the_parts_are_the_whole_and_the_folds_and_survive_as_json(spec: TrainSpec) -> None:
    parts = PathSpec(3, Folding(2, 2)).parts()
    assert [part.fold for part in parts] == [None, *Folding(2, 2)]
    for part in parts:
        assert PathPart.from_json(part.to_json()) == part
    assert PathSpec(3).parts() == (PathPart(3, None),)


def test_folds_leave_out_rows_that_no_tree_of_theirs_has_seen(
    table: Table, spec: TrainSpec
) -> None:
    parts = PathSpec(2, Folding(3)).parts()
    whole, *folds = (run_path(table, spec, part).to_json() for part in parts)
    assert whole["n_train"] == 150
    assert [fold["n_train"] for fold in folds] == [100] * 3
    view = PathView.of([whole, *folds])
    assert view.n_folds == 3 and [each.rows for each in view.unseen] == [150] * 3
    shares = [(p["test"]["fp"] + p["test"]["fn"]) / 50 for p in (f["points"][2] for f in folds)]
    assert view.unseen[2].share == pytest.approx(statistics.mean(shares))
    error = statistics.stdev(shares) / math.sqrt(3)
    assert view.unseen[2].standard_error == pytest.approx(error)
    assert view.elbow is not None and view.best is not None and view.elbow <= view.best
    stopped = folds[0] | {"status": "cancelled"}
    rest = PathView.of([whole, stopped, *folds[1:]])
    assert rest.n_folds == 2 and [each.rows for each in rest.unseen] == [100] * 3


def test_bins_come_from_the_folds_own_training_rows(table: Table, spec: TrainSpec) -> None:
    whole = run_path(table, spec, PathPart(1))
    fold = run_path(table, spec, PathPart(1, Fold(0, 0, 3)))
    cuts = [[f.cuts for f in each.prepared.train.features] for each in (whole, fold)]
    assert cuts[0] != cuts[1]


def test_what_is_known_so_far_is_reported_and_is_a_result(table: Table, spec: TrainSpec) -> None:
    told: list[BestSoFar] = []
    result = run_path(table, spec, PathPart(2), Hooks(on_best=told.append))
    assert result.status is Status.OPTIMAL and result.words.startswith("Proved")
    first = told[0].result().to_json()
    assert len(first["points"]) == 3 and told[0].result().model is None
    kept, model = kept_result({**first, "model": None})
    assert model is None and len(kept["points"]) == 3


def test_stopped_at_once_it_says_what_is_not_proved(table: Table, spec: TrainSpec) -> None:
    result = run_path(table, spec, PathPart(3), Hooks(should_stop=lambda: True))
    assert result.status is Status.CANCELLED and "of 4 numbers of questions" in result.words
    point = PathView.of([result.to_json()]).points[3]
    assert point.status is Status.CANCELLED and "at most" in point.words


def test_a_job_of_it_survives_as_json(spec: TrainSpec) -> None:
    job = JobSpec("0" * 64, "t.csv", ReadOptions(), spec, JobKind.PATH, PathPart(5))
    assert JobSpec.from_json(job.to_json()) == job
