"""Studies whose parts run one after the other in this process."""

from __future__ import annotations

from odt_core.data import Table
from odt_core.studies import (
    ComparisonSpec,
    CurveRun,
    CurveSpec,
    FoldRun,
    RangeRun,
    StabilitySpec,
    run_fold,
    run_range,
    run_repeat,
)
from odt_core.training import TrainSpec


def run_curve(table: Table, spec: TrainSpec, curve: CurveSpec) -> tuple[CurveRun, ...]:
    """All repeats of a curve."""
    return tuple(run for part in curve.parts() for run in run_repeat(table, spec, part))


def run_comparison(table: Table, spec: TrainSpec, plan: ComparisonSpec) -> tuple[FoldRun, ...]:
    """All folds of a comparison."""
    return tuple(run for part in plan.fold_parts() for run in run_fold(table, spec, part))


def run_stability(table: Table, spec: TrainSpec, plan: StabilitySpec) -> tuple[RangeRun, ...]:
    """All resamples of a stability check."""
    return tuple(run_range(table, spec, part) for part in plan.parts())
