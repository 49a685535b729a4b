"""Provably optimal small decision trees for categorical and numerical data.

The model is the integer program of Günlük, Kalagnanam, Li, Menickelly and Scheinberg, *Optimal
Decision Trees for Categorical Data via Integer Programming*. See docs/architecture.md for the
rooms of this package and docs/method.md for the method.
"""

__version__ = "0.1.0"
