"""A trained model for the sheets."""

from __future__ import annotations

import pytest

from odt_core.data import SplitSpec, infer_schema
from odt_core.export import Model
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training
from tests.core.reports.sheets import ward_table


@pytest.fixture(scope="package")
def trained() -> Model:
    """The ward's tree of depth 2; 30 rows test."""
    table = ward_table()
    spec = TrainSpec(
        schema=infer_schema(table, target="ill", positive="yes"),
        split=SplitSpec.parse("75%"),
        topology=Topology.parse("depth-2"),
        engine=Engine.SEARCH,
    )
    model = run_training(table, spec).model
    assert model is not None
    return model
