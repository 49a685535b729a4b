"""Conversion between the classifier's parameters and a specification of a training run."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from odt_core.data import BinMethod, Binning, ColumnKind, ColumnSchema
from odt_core.errors import InputError
from odt_core.estimator.frames import column_names
from odt_core.problem import Goal, LeafCount, Objective, SmallestLeaf
from odt_core.training import TrainSpec
from odt_core.tree import Tree

Member = TypeVar("Member", bound=StrEnum)

CUTS_HELP = "give 'deciles', 'every', a number of quantiles, or a list of cut points"


@dataclass(frozen=True)
class FrameColumns:
    """The features' names and kinds.

    Attributes
    ----------
    names : sequence of str
        All features, in order.
    numerical : sequence of str
        The numerical features.
    """

    names: Sequence[str]
    numerical: Sequence[str]

    def schemas(self, cuts: Any) -> tuple[ColumnSchema, ...]:
        """Return the schema of each column, with the cut points of the parameter `cuts`.

        Raises
        ------
        InputError
            If `cuts` is not understood or names a column that is not numerical.
        """
        binnings = self._binnings(cuts)
        return tuple(
            ColumnSchema(name, ColumnKind.NUMERICAL, binnings[name])
            if name in binnings
            else ColumnSchema(name, ColumnKind.CATEGORICAL)
            for name in self.names
        )

    def _binnings(self, cuts: Any) -> dict[str, Binning]:
        if not isinstance(cuts, Mapping):
            return dict.fromkeys(self.numerical, binning(cuts, "cuts"))
        given = dict(zip(column_names(map(str, cuts)), cuts.values(), strict=True))
        other = next((name for name in given if name not in self.numerical), None)
        if other is not None:
            raise InputError(f"cuts names {other!r}, which is not a numerical column of X.")
        own = {name: binning(value, f"cuts of {name!r}") for name, value in given.items()}
        return dict.fromkeys(self.numerical, Binning.deciles()) | own


def binning(cuts: Any, what: str) -> Binning:
    """Read a column's value of the parameter `cuts`.

    Parameters
    ----------
    cuts : "deciles", "every", int or sequence of float
        Deciles, a cut between any two values, a number of quantiles, or the cut points.
    what : str
        The name of the parameter, for messages.

    Raises
    ------
    InputError
        If `cuts` is none of these.
    """
    if isinstance(cuts, str):
        if cuts not in (BinMethod.DECILES, BinMethod.EVERY):
            raise InputError(f"{what} is {cuts!r}: {CUTS_HELP}.")
        return Binning(BinMethod(cuts))
    if isinstance(cuts, numbers.Integral) and not isinstance(cuts, bool):
        return Binning.quantiles(int(cuts))
    if isinstance(cuts, (Sequence, np.ndarray)):
        return Binning.at([float(cut) for cut in cuts])
    raise InputError(f"{what} is {cuts!r}: {CUTS_HELP}.")


def objective(goal: str, class_weight: Fraction, min_tpr: Any, min_tnr: Any) -> Objective:
    """Make the objective. A floor of 0.95 means exactly 95%."""
    return Objective(
        goal=one_of(Goal, goal, "objective"),
        class_weight=class_weight,
        min_tpr=_share(min_tpr, "min_tpr"),
        min_tnr=_share(min_tnr, "min_tnr"),
    )


def _share(value: Any, name: str) -> Fraction | None:
    if value is None:
        return None
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"{name} is {value!r}: give a share from 0 to 1, or None.") from error


def cap(value: Any) -> int | None:
    """Read the parameter `max_card`."""
    if value is None:
        return None
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"max_card is {value!r}: give a whole number of at least 1, or None.")
    return int(value)


def smallest_leaf(rows: Any, of: str, factor: Fraction) -> SmallestLeaf | None:
    """Make the condition on leaves, for row weights that were multiplied by `factor`."""
    if rows is None:
        return None
    if not isinstance(rows, (int, float, Fraction, np.number)) or not 0 < rows < math.inf:
        raise InputError(f"min_leaf is {rows!r}: give a number above 0, or None.")
    least = math.ceil(Fraction(str(rows)) * factor)
    return SmallestLeaf(least, one_of(LeafCount, of, "min_leaf_of"))


def one_of(members: type[Member], value: str, name: str) -> Member:
    """Read a parameter whose value is a member of an enum."""
    if value not in tuple(members):
        raise InputError(f"{name} is {value!r}: choose one of {', '.join(members)}.")
    return members(value)


def parameters(spec: TrainSpec, tree: Tree) -> dict[str, Any]:
    """Return the classifier's parameters for a specification.

    The classifier has no parameters for expert rules and for the reading of cells.
    """
    goal, leaf, columns = spec.objective, spec.smallest_leaf, spec.schema.features
    cuts = {c.name: _cuts(c.binning) for c in columns if c.kind is ColumnKind.NUMERICAL}
    return {
        "topology": spec.topology.name,
        "max_card": spec.max_card,
        "objective": goal.goal.value,
        "min_tpr": goal.min_tpr,
        "min_tnr": goal.min_tnr,
        "class_weight": None
        if goal.class_weight == 1
        else {tree.negative_label: goal.class_weight},
        "positive": tree.positive_label,
        "categorical_features": [c.name for c in columns if c.kind is ColumnKind.CATEGORICAL],
        "cuts": "deciles" if set(map(str, cuts.values())) <= {"deciles"} else cuts,
        "min_leaf": None if leaf is None else leaf.rows,
        "min_leaf_of": (LeafCount.ROWS if leaf is None else leaf.of).value,
        "engine": spec.engine.value,
        "time_limit": spec.time_limit,
        "threads": spec.threads,
        "random_state": spec.seed,
    }


def _cuts(binning: Binning) -> str | int | list[float]:
    """A binning as a value of the parameter `cuts`."""
    if binning.method is BinMethod.CUTS:
        return list(binning.cuts)
    if binning.method is BinMethod.QUANTILES:
        return binning.n_bins
    return binning.method.value
