"""Curves: floors hold in training, runs repeat by seed, means and variances are exact."""

from __future__ import annotations

import dataclasses
import statistics
from dataclasses import replace
from fractions import Fraction

import pytest

from odt_core import MADE_BY
from odt_core.data import SAMPLES, ReadOptions, SplitSpec, infer_schema, read_table
from odt_core.errors import InputError
from odt_core.studies import (
    CurveRepeat,
    CurveRun,
    CurveSpec,
    Sweep,
    curve_csv,
    curve_table,
    run_frontier,
    run_repeat,
)
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from tests.core.studies.parts import run_curve

LEVELS = (Fraction(9, 10), Fraction(985, 1000), Fraction(1))
CURVE = CurveSpec(LEVELS, (Topology.parse("depth-1"), Topology.parse("depth-2")), repeats=3)
SPEC = TrainSpec(
    schema=SAMPLES["triage"].schema(),
    split=SplitSpec.parse("200", seed=7),
    topology=Topology.parse("depth-1"),
    max_card=1,
)


@pytest.fixture(scope="module")
def runs() -> tuple[CurveRun, ...]:
    return run_curve(SAMPLES["triage"].load(), SPEC, CURVE)


def test_every_floor_holds_in_training_and_specificity_falls_as_it_rises(
    runs: tuple[CurveRun, ...],
) -> None:
    assert len(runs) == 3 * 2 * 3 and {run.seed for run in runs} == {7, 8, 9}
    for run in runs:
        assert run.proved and run.train.tp >= run.level * run.train.n_positive
        assert run.train.n == 200 and run.test.n == len(SAMPLES["triage"].load().frame) - 200
    for before, after in zip(runs, runs[1:], strict=False):
        if (before.seed, before.topology) == (after.seed, after.topology):
            assert before.train.tn >= after.train.tn


def test_floors_on_specificity_hold_and_no_tree_misses_fewer() -> None:
    """Each run is the frontier's point of fewest false negatives at or above the floor."""
    curve = CurveSpec(LEVELS, (Topology.parse("depth-2"),), repeats=2, sweep=Sweep.TNR)
    table = SAMPLES["triage"].load()
    runs = run_curve(table, SPEC, curve)
    assert len(runs) == 2 * len(LEVELS)
    for seed in (7, 8):
        shaped = replace(SPEC, split=replace(SPEC.split, seed=seed), topology=curve.topologies[0])
        points = run_frontier(table, shaped).points
        for run in (run for run in runs if run.seed == seed):
            reach = [point for point in points if point.tnr >= run.level]
            assert run.train == min(reach, key=lambda point: point.fn).train
            assert run.train.tn >= run.level * run.train.n_negative
    row = curve_table(runs)[-1]
    here = [run for run in runs if run.level == row.level]
    assert row.sweep is Sweep.TNR
    assert row.below == sum(run.test.tn < run.level * run.test.n_negative for run in here)
    assert tuple(CurveRun.from_json(run.to_json()) for run in runs) == runs
    assert CurveRepeat.from_json(curve.repeat(1).to_json()) == curve.repeat(1)


def test_records_of_before_the_reverse_are_floors_on_sensitivity(
    runs: tuple[CurveRun, ...],
) -> None:
    record, repeat = runs[0].to_json(), CURVE.repeat(0).to_json()
    del record["sweep"], repeat["sweep"]
    assert CurveRun.from_json(record) == runs[0]
    assert CurveRepeat.from_json(repeat) == CURVE.repeat(0)


def test_it_is_the_same_again_by_seed(runs: tuple[CurveRun, ...]) -> None:
    table = SAMPLES["triage"].load()
    assert run_curve(table, SPEC, CURVE) == runs
    second = CurveRepeat.from_json(CURVE.repeat(1).to_json())
    assert run_repeat(table, SPEC, second) == tuple(run for run in runs if run.seed == 8)


def test_the_table_has_means_and_sample_variances(runs: tuple[CurveRun, ...]) -> None:
    rows = curve_table(runs)
    assert [(row.topology, row.level) for row in rows] == [
        (shape, level) for shape in ("depth-1", "depth-2") for level in reversed(LEVELS)
    ]
    row = rows[0]
    here = [run for run in runs if (run.topology, run.level) == (row.topology, row.level)]
    rates = [run.test.tp / run.test.n_positive for run in here]
    assert row.test_tpr.mean == pytest.approx(statistics.mean(rates))
    assert row.test_tpr.variance == pytest.approx(statistics.variance(rates))
    assert row.test_tpr.low <= row.test_tpr.mean <= row.test_tpr.high
    assert row.below == sum(rate < row.level for rate in rates)
    lines = curve_csv(rows).decode().splitlines()
    assert len(lines) == 7 and all(line.endswith(f",{MADE_BY}") for line in lines[1:])


def test_a_shape_from_a_file_is_no_formula_in_the_table(runs: tuple[CurveRun, ...]) -> None:
    (row, *_) = curve_table([dataclasses.replace(run, topology="=1+1") for run in runs])
    assert curve_csv([row]).decode().splitlines()[1].startswith("'=1+1,")


def test_runs_survive_json(runs: tuple[CurveRun, ...]) -> None:
    assert tuple(CurveRun.from_json(run.to_json()) for run in runs) == runs


def test_levels_are_ceilings_of_exact_fractions() -> None:
    with pytest.raises(InputError, match="from 0 to 100"):
        CurveSpec((Fraction(101, 100),))
    with pytest.raises(InputError, match="leaves none"):
        run_repeat(
            SAMPLES["triage"].load(),
            TrainSpec(SPEC.schema, SplitSpec("all"), SPEC.topology),
            CURVE.repeat(0),
        )


def test_a_rate_that_no_test_row_can_show_is_not_called_zero() -> None:
    lines = [f"{'abc'[i % 3]},{int(i == 4)}" for i in range(12)]
    table = read_table(("x,y\n" + "\n".join(lines)).encode(), ReadOptions(), name="one.csv")
    spec = replace(SPEC, schema=infer_schema(table, target="y", positive="1"))
    spec = replace(spec, split=SplitSpec.parse("0.8"))
    with pytest.raises(InputError, match="test rows of the split with seed 0 has 'y' = '1'"):
        run_curve(table, spec, CURVE)
