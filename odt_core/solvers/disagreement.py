"""Files that reproduce a disagreement of two engines.

``python -m odt_core.solvers.disagreement FILE`` solves the file's problem with each engine alone,
and prints the original and the new answers.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from odt_core.folders import data_folder
from odt_core.problem import (
    EncodedData,
    Feature,
    FeatureKind,
    Goal,
    LeafCount,
    NodeRule,
    Objective,
    Problem,
    Rules,
    SmallestLeaf,
    Split,
)
from odt_core.solution import Assignment, Engine
from odt_core.solvers.control import Control
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import Topology
from odt_core.tree import count_assignment, keeps_smallest_leaf

FLOORS = ("min_tpr", "min_tnr")
LIMITS = Control(time_limit=60.0)
"""The limits of each engine for solving the problem again."""


def write_disagreement(
    problem: Problem,
    reason: str,
    by_search: Assignment | None,
    by_mip: Assignment | None,
    options: MipOptions,
) -> Path:
    """Write the problem, the switches and both answers as JSON; return the path."""
    folder = data_folder() / "disagreements"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**6:06d}.json"
    record = {
        "reason": reason,
        "problem": problem_to_json(problem),
        "mip_options": dataclasses.asdict(options),
        "search": _assignment_to_json(by_search),
        "mip": _assignment_to_json(by_mip),
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """Write a problem, with identical rows merged, as JSON that `problem_from_json` can read."""
    data = problem.data.merged()
    objective = problem.objective
    return {
        "topology": problem.topology.text,
        "goal": objective.goal.value,
        "class_weight": str(objective.class_weight),
        "min_tpr": None if objective.min_tpr is None else str(objective.min_tpr),
        "min_tnr": None if objective.min_tnr is None else str(objective.min_tnr),
        "max_card": problem.max_card,
        "forbid_empty_branches": problem.forbid_empty_branches,
        "smallest_leaf": None
        if problem.smallest_leaf is None
        else {"rows": problem.smallest_leaf.rows, "of": problem.smallest_leaf.of.value},
        "forbidden": sorted(problem.rules.forbidden),
        "rules": [
            {
                "node": node,
                "features": None if rule.features is None else sorted(rule.features),
                "split": None
                if rule.split is None
                else {"feature": rule.split.feature, "left": sorted(rule.split.left)},
            }
            for node, rule in problem.rules.nodes
        ],
        "features": [
            {
                "name": feature.name,
                "kind": feature.kind.value,
                "values": list(feature.values),
                "cuts": list(feature.cuts),
                "has_missing": feature.has_missing,
            }
            for feature in data.features
        ],
        "codes": data.codes.tolist(),
        "y": data.y.tolist(),
        "weight": data.weight.tolist(),
    }


def problem_from_json(record: dict[str, Any]) -> Problem:
    """Rebuild a problem from the JSON of `problem_to_json`."""
    features = tuple(
        Feature(
            feature["name"],
            FeatureKind(feature["kind"]),
            tuple(feature["values"]),
            tuple(feature["cuts"]),
            feature["has_missing"],
        )
        for feature in record["features"]
    )
    data = EncodedData(
        np.array(record["codes"], dtype=np.int32),
        np.array(record["y"], dtype=np.bool_),
        np.array(record["weight"], dtype=np.int64),
        features,
    )
    objective = Objective(
        Goal(record["goal"]),
        Fraction(record["class_weight"]),
        *(None if record[name] is None else Fraction(record[name]) for name in FLOORS),
    )
    rules = Rules(
        frozenset(record["forbidden"]),
        tuple((rule["node"], _rule_from_json(rule)) for rule in record["rules"]),
    )
    leaf = record.get("smallest_leaf")
    return Problem(
        data,
        Topology.parse(record["topology"]),
        objective,
        record["max_card"],
        rules,
        record["forbid_empty_branches"],
        None if leaf is None else SmallestLeaf(leaf["rows"], LeafCount(leaf["of"])),
    )


def _rule_from_json(record: dict[str, Any]) -> NodeRule:
    features, split = record["features"], record["split"]
    return NodeRule(
        None if features is None else frozenset(features),
        None if split is None else Split(split["feature"], frozenset(split["left"])),
    )


def reproduce(path: Path) -> str:
    """Solve the problem again. Return the original and the new answers, one on each line."""
    from odt_core.solvers import solve

    record = json.loads(path.read_text(encoding="utf-8"))
    problem, options = problem_from_json(record["problem"]), MipOptions(**record["mip_options"])
    lines = [record["reason"]]
    for name in ("search", "mip"):
        tree = _assignment_from_json(record[name])
        worth = "no tree" if tree is None else _worth(problem, tree)
        lines.append(f"{name} answered: {worth}")
    for engine in (Engine.SEARCH, Engine.CBC, Engine.HIGHS):
        solution = solve(problem, engine=engine, control=LIMITS, mip_options=options)
        total = "no tree" if solution.total is None else f"a tree worth {solution.total}"
        lines.append(f"{engine} alone: {solution.status}, {total}, at most {solution.bound}")
    return "\n".join(lines)


def _worth(problem: Problem, tree: Assignment) -> str:
    if not problem.admits_all(tree.splits, tree.labels):
        return "a tree that breaks the problem's conditions"
    confusion = count_assignment(problem, tree.splits, tree.labels)
    below = "" if problem.gains.allows(confusion) else ", below a floor"
    small = "" if keeps_smallest_leaf(problem, tree.splits) else ", with a leaf that is too small"
    return f"a tree worth {problem.gains.total(confusion)}{below}{small}"


def _assignment_from_json(record: dict[str, Any] | None) -> Assignment | None:
    if record is None:
        return None
    splits = (Split(split["feature"], frozenset(split["left"])) for split in record["splits"])
    return Assignment(tuple(splits), tuple(record["labels"]))


def _assignment_to_json(assignment: Assignment | None) -> dict[str, Any] | None:
    if assignment is None:
        return None
    return {
        "splits": [
            {"feature": split.feature, "left": sorted(split.left)} for split in assignment.splits
        ],
        "labels": list(assignment.labels),
    }


if __name__ == "__main__":
    print(reproduce(Path(sys.argv[1])))
