"""The jobs of a study command, one after the other in this process."""

from __future__ import annotations

import argparse
import threading
from types import SimpleNamespace

import pytest

from odt_core.cli import batches
from odt_core.cli.batches import ProgressPrinter, run_jobs
from odt_core.cli.parser import make_parser
from odt_core.data import SAMPLES, Folding, SplitSpec
from odt_core.jobs import JobKind
from odt_core.studies import (
    ComparisonSpec,
    CurveRun,
    CurveSpec,
    FoldRun,
    ResampleRange,
    StabilitySpec,
)
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from odt_core.worker.kinds import RunAnswer

TABLE = SAMPLES["triage"].load()
ONE = (Topology.parse("depth-1"),)
SPEC = TrainSpec(SAMPLES["triage"].schema(), SplitSpec.parse("200", seed=7), ONE[0], max_card=1)
CURVE = CurveSpec(topologies=ONE, repeats=3)
PLAN = ComparisonSpec.grid(ONE, (1,), folding=Folding(3))


class Listener(ProgressPrinter):
    """Keeps the progress, and stops the study after a number of reports."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__("part")
        self.most, self.stop = most, threading.Event()
        self.told: list[tuple[int, int]] = []
        self.left: list[float | None] = []

    def say(self, done: int, total: int, seconds_left: float | None) -> None:
        self.told.append((done, total))
        self.left.append(seconds_left)
        if len(self.told) == self.most:
            self.stop.set()


@pytest.fixture(scope="module")
def options() -> argparse.Namespace:
    return make_parser().parse_args(["curve", "triage.csv", "--target", "y", "--jobs", "1"])


def test_a_stop_keeps_whole_parts(options: argparse.Namespace) -> None:
    heard = Listener(1)
    results = run_jobs(options, TABLE, SPEC, JobKind.CURVE, CURVE.parts(), heard.stop, heard)
    assert {run.seed for run in CurveRun.of_results(results)} == {7}
    heard = Listener(1)
    parts = PLAN.fold_parts()
    results = run_jobs(options, TABLE, SPEC, JobKind.COMPARE, parts, heard.stop, heard)
    assert {run.fold for run in FoldRun.of_results(results)} == {next(iter(PLAN.folding))}
    assert heard.told == [(1, 3)]


def test_parts_count_by_their_size(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, clock = Listener(), iter([10.0, 13.0, 15.0])
    monkeypatch.setattr(batches, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(batches, "run_job", lambda table, job, hooks: RunAnswer({"n": job.part.n}))
    parts = [ResampleRange(0, 3), ResampleRange(3, 2)]
    results = run_jobs(
        options, TABLE, SPEC, JobKind.STABILITY, parts, heard.stop, heard, lambda part: part.n
    )
    assert results == [{"n": 3}, {"n": 2}]
    assert heard.told == [(3, 5), (5, 5)] and heard.left == [2.0, 0.0]


def test_a_part_that_was_cut_short_is_kept_and_not_counted(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, begun = Listener(), []

    def begin(table, job, hooks) -> RunAnswer:
        begun.append(job.part)
        if len(begun) == 2:
            heard.stop.set()  # comes while the second part is done
        return RunAnswer({"stopped": hooks.should_stop()})

    monkeypatch.setattr(batches, "run_job", begin)
    parts = StabilitySpec(150).parts()
    results = run_jobs(options, TABLE, SPEC, JobKind.STABILITY, parts, heard.stop, heard)
    assert results == [{"stopped": False}, {"stopped": True}] and begun == list(parts[:2])
    assert [done for done, _ in heard.told] == [1]


def test_a_study_that_is_stopped_at_once_has_nothing(options: argparse.Namespace) -> None:
    heard = Listener()
    heard.stop.set()
    assert run_jobs(options, TABLE, SPEC, JobKind.CURVE, CURVE.parts(), heard.stop, heard) == []
