"""A run's record is enough to run it again, and the tree is the same: with the real solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odt_core.data import SAMPLES, ReadOptions, SplitSpec, read_table
from odt_core.solution import Engine
from odt_core.storage import (
    Ending,
    Headline,
    KeyMetrics,
    NewRun,
    RunRecord,
    RunStatus,
    Store,
    software_versions,
)
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training
from tests.core.storage.helpers import OWNER


def run_next(store: Store) -> RunRecord:
    """Run the next run as a server does, from its record alone."""
    server = store.queue.register()
    claimed = store.queue.claim(server, software_versions())
    assert claimed is not None
    table = read_table(
        store.datasets.path(claimed.owner, claimed.dataset),
        ReadOptions(**claimed.spec["read"]),
        name=claimed.table_name,
    )
    result = run_training(table, TrainSpec.from_json(claimed.spec["train"]))
    record, model = result.to_json(), result.model
    assert model is not None
    metrics = KeyMetrics.from_result(record)
    store.queue.end(server, claimed.id, Ending(RunStatus.DONE, record, model.to_json(), metrics))
    return store.runs.get(claimed.owner, claimed.id)


def without_times(result: Any) -> Any:
    """A result apart from what differs between two runs on a clock."""
    return {key: value for key, value in result.items() if key not in ("seconds", "trace", "words")}


def test_a_run_again_elsewhere_gives_the_same_tree(open_store: Callable[..., Store]) -> None:
    store, sample = open_store(), SAMPLES["monks-1"]
    dataset = store.datasets.put(OWNER, sample.csv(), "monks.csv")
    train = TrainSpec(
        schema=sample.schema(),
        split=SplitSpec(150, seed=3),
        topology=Topology.parse("depth-1"),
        engine=Engine.CBC,
        seed=5,
    )
    spec = {"read": {"delimiter": ",", "quotechar": '"'}, "train": train.to_json()}
    headline = Headline(target=train.schema.target, topology="depth-1", engine="cbc", seed=5)
    store.runs.create(OWNER, NewRun(dataset.sha256, "monks.csv", spec, headline))
    first = run_next(store)
    assert first.summary.metrics.solved == "optimal" and first.summary.metrics.n_train == 150
    assert first.result is not None and first.model is not None

    store.runs.rerun(OWNER, first.summary.id)
    again = run_next(store)
    file = store.exchange.export_run(OWNER, first.summary.id, with_data=True)
    elsewhere = open_store("other")
    elsewhere.runs.rerun("bob", elsewhere.exchange.import_run("bob", file).id)
    there = run_next(elsewhere)

    for record in (again, there):
        assert record.result is not None and record.model is not None
        assert without_times(record.result) == without_times(first.result)
        assert record.model["tree"] == first.model["tree"]
        assert record.versions == first.versions
