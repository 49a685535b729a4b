"""The specification of a training run: everything that decides it except the table.

A specification has the names of columns and categories. So it can be stored, sent to another
process and run again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from odt_core.data import Schema, SplitSpec
from odt_core.errors import InputError, quoted
from odt_core.exact import shortest_decimal
from odt_core.problem import (
    EncodedData,
    Feature,
    Goal,
    LeafCount,
    NodeRule,
    Objective,
    Rules,
    SmallestLeaf,
    Split,
)
from odt_core.solution import Engine
from odt_core.solvers.exactness import check_any_shape
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import AnyShape, Shape, Topology, parse_shape

SPEC_VERSION = 1
MOST_CUTS_NAMED = 10
"""The most cut points that a message lists, which are the nearest."""


class FeatureSelection(StrEnum):
    """How features are chosen before training (paper, section 5.1)."""

    NONE = "none"
    CART = "cart"


@dataclass(frozen=True)
class NodeRuleSpec:
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
class RulesSpec:
    """Expert rules, with names instead of codes."""

    forbidden: tuple[str, ...] = ()
    nodes: tuple[NodeRuleSpec, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Write the rules as a dictionary."""
        nodes = [dataclasses.asdict(rule) for rule in self.nodes]
        for node in nodes:
            for name in ("features", "categories"):
                node[name] = None if node[name] is None else list(node[name])
            node["never"] = list(node["never"])
        return {"forbidden": list(self.forbidden), "nodes": nodes}

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
class TrainSpec:
    """A training run.

    Attributes
    ----------
    schema : Schema
        Target, positive label, and the reading of each column.
    split : SplitSpec
        The division into training and test rows.
    topology : Topology or AnyShape
        The tree's shape, or any shape with at most so many questions.
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
    rules: RulesSpec = field(default_factory=RulesSpec)
    forbid_empty_branches: bool = False
    feature_selection: FeatureSelection = FeatureSelection.NONE
    engine: Engine = Engine.HYBRID
    time_limit: float = 60.0
    threads: int = 1
    seed: int = 0
    mip: MipOptions = MipOptions()
    smallest_leaf: SmallestLeaf | None = None
    least_features: int = 1

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
        objective = self.objective
        return {
            "version": SPEC_VERSION,
            "schema": self.schema.to_json(),
            "split": self.split.to_json(),
            "topology": self.topology.text,
            "objective": {
                "goal": objective.goal.value,
                "class_weight": str(objective.class_weight),
                "min_tpr": _fraction_text(objective.min_tpr),
                "min_tnr": _fraction_text(objective.min_tnr),
            },
            "max_card": self.max_card,
            "rules": self.rules.to_json(),
            "forbid_empty_branches": self.forbid_empty_branches,
            "smallest_leaf": None
            if self.smallest_leaf is None
            else {"rows": self.smallest_leaf.rows, "of": self.smallest_leaf.of.value},
            "feature_selection": self.feature_selection.value,
            "least_features": self.least_features,
            "engine": self.engine.value,
            "time_limit": self.time_limit,
            "threads": self.threads,
            "seed": self.seed,
            "mip": dataclasses.asdict(self.mip),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TrainSpec:
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
        record = {"least_features": 1, **record}  # older records lack it
        try:
            _check_types(record)
            objective, rules = record["objective"], record["rules"]
            return cls(
                schema=Schema.from_json(record["schema"]),
                split=SplitSpec.from_json(record["split"]),
                topology=parse_shape(record["topology"]),
                objective=Objective(
                    goal=Goal(objective["goal"]),
                    class_weight=Fraction(objective["class_weight"]),
                    min_tpr=_fraction(objective["min_tpr"]),
                    min_tnr=_fraction(objective["min_tnr"]),
                ),
                max_card=record["max_card"],
                rules=RulesSpec(
                    tuple(rules["forbidden"]),
                    tuple(_node_rule(rule) for rule in rules["nodes"]),
                ),
                forbid_empty_branches=record["forbid_empty_branches"],
                feature_selection=FeatureSelection(record["feature_selection"]),
                engine=Engine(record["engine"]),
                time_limit=record["time_limit"],
                threads=record["threads"],
                seed=record["seed"],
                mip=MipOptions(**record["mip"]),
                smallest_leaf=_smallest_leaf(record.get("smallest_leaf")),
                least_features=record["least_features"],
            )
        except KeyError as missing:
            raise InputError(f"This run's settings lack the field {missing}.") from missing


_TYPES: dict[str, tuple[type, ...]] = {
    "max_card": (int, type(None)),
    "forbid_empty_branches": (bool,),
    "time_limit": (int, float),
    "threads": (int,),
    "seed": (int,),
    "topology": (str,),
    "least_features": (int,),
}
"""The settings that a record stores without conversion."""


def _check_types(record: Mapping[str, Any]) -> None:
    values = {name: (record[name], types) for name, types in _TYPES.items()}
    values |= {name: (switch, (bool,)) for name, switch in record["mip"].items()}
    for name, (value, types) in values.items():
        fits = isinstance(value, types) and (not isinstance(value, bool) or bool in types)
        if not fits or (isinstance(value, float) and not math.isfinite(value)):
            raise InputError(
                f"This run's settings are damaged: {name} is {str(value)[:40]!r}: start a new run."
            )


def _node_rule(record: Mapping[str, Any]) -> NodeRuleSpec:
    return NodeRuleSpec(
        node=record["node"],
        features=None if record["features"] is None else tuple(record["features"]),
        feature=record["feature"],
        categories=None if record["categories"] is None else tuple(record["categories"]),
        threshold=record["threshold"],
        missing_left=record["missing_left"],
        never=tuple(record.get("never", ())),  # records of older programs lack it
    )


def _smallest_leaf(record: Mapping[str, Any] | None) -> SmallestLeaf | None:
    return None if record is None else SmallestLeaf(record["rows"], LeafCount(record["of"]))


def _fraction(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def _fraction_text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
