"""Evaluation of trees: rates with intervals, the leaf table, net benefit, and baselines."""

from odt_core.evaluation.baselines import FAIRNESS, Baseline, can_ask_about_sets, fit_baseline
from odt_core.evaluation.calibration import (
    Calibration,
    leaf_calibration,
)
from odt_core.evaluation.changes import tree_changes
from odt_core.evaluation.costs import CostRange, cheapest, cost_ranges
from odt_core.evaluation.decision_curve import (
    THRESHOLDS,
    DecisionCurve,
    decision_curve,
    net_benefit,
)
from odt_core.evaluation.leaves import (
    CONTRADICTED,
    FEW_OF_CLASS,
    SMALL_LEAF,
    LeafRow,
    leaf_table,
)
from odt_core.evaluation.measures import Measure
from odt_core.evaluation.natural import Frequencies, frequencies
from odt_core.evaluation.rate_words import RateWords, ReportedRate, ratio_parts, share_parts
from odt_core.evaluation.rates import (
    Estimate,
    Floor,
    Metrics,
    Rate,
    floors,
    metrics,
    predictive_values,
    rates_differ,
)
from odt_core.evaluation.resampled import ResampledMean, resampled_mean
from odt_core.evaluation.sample_size import sample_size
from odt_core.evaluation.subgroups import (
    CHANCE_IN_GROUPS,
    Judged,
    Subgroup,
    Subgroups,
    column_subgroups,
    few_in_groups_words,
    subgroup_columns,
)
from odt_core.evaluation.verdict import VALIDATION, Tone, Verdict, verdict

__all__ = [
    "CHANCE_IN_GROUPS",
    "THRESHOLDS",
    "few_in_groups_words",
    "sample_size",
    "VALIDATION",
    "Calibration",
    "Measure",
    "leaf_calibration",
    "Judged",
    "Subgroup",
    "Subgroups",
    "column_subgroups",
    "subgroup_columns",
    "CONTRADICTED",
    "FAIRNESS",
    "FEW_OF_CLASS",
    "SMALL_LEAF",
    "Baseline",
    "CostRange",
    "DecisionCurve",
    "Estimate",
    "Floor",
    "Frequencies",
    "LeafRow",
    "RateWords",
    "ReportedRate",
    "Metrics",
    "Rate",
    "ResampledMean",
    "Tone",
    "Verdict",
    "can_ask_about_sets",
    "cheapest",
    "cost_ranges",
    "decision_curve",
    "fit_baseline",
    "floors",
    "frequencies",
    "leaf_table",
    "metrics",
    "net_benefit",
    "predictive_values",
    "rates_differ",
    "ratio_parts",
    "resampled_mean",
    "share_parts",
    "tree_changes",
    "verdict",
]
