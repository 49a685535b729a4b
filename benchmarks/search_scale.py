"""The exact search on many rows: 14 features with about 120 categories, depth 3.

python -m benchmarks.search_scale [--rows 1000000] [--topology depth-3] [--threads 1]
"""

from __future__ import annotations

import argparse
import os
import resource
import time

import numpy as np

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import solve_search, warm_up
from odt_core.topology import Topology

SIZES = (5, 9, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 37)


def synthetic(rows: int, seed: int = 0) -> EncodedData:
    """Independent categories with falling frequency; labels from a depth-3 tree, with noise."""
    generator = np.random.default_rng(seed)
    codes = np.empty((rows, len(SIZES)), np.int32)
    for g, size in enumerate(SIZES):
        share = 1 / np.arange(1, size + 1)
        codes[:, g] = generator.choice(size, rows, p=share / share.sum())
    planted = np.where(codes[:, 6] < 3, codes[:, 3] < 4, (codes[:, 13] < 2) ^ (codes[:, 0] < 2))
    y = planted ^ (generator.random(rows) < 0.25)
    features = tuple(
        Feature(f"f{g}", FeatureKind.CATEGORICAL, tuple(f"v{v}" for v in range(size)))
        for g, size in enumerate(SIZES)
    )
    return EncodedData(codes, y, np.ones(rows, np.int64), features)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--topology", default="depth-3")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    warm_up()
    task = Problem(synthetic(options.rows), Topology.parse(options.topology), max_card=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    wall, cpu = time.perf_counter(), time.process_time()
    outcome = solve_search(task, Control(threads=options.threads))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: {options.rows} rows "
        f"{options.topology} proved {outcome.proved} wall {wall:.2f} cpu {cpu:.2f} "
        f"memory {before:.2f} -> {peak:.2f} GiB"
    )


if __name__ == "__main__":
    main()
