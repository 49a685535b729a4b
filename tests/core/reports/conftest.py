"""A trained model for the sheets."""

from __future__ import annotations

import pytest

from odt_core.data import SplitSpec, infer_schema, read_table
from odt_core.export import Model
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training


@pytest.fixture(scope="package")
def trained() -> Model:
    """Ill when older than 50 or in much pain; two of 122 rows have no outcome, 30 test."""
    rows = [
        (age, pain, "yes" if age > 50 or pain == "much" else "no")
        for age in range(31, 71)
        for pain in ("none", "some", "much")
    ]
    lines = ["age,pain,ill", *(",".join(map(str, row)) for row in rows), "40,none,", "41,some,"]
    table = read_table("\n".join(lines).encode(), name="ward.csv")
    spec = TrainSpec(
        schema=infer_schema(table, target="ill", positive="yes"),
        split=SplitSpec.parse("75%"),
        topology=Topology.parse("depth-2"),
        engine=Engine.SEARCH,
    )
    model = run_training(table, spec).model
    assert model is not None
    return model
