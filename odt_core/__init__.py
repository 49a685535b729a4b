"""Provably optimal small decision trees for categorical and numerical data.

The model is the integer program of Günlük, Kalagnanam, Li, Menickelly and Scheinberg, *Optimal
Decision Trees for Categorical Data via Integer Programming*. See docs/architecture.md for the
rooms of this package, docs/method.md for the method and docs/estimator.md for the classifier.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from odt_core.estimator import OptimalTreeClassifier

__version__ = "0.9.0"
MADE_BY = f"odt-studio {__version__}"
"""The program and its version, for every written file."""

__all__ = ["MADE_BY", "OptimalTreeClassifier", "__version__"]


def __getattr__(name: str) -> Any:
    """Import the classifier and scikit-learn on first use."""
    if name == "OptimalTreeClassifier":
        from odt_core.estimator import OptimalTreeClassifier

        return OptimalTreeClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
