"""The exact search against pystreed on the same rows and the same binary columns, one thread.

    python -m benchmarks.search_peers [--limit 100]

Needs ``pip install pystreed==1.4.0``. Every column of the search becomes a two-valued feature of
both: one for each category, one for each threshold.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from pystreed import STreeDClassifier

from benchmarks.search_problems import problem
from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solvers.search import solve_search, warm_up
from odt_core.topology import Topology

TASKS = (("a1a", 600), ("krkp", 2876), ("bc", 614), ("heloc", 8883))


def binary(task: Problem) -> Problem:
    """The same rows as 0/1 columns."""
    columns = []
    for g, feature in enumerate(task.data.features):
        codes = task.data.codes[:, g]
        if feature.is_numerical:
            columns += [codes <= cut for cut in range(feature.n_values - 1)]
        elif feature.n_values == 2:
            columns.append(codes == 1)
        else:
            columns += [codes == value for value in range(feature.n_values)]
    matrix = np.column_stack(columns).astype(np.int32)
    matrix = matrix[:, (matrix.min(axis=0) == 0) & (matrix.max(axis=0) == 1)]
    features = tuple(
        Feature(f"c{c}", FeatureKind.CATEGORICAL, ("0", "1")) for c in range(matrix.shape[1])
    )
    data = EncodedData(matrix, task.data.y, task.data.weight, features)
    return Problem(data, task.topology)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=100.0)
    options = parser.parse_args()
    warm_up()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name, rows in TASKS:
        for depth in (3, 4):
            task = binary(problem(name, f"depth-{depth}", rows=rows))
            task = Problem(task.data, Topology.parse(f"depth-{depth}"))
            cpu = time.process_time()
            ours = solve_search(task, time_limit=options.limit)
            own = time.process_time() - cpu
            model = STreeDClassifier("accuracy", max_depth=depth, time_limit=options.limit)
            cpu = time.process_time()
            model.fit(task.data.codes, task.data.y.astype(int))
            peer = time.process_time() - cpu
            errors = int((model.predict(task.data.codes) != task.data.y).sum())
            assert ours.total is not None
            print(
                f"{name:6s} {rows:5d} rows {task.data.n_features:4d} columns depth {depth}: "
                f"search {task.data.n_rows - ours.total} errors, cpu {own:.3f} "
                f"(proved {ours.proved}); pystreed {errors} errors, cpu {peer:.3f}; "
                f"ratio {own / peer:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
