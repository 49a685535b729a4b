"""CART, scikit-learn's, as a baseline and as a feature filter."""

from odt_core.cart.fitting import (
    cart_classifier,
    cart_columns,
    cart_feature_selection,
    fit_cart,
    load_cart,
)

__all__ = [
    "cart_classifier",
    "cart_columns",
    "cart_feature_selection",
    "fit_cart",
    "load_cart",
]
