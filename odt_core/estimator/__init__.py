"""`OptimalTreeClassifier`: provably best trees with the interface of scikit-learn."""

from odt_core.estimator.classifier import OptimalTreeClassifier

__all__ = ["OptimalTreeClassifier"]
