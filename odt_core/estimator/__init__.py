"""`OptimalTreeClassifier`: the search for the best tree under scikit-learn's conventions."""

from odt_core.estimator.classifier import OptimalTreeClassifier

__all__ = ["OptimalTreeClassifier"]
