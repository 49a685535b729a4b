"""The specification of a training run: everything that decides it except the table.

A specification has the names of columns and categories. So it can be stored, sent to another
process and run again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from odt_core.data import Schema, SplitSpec
from odt_core.errors import MALFORMED, InputError, quoted
from odt_core.exact import shortest_decimal
from odt_core.json_data import JsonData
from odt_core.problem import (
    EncodedData,
    Feature,
    NodeRule,
    Objective,
    Rules,
    SmallestLeaf,
    Split,
)
from odt_core.solution import Engine
from odt_core.solvers.exactness import check_any_shape
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import AnyShape, Shape, Topology

SPEC_VERSION = 1
ADDED = ("smallest_leaf", "least_features")
"""The fields that records of older programs lack."""
MOST_CUTS_NAMED = 10
"""The most cut points that a message lists, which are the nearest."""


class FeatureSelection(StrEnum):
    """How features are chosen before training (paper, section 5.1)."""

    NONE = "none"
    CART = "cart"


@dataclass(frozen=True)
class NodeRuleSpec(JsonData):
    """An expert's rule for one decision node, with names instead of codes.

    Attributes
    ----------
    node : int
        The decision node, counted from 1 as on the screen.
    features : tuple of str or None
        The only features the node may use.
    feature, categories, threshold : str, tuple of str, float or None
        A fixed split: `feature` with either the categories that go left, or a cut point (values up
        to it go left).
    missing_left : bool
        Whether missing values go left, for a split with a threshold.
    never : tuple of str
        Features that the node may not use.
    """

    node: int
    features: tuple[str, ...] | None = None
    feature: str | None = None
    categories: tuple[str, ...] | None = None
    threshold: float | None = None
    missing_left: bool = False
    never: tuple[str, ...] = ()

    def resolve(self, features: tuple[Feature, ...]) -> NodeRule:
        """Return the rule in codes.

        Raises
        ------
        InputError
            If it names a feature or category that the training rows do not have.
        """
        allowed = None
        if self.features is not None:
            allowed = frozenset(_index(features, name) for name in self.features)
        if self.never:
            every = frozenset(range(len(features))) if allowed is None else allowed
            allowed = every - {_index(features, name) for name in self.never}
        if self.feature is None:
            return NodeRule(features=allowed)
        g = _index(features, self.feature)
        return NodeRule(features=allowed, split=Split(g, self._left_codes(features[g])))

    def _left_codes(self, feature: Feature) -> frozenset[int]:
        where = f"The rule for decision node {self.node} on {quoted(feature.name)}"
        if self.threshold is not None:
            return self._low_bins(feature, where)
        if self.categories is None:
            raise InputError(f"{where} needs the categories that go left, or a threshold.")
        codes = {value: code for code, value in enumerate(feature.values)}
        for category in self.categories:
            if category not in codes:
                raise InputError(
                    f"{where} names the category {quoted(category)}, which no training row has."
                )
        return frozenset(codes[category] for category in self.categories)

    def _low_bins(self, feature: Feature, where: str) -> frozenset[int]:
        if not feature.is_numerical:
            raise InputError(f"{where} gives a threshold, but the column is categorical.")
        threshold = self.threshold
        assert threshold is not None
        if threshold not in feature.cuts:
            near = sorted(feature.cuts, key=lambda cut: abs(cut - threshold))[:MOST_CUTS_NAMED]
            cuts = ", ".join(map(shortest_decimal, sorted(near)))
            others = len(feature.cuts) - len(near)
            cuts += f" and {others} others" if others else ""
            raise InputError(
                f"{where} splits at {shortest_decimal(threshold)}, which is not one of the "
                f"column's cut points ({cuts}): choose one of these, or give the column cut "
                "points of your own."
            )
        low = set(range(feature.cuts.index(threshold) + 1))
        if self.missing_left and feature.has_missing:
            low.add(feature.n_values - 1)
        return frozenset(low)


@dataclass(frozen=True)
class RulesSpec(JsonData):
    """Expert rules, with names instead of codes."""

    forbidden: tuple[str, ...] = ()
    nodes: tuple[NodeRuleSpec, ...] = ()

    def without(self, names: Collection[str]) -> RulesSpec:
        """Return the rules without some columns, which are constant and need no rule."""

        def kept(given: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in given if name not in names)

        nodes = tuple(
            dataclasses.replace(
                rule,
                features=None if rule.features is None else kept(rule.features),
                never=kept(rule.never),
            )
            for rule in self.nodes
        )
        return RulesSpec(kept(self.forbidden), nodes)

    def resolve(self, features: tuple[Feature, ...]) -> Rules:
        """Return the rules in codes."""
        return Rules(
            forbidden=frozenset(_index(features, name) for name in self.forbidden),
            nodes=tuple((rule.node - 1, rule.resolve(features)) for rule in self.nodes),
        )


def _index(features: tuple[Feature, ...], name: str) -> int:
    for g, feature in enumerate(features):
        if feature.name == name:
            return g
    raise InputError(
        f"A rule names the column {quoted(name)}, which is not a feature here: check its spelling, "
        "or whether it is ignored or constant."
    )


@dataclass(frozen=True)
class TrainSpec(JsonData):
    """A training run.

    Attributes
    ----------
    schema : Schema
        Target, positive label, and the reading of each column.
    split : SplitSpec
        The division into training and test rows.
    topology : Topology or AnyShape
        The tree's shape, or any shape up to a number of questions.
    objective : Objective
        Goal, class weight and floors.
    max_card : int or None
        Cap on a categorical split's set (paper, section 4.5).
    rules : RulesSpec
        Expert rules.
    forbid_empty_branches : bool
        The paper's (pickmore) and (pickless).
    smallest_leaf : SmallestLeaf or None
        The smallest size of a leaf.
    feature_selection : FeatureSelection
        Whether to use only the features of a default CART.
    least_features : int
        The fewest features to select (see `cart_feature_selection`).
    engine : Engine
        The engine.
    time_limit : float
        Seconds for the solve.
    threads, seed : int
        Threads and seed of the solver. The split has its own seed.
    mip : MipOptions
        The switches of section 4.3.
    """

    schema: Schema
    split: SplitSpec
    topology: Shape
    objective: Objective = Objective()
    max_card: int | None = None
    rules: RulesSpec = RulesSpec()
    forbid_empty_branches: bool = False
    smallest_leaf: SmallestLeaf | None = None
    feature_selection: FeatureSelection = FeatureSelection.NONE
    least_features: int = 1
    engine: Engine = Engine.HYBRID
    time_limit: float = 60.0
    threads: int = 1
    seed: int = 0
    mip: MipOptions = MipOptions()

    def __post_init__(self) -> None:
        if not 0 < self.time_limit <= 7 * 24 * 3600:
            raise InputError("time-limit must be more than 0 seconds and at most a week.")
        if not 1 <= self.threads <= 256:
            raise InputError("threads must be between 1 and 256.")
        if isinstance(self.topology, AnyShape):
            check_any_shape(self.engine, has_node_rules=bool(self.rules.nodes))
        if self.least_features < 1:
            raise InputError("least-features must be at least 1.")

    def one_topology(self, what: str) -> Topology:
        """Return the shape, for results that need a single shape.

        Raises
        ------
        InputError
            If any shape is allowed. `what` begins the message.
        """
        if isinstance(self.topology, AnyShape):
            raise InputError(
                f"{what} is made for one shape, not for any with at most "
                f"{self.topology.most_questions} questions: choose a shape."
            )
        return self.topology

    def resolve_rules(self, data: EncodedData, selected: frozenset[int] | None) -> Rules:
        """Return the rules in codes. They forbid the features that the selection leaves out."""
        rules = self.rules.resolve(data.features)
        if selected is None:
            return rules
        left_out = frozenset(range(data.n_features)) - selected
        return dataclasses.replace(rules, forbidden=rules.forbidden | left_out)

    def to_json(self) -> dict[str, Any]:
        """Write the specification as a dictionary that `from_json` can read."""
        return {"version": SPEC_VERSION, **super().to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Rebuild a specification.

        Raises
        ------
        InputError
            If the record is of another version or a field is missing or wrong.
        """
        if record.get("version") != SPEC_VERSION:
            raise InputError(
                f"This run's settings are of version {record.get('version')!r}, but this program "
                f"reads version {SPEC_VERSION}."
            )
        for field in dataclasses.fields(cls):
            if field.name not in record and field.name not in ADDED:
                raise InputError(f"This run's settings lack the field {field.name!r}.")
        try:
            return super().from_json(record)
        except InputError:
            raise
        except MALFORMED as error:
            raise InputError(
                f"This run's settings are damaged ({error}): start a new run."
            ) from error
