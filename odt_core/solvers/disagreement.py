"""A file that lets anyone see two engines disagree."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from odt_core.folders import data_folder
from odt_core.problem import Problem
from odt_core.solution import Assignment


def write_disagreement(
    problem: Problem, reason: str, by_search: Assignment | None, by_mip: Assignment | None
) -> Path:
    """Write the problem and both answers as JSON; returns the file."""
    folder = data_folder() / "disagreements"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**6:06d}.json"
    record = {
        "reason": reason,
        "problem": problem_to_json(problem),
        "search": _assignment_to_json(by_search),
        "mip": _assignment_to_json(by_mip),
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """Everything that decides a problem, with identical rows merged."""
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


def _assignment_to_json(assignment: Assignment | None) -> dict[str, Any] | None:
    if assignment is None:
        return None
    return {
        "splits": [
            {"feature": split.feature, "left": sorted(split.left)} for split in assignment.splits
        ],
        "labels": list(assignment.labels),
    }
