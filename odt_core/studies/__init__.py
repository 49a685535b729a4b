"""Studies of many solves: the exact frontier, and training against testing sensitivity."""

from odt_core.studies.adoption import (
    Adoption,
    assignment_from_json,
    assignment_to_json,
    floor_objective,
    run_adoption,
)
from odt_core.studies.bounds import LowerBound
from odt_core.studies.curve import (
    PAPER_LEVELS,
    CurveProgress,
    CurveRepeat,
    CurveRun,
    CurveSpec,
    check_curve,
    run_curve,
    run_repeat,
)
from odt_core.studies.curve_table import CurveRow, Spread, curve_csv, curve_table
from odt_core.studies.effort import is_quick
from odt_core.studies.frontier import (
    FrontierResult,
    OperatingPoint,
    run_frontier,
    search_frontier,
)
from odt_core.studies.frontier_csv import frontier_csv
from odt_core.studies.levels import fewest_errors, is_best_at, point_for_level
from odt_core.studies.sweep import Sweep

__all__ = [
    "PAPER_LEVELS",
    "Adoption",
    "CurveProgress",
    "CurveRepeat",
    "CurveRow",
    "CurveRun",
    "CurveSpec",
    "FrontierResult",
    "LowerBound",
    "OperatingPoint",
    "Spread",
    "Sweep",
    "assignment_from_json",
    "assignment_to_json",
    "check_curve",
    "curve_csv",
    "curve_table",
    "fewest_errors",
    "floor_objective",
    "frontier_csv",
    "is_best_at",
    "is_quick",
    "point_for_level",
    "run_adoption",
    "run_curve",
    "run_frontier",
    "run_repeat",
    "search_frontier",
]
