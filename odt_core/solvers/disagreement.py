"""Files that reproduce a disagreement of two engines.

``python -m odt_core.solvers.disagreement FILE`` solves the file's problem with each engine alone,
and prints the original and the new answers.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from odt_core.folders import data_folder
from odt_core.json_data import as_json, read_json
from odt_core.problem import EncodedData, Feature, Objective, Problem, Rules, SmallestLeaf
from odt_core.solution import Assignment, Engine
from odt_core.solvers.control import Control
from odt_core.solvers.mip.options import MipOptions
from odt_core.topology import Topology
from odt_core.tree import count_assignment, keeps_smallest_leaf

_CONDITIONS = {
    "topology": Topology,
    "objective": Objective,
    "max_card": int | None,
    "rules": Rules,
    "forbid_empty_branches": bool,
    "smallest_leaf": SmallestLeaf | None,
}
"""The fields of a problem besides its rows, and their types."""
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
        "mip_options": as_json(options),
        "search": as_json(by_search),
        "mip": as_json(by_mip),
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def problem_to_json(problem: Problem) -> dict[str, Any]:
    """Write a problem, with identical rows merged, as JSON that `problem_from_json` can read."""
    data = problem.data.merged()
    return {
        **{name: as_json(getattr(problem, name)) for name in _CONDITIONS},
        "features": as_json(data.features),
        "codes": data.codes.tolist(),
        "y": data.y.tolist(),
        "weight": data.weight.tolist(),
    }


def problem_from_json(record: dict[str, Any]) -> Problem:
    """Rebuild a problem from the JSON of `problem_to_json`."""
    data = EncodedData(
        np.array(record["codes"], dtype=np.int32),
        np.array(record["y"], dtype=np.bool_),
        np.array(record["weight"], dtype=np.int64),
        read_json(tuple[Feature, ...], record["features"]),
    )
    return Problem(
        data, **{name: read_json(kind, record[name]) for name, kind in _CONDITIONS.items()}
    )


def reproduce(path: Path) -> str:
    """Solve the problem again. Return the original and the new answers, one on each line."""
    from odt_core.solvers import solve

    record = json.loads(path.read_text(encoding="utf-8"))
    problem = problem_from_json(record["problem"])
    options = read_json(MipOptions, record["mip_options"])
    lines = [record["reason"]]
    for name in ("search", "mip"):
        tree = read_json(Assignment | None, record[name])
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


if __name__ == "__main__":
    print(reproduce(Path(sys.argv[1])))
