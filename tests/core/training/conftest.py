"""A small clinical table, and what its columns mean."""

from __future__ import annotations

import pytest

from odt_core.data import ColumnKind, Schema, SplitSpec, Table, infer_schema, read_table
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec

ROWS = [
    (age, pain, "yes" if (age > 50) != (pain == "none") else "no")
    for age in (30, 40, 50, 60, 70, 80)
    for pain in ("none", "some", "much")
]


@pytest.fixture()
def table() -> Table:
    """18 rows: ill when either older than 50 or free of pain, but not both."""
    lines = ["age,pain,ill", *(",".join(map(str, row)) for row in ROWS)]
    return read_table("\n".join(lines).encode(), name="ward.csv")


@pytest.fixture()
def schema(table: Table) -> Schema:
    """Age is a number, pain a category."""
    schema = infer_schema(table, target="ill", positive="yes")
    return schema.with_kinds({"age": ColumnKind.NUMERICAL, "pain": ColumnKind.CATEGORICAL})


@pytest.fixture()
def spec(schema: Schema) -> TrainSpec:
    """Depth 2 on all rows, by CBC."""
    return TrainSpec(
        schema=schema,
        split=SplitSpec("all"),
        topology=Topology.parse("depth-2"),
        engine=Engine.CBC,
        time_limit=20.0,
    )
