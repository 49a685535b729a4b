"""Runs in a store, made as a server would make them: real results, no server."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from odt_core.data import ReadOptions, Schema, SplitSpec, infer_schema, read_table
from odt_core.jobs import JobSpec
from odt_core.jobs.job import kept_result, new_run
from odt_core.solution import Engine
from odt_core.storage import (
    LOCAL_OWNER,
    Ending,
    KeyMetrics,
    RunStatus,
    RunSummary,
    Store,
    software_versions,
)
from odt_core.topology import Topology
from odt_core.training import TrainResult, TrainSpec, run_training

WARD = "ward.csv"


def ward(n: int = 60) -> bytes:
    """A table whose outcome needs two questions, with a few rows that break the rule."""
    lines = ["pain,fever,stage,ill"]
    for i in range(n):
        pain, fever = ("strong" if i % 3 == 0 else "none"), ("high" if i % 2 else "no")
        ill = pain == "strong" or (fever == "high" and i % 4 == 1)
        lines.append(f"{pain},{fever},{i % 4},{'yes' if ill != (i % 17 == 0) else 'no'}")
    return "\n".join(lines).encode() + b"\n"


def coin_tosses() -> bytes:
    """A table whose outcome is chance: CBC finds a tree soon, and proves nothing for minutes."""
    draw = random.Random(1)
    rows = [[*draw.choices("abc", k=8), draw.choice(["yes", "no"])] for _ in range(100)]
    head = [*(f"toss {k}" for k in range(1, 9)), "outcome"]
    return "\n".join(",".join(row) for row in [head, *rows]).encode()


def queue_long_run(store: Store, name: str = "") -> RunSummary:
    """A run that waits. It soon has a tree, and goes on until somebody ends it."""
    maker = Maker(store, content=coin_tosses(), name="coins.csv", target="outcome")
    return maker.queued(name=name, topology=Topology.parse("depth-3"), time_limit=3600.0)


@dataclass
class Maker:
    """Puts runs into a store.

    Attributes
    ----------
    store : Store
        Where.
    owner : str
        Whose.
    content, name : bytes, str
        The data set.
    target, positive : str
        Its outcome, and the positive class.
    read : ReadOptions
        How its file is read.
    """

    store: Store
    owner: str = LOCAL_OWNER
    content: bytes = ward()
    name: str = WARD
    target: str = "ill"
    positive: str = "yes"
    read: ReadOptions = ReadOptions()

    def spec(self, **changes: Any) -> JobSpec:
        """A training run of depth 1 on the data set; `changes` are of its `TrainSpec`."""
        sha256 = self.store.datasets.put(self.owner, self.content, self.name).sha256
        table = read_table(self.content, self.read, name=self.name)
        schema: Schema = infer_schema(table, self.target, self.positive)
        train = TrainSpec(
            schema, SplitSpec.parse("80%"), Topology.parse("depth-1"), engine=Engine.CBC
        )
        return JobSpec(sha256, self.name, self.read, replace(train, **changes))

    def queued(self, *, name: str = "", note: str = "", **changes: Any) -> RunSummary:
        """A run that waits."""
        run = new_run(self.spec(**changes), name=name)
        return self.store.runs.create(self.owner, replace(run, note=note))

    def done(self, *, name: str = "", note: str = "", **changes: Any) -> RunSummary:
        """A run that is done."""
        run, server = self._claimed(name, note, changes)
        found = self._trained(changes)
        model = None if found.model is None else found.model.to_json()
        return self._end(run, server, found.to_json(), model)

    def with_a_tree(
        self, *, name: str = "", note: str = "", **changes: Any
    ) -> tuple[RunSummary, str, dict[str, Any]]:
        """A run that a server has in hand, the server, and the best tree so far."""
        run, server = self._claimed(name, note, changes)
        found = self._trained(changes)
        best = found.to_json() | {"model": found.model and found.model.to_json()}
        best |= {"status": "feasible"}
        self.store.queue.record_progress(server, run.id, best=best)
        return run, server, best

    def stop(self, run: RunSummary, server: str, best: dict[str, Any]) -> RunSummary:
        """End a run as its server does when somebody stops it, with its best tree so far."""
        return self._end(run, server, *kept_result(best))

    def interrupted(self, *, name: str = "", note: str = "", **changes: Any) -> RunSummary:
        """A run whose server ended when it had a tree."""
        run, server, _best = self.with_a_tree(name=name, note=note, **changes)
        self.store.queue.leave(server)
        return self.store.runs.summary(self.owner, run.id)

    def failed(self, message: str, *, name: str = "", **changes: Any) -> RunSummary:
        """A run that failed."""
        run, server = self._claimed(name, "", changes)
        self.store.queue.end(server, run.id, Ending(RunStatus.FAILED, message=message))
        self.store.queue.leave(server)
        return self.store.runs.summary(self.owner, run.id)

    def _end(
        self, run: RunSummary, server: str, result: dict[str, Any], model: dict[str, Any] | None
    ) -> RunSummary:
        ending = Ending(RunStatus.DONE, result, model, KeyMetrics.from_result(result))
        assert self.store.queue.end(server, run.id, ending)
        self.store.queue.leave(server)
        return self.store.runs.summary(self.owner, run.id)

    def _claimed(self, name: str, note: str, changes: dict[str, Any]) -> tuple[RunSummary, str]:
        """A run that waits no longer; a server that is up on the same store may be quicker."""
        server = self.store.queue.register()
        while True:
            run = self.queued(name=name, note=note, **changes)
            claimed = self.store.queue.claim(server, software_versions())
            while claimed is not None and claimed.id != run.id:  # left over from another test
                self.store.queue.end(server, claimed.id, Ending(RunStatus.CANCELLED))
                claimed = self.store.queue.claim(server, software_versions())
            if claimed is not None:
                return run, server
            self.store.runs.delete(self.owner, [run.id])

    def _trained(self, changes: dict[str, Any]) -> TrainResult:
        spec = self.spec(**changes)
        table = read_table(self.content, spec.read, name=self.name)
        return run_training(table, spec.train)
