"""Runs in a store whose results were made in this process, by what a worker runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from odt_core.data import SAMPLES, ReadOptions, SplitSpec, read_table
from odt_core.export import Model
from odt_core.jobs import JobSpec
from odt_core.jobs.job import new_run
from odt_core.solution import Engine
from odt_core.storage import LOCAL_OWNER, Ending, KeyMetrics, RunStatus, Store
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from odt_core.worker.kinds import RunAnswer, run_job

SAMPLE = "triage"


def triage_job(store: Store, topology: str = "depth-1") -> JobSpec:
    """A training run on three quarters of the triage sample, with a test set."""
    sample = SAMPLES[SAMPLE]
    sha256 = store.datasets.put(LOCAL_OWNER, sample.csv(), "triage.csv").sha256
    train = TrainSpec(
        schema=sample.schema(),
        split=SplitSpec.parse("75%"),
        topology=Topology.parse(topology),
        engine=Engine.SEARCH,
    )
    return JobSpec(sha256, "triage.csv", ReadOptions(), train)


def other_goal(spec: JobSpec, **changes: object) -> JobSpec:
    """The job with other settings of its training run."""
    return dataclasses.replace(spec, train=dataclasses.replace(spec.train, **changes))  # type: ignore[arg-type]


def run_here(store: Store, spec: JobSpec) -> RunAnswer:
    """The result and model that a worker would return."""
    content = store.datasets.read(LOCAL_OWNER, spec.dataset)
    return run_job(read_table(content, spec.read, name=spec.table_name), spec)


def keep(store: Store, *specs: JobSpec, is_study: bool = False) -> list[RunAnswer]:
    """Run jobs here, and enter them as finished: one by one, or as a study."""
    server = store.queue.register()
    members: Sequence[JobSpec] = specs
    runs = [new_run(spec) for spec in members]
    if is_study:
        store.studies.create(LOCAL_OWNER, new_run(specs[0]), runs)
    else:
        store.runs.create_many(LOCAL_OWNER, runs)
    answers = []
    while (claimed := store.queue.claim(server)) is not None:
        answer = run_here(store, JobSpec.from_json(claimed.spec))
        ending = Ending(RunStatus.DONE, answer.result, answer.model, KeyMetrics())
        store.queue.end(server, claimed.id, ending)
        answers.append(answer)
    return answers


def trained_model(store: Store, spec: JobSpec) -> Model:
    """The model of a training run that is stored as finished."""
    (answer,) = keep(store, spec)
    return Model.from_json(answer.model)
