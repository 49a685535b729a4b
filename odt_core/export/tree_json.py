"""Conversion of a tree to JSON and back, without loss.

A tree is rebuilt from codes. Questions, names and labels are there for readers. Reading a file
checks the names against the codes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from odt_core.data.binning import BinLabels, writes_labels
from odt_core.errors import InputError
from odt_core.export.fields import Fields
from odt_core.problem import Feature, FeatureKind, Split, is_threshold
from odt_core.tree import Decision, Leaf, Node, Tree
from odt_core.words import split_words

MAX_DEPTH = 64
"""The most levels of decisions in a file."""


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """Write a tree as plain data for JSON.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    dict
        ``target``, ``positive_label``, ``negative_label``; ``features`` with name, kind, values
        (null for a number with very many bins), cuts and whether the last value is a missing bin;
        ``root``. A decision node has its question, its feature, the values that go left by code and
        by name, the codes of its training rows, the branch of unseen values, counts and two
        children. A leaf has its label and counts.
    """
    return {
        "target": tree.target,
        "positive_label": tree.positive_label,
        "negative_label": tree.negative_label,
        "features": [_feature_to_json(feature) for feature in tree.features],
        "root": _node_to_json(tree, tree.root),
    }


def tree_from_json(record: Any) -> Tree:
    """Rebuild a tree.

    Parameters
    ----------
    record : Any
        The JSON of `tree_to_json`, perhaps from a file.

    Raises
    ------
    InputError
        If a field is absent or wrong. The message names the field.
    """
    return tree_from_fields(Fields(record, "tree"))


def tree_from_fields(fields: Fields) -> Tree:
    """Rebuild a tree from a part of a file. See `tree_from_json`."""
    features = tuple(_feature_from_json(entry) for entry in fields.records("features"))
    return Tree(
        root=_node_from_json(fields.record("root"), features, 0),
        features=features,
        target=fields.text("target"),
        positive_label=fields.text("positive_label"),
        negative_label=fields.text("negative_label"),
    )


def _feature_to_json(feature: Feature) -> dict[str, Any]:
    return {
        "name": feature.name,
        "kind": feature.kind.value,
        "values": list(feature.values) if writes_labels(feature) else None,
        "cuts": list(feature.cuts),
        "missing_bin": feature.has_missing,
        **({"measure": feature.measure} if feature.measure else {}),
    }


def _feature_from_json(fields: Fields) -> Feature:
    kind = fields.text("kind")
    if kind not in tuple(FeatureKind):
        raise fields.error("kind", f"is {kind!r}, but should be {' or '.join(FeatureKind)}")
    cuts, missing_bin = fields.numbers("cuts"), fields.flag("missing_bin")
    numerical = kind == FeatureKind.NUMERICAL
    if numerical and fields.is_null("values"):
        values: Sequence[str] = BinLabels(cuts, has_missing=missing_bin)
    else:
        values = fields.texts("values")
    if len(set(values)) < len(values):
        raise fields.error("values", "names a value twice")
    if missing_bin and not numerical:
        raise fields.error("missing_bin", "goes with numerical features only")
    if numerical and len(values) - missing_bin != len(cuts) + 1:
        raise fields.error("cuts", f"are {len(cuts)}, which does not fit {len(values)} values")
    if not numerical and cuts:
        raise fields.error("cuts", "go with numerical features only")
    if any(not low < high for low, high in zip(cuts, cuts[1:], strict=False)):
        raise fields.error("cuts", "do not rise")
    if not all(math.isfinite(cut) for cut in cuts):
        raise fields.error("cuts", "are not all finite")
    measure = fields.text("measure") if "measure" in fields else ""
    return Feature(fields.text("name"), FeatureKind(kind), values, cuts, missing_bin, measure)


def _node_to_json(tree: Tree, node: Node) -> dict[str, Any]:
    counts = {"negative": node.n_negative, "positive": node.n_positive}
    if isinstance(node, Leaf):
        return {"label": tree.label_name(node.label), "positive": node.label, "counts": counts}
    feature = tree.features[node.split.feature]
    left = sorted(node.split.left)
    return {
        "question": split_words(tree, node).question,
        "feature": feature.name,
        "feature_index": node.split.feature,
        "left_values": [feature.values[code] for code in left] if writes_labels(feature) else None,
        "left_codes": left,
        "observed_codes": sorted(node.observed),
        "unseen": "left" if node.unseen_left else "right",
        "counts": counts,
        "left": _node_to_json(tree, node.left),
        "right": _node_to_json(tree, node.right),
    }


def _node_from_json(fields: Fields, features: tuple[Feature, ...], level: int) -> Node:
    if level > MAX_DEPTH:
        raise InputError(f"The model file is damaged: its tree has more than {MAX_DEPTH} levels.")
    counts = fields.record("counts")
    n_negative, n_positive = counts.count("negative"), counts.count("positive")
    if "left" not in fields:
        return Leaf(fields.flag("positive"), n_negative, n_positive)
    index = fields.count("feature_index")
    if index >= len(features):
        raise fields.error("feature_index", f"is {index}, but there are {len(features)} features")
    feature = features[index]
    if fields.text("feature") != feature.name:
        raise fields.error("feature", f"is not the name of feature {index}, {feature.name!r}")
    left = _codes(fields, "left_codes", feature)
    is_unwritten = feature.is_numerical and fields.is_null("left_values")
    names = tuple(feature.values[code] for code in sorted(left))
    if not is_unwritten and fields.texts("left_values") != names:
        raise fields.error("left_values", "are not the names of left_codes")
    if not is_threshold(feature, left):
        raise fields.error("left_codes", f"are not one side of a cut of {feature.name!r}")
    unseen = fields.text("unseen")
    if unseen not in ("left", "right"):
        raise fields.error("unseen", f"is {unseen!r}, but should be left or right")
    return Decision(
        split=Split(index, left),
        left=_node_from_json(fields.record("left"), features, level + 1),
        right=_node_from_json(fields.record("right"), features, level + 1),
        observed=_codes(fields, "observed_codes", feature),
        unseen_left=unseen == "left",
        n_negative=n_negative,
        n_positive=n_positive,
    )


def _codes(fields: Fields, name: str, feature: Feature) -> frozenset[int]:
    codes = fields.counts(name)
    if any(code >= feature.n_values for code in codes):
        raise fields.error(name, f"go beyond the {feature.n_values} values of {feature.name!r}")
    return frozenset(codes)
