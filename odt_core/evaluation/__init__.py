"""How good a tree is: rates with intervals, the leaf table, net benefit, and CART to compare."""

from odt_core.evaluation.cart import cart_columns, cart_feature_selection, fit_cart
from odt_core.evaluation.decision_curve import DecisionCurve, decision_curve, net_benefit
from odt_core.evaluation.leaves import SMALL_LEAF, LeafRow, leaf_table
from odt_core.evaluation.rates import (
    LEVEL,
    Estimate,
    Floor,
    Metrics,
    Rate,
    floors,
    metrics,
    predictive_values,
)

__all__ = [
    "LEVEL",
    "SMALL_LEAF",
    "DecisionCurve",
    "Estimate",
    "Floor",
    "LeafRow",
    "Metrics",
    "Rate",
    "cart_columns",
    "cart_feature_selection",
    "decision_curve",
    "fit_cart",
    "floors",
    "leaf_table",
    "metrics",
    "net_benefit",
    "predictive_values",
]
