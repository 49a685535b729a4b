"""Studies of many solves: the exact frontier, curves, comparisons on folds, paths by size."""

from odt_core.studies.adoption import (
    Adoption,
    Source,
    floor_objective,
    run_adoption,
)
from odt_core.studies.bounds import LowerBound
from odt_core.studies.comparison import (
    ComparisonFold,
    ComparisonSpec,
    CutPoints,
    FoldRun,
    TreeCandidate,
    run_fold,
)
from odt_core.studies.comparison_table import (
    CandidateRow,
    Comparison,
    FoldRates,
    compare_runs,
    comparison_csv,
)
from odt_core.studies.curve import (
    PAPER_LEVELS,
    CurveRepeat,
    CurveRun,
    CurveSpec,
    check_curve,
    run_repeat,
)
from odt_core.studies.curve_table import CurveRow, Spread, curve_csv, curve_table
from odt_core.studies.frontier import (
    FrontierResult,
    is_quick,
    run_frontier,
    search_frontier,
)
from odt_core.studies.frontier_csv import frontier_csv
from odt_core.studies.frontier_view import FrontierView, OperatingPoint
from odt_core.studies.path import (
    PathPart,
    PathPoint,
    PathSpec,
    PathView,
    path_csv,
    run_path,
)
from odt_core.studies.stability import (
    OriginalFit,
    Question,
    RangeRun,
    Refit,
    ResampleRange,
    StabilitySpec,
    run_range,
)
from odt_core.studies.stability_result import (
    StabilityResult,
    columns_csv,
    gather_stability,
    rows_csv,
)
from odt_core.studies.sweep import Sweep
from odt_core.studies.validation import PartOfTable, ValidationSpec, run_validation
from odt_core.studies.validation_result import (
    DataName,
    ValidationResult,
)

__all__ = [
    "PartOfTable",
    "ValidationSpec",
    "run_validation",
    "DataName",
    "ValidationResult",
    "PAPER_LEVELS",
    "Adoption",
    "CandidateRow",
    "Comparison",
    "ComparisonFold",
    "ComparisonSpec",
    "CurveRepeat",
    "CurveRow",
    "CurveRun",
    "CurveSpec",
    "CutPoints",
    "FoldRates",
    "FoldRun",
    "FrontierResult",
    "FrontierView",
    "LowerBound",
    "OperatingPoint",
    "OriginalFit",
    "PathPart",
    "PathPoint",
    "PathSpec",
    "PathView",
    "Question",
    "RangeRun",
    "Refit",
    "ResampleRange",
    "Spread",
    "StabilityResult",
    "StabilitySpec",
    "Source",
    "Sweep",
    "TreeCandidate",
    "check_curve",
    "columns_csv",
    "compare_runs",
    "comparison_csv",
    "curve_csv",
    "curve_table",
    "floor_objective",
    "frontier_csv",
    "gather_stability",
    "is_quick",
    "path_csv",
    "rows_csv",
    "run_adoption",
    "run_fold",
    "run_frontier",
    "run_path",
    "run_range",
    "run_repeat",
    "search_frontier",
]
