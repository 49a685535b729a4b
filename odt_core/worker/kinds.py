"""What a worker can do: one function for each kind of job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from odt_core.alternatives import run_alternatives
from odt_core.alternatives.question import run_ranking
from odt_core.data import Table
from odt_core.studies import (
    run_adoption,
    run_fold,
    run_frontier,
    run_path,
    run_range,
    run_repeat,
    run_validation,
)
from odt_core.training import SILENT, Hooks, TrainResult, run_training
from odt_core.verification import run_verification
from odt_core.worker.messages import JobKind, JobSpec

RUNNERS: dict[JobKind, Callable[..., Any]] = {
    JobKind.TRAIN: run_training,
    JobKind.FRONTIER: run_frontier,
    JobKind.CURVE: run_repeat,
    JobKind.COMPARE: run_fold,
    JobKind.STABILITY: run_range,
    JobKind.ADOPT: run_adoption,
    JobKind.PATH: run_path,
    JobKind.ALTERNATIVES: run_alternatives,
    JobKind.VERIFY: run_verification,
    JobKind.VALIDATE: lambda table, train, part, hooks: run_validation(table, part, hooks),
    JobKind.QUESTION: run_ranking,
}
"""For each kind a function of the table, the training run's settings, the kind's own settings if it
has any, and the hooks."""


@dataclass(frozen=True)
class RunAnswer:
    """The JSON of a job's result, and of its model if it has one."""

    result: dict[str, Any]
    model: dict[str, Any] | None = None


def run_job(table: Table, spec: JobSpec, hooks: Hooks = SILENT) -> RunAnswer:
    """Run a job and return its answer."""
    own = () if spec.part is None else (spec.part,)
    found = RUNNERS[spec.kind](table, spec.train, *own, hooks)
    if isinstance(found, tuple):
        return RunAnswer({"runs": [run.to_json() for run in found]})
    model = found.model if isinstance(found, TrainResult) else None
    return RunAnswer(found.to_json(), None if model is None else model.to_json())
