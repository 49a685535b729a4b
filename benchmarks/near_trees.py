"""Near-optimal trees: how long lists of trees take, on the breast cancer sample by deciles.

python -m benchmarks.near_trees [--file FILE --target COL --positive LABEL]
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from odt_core.alternatives.listing import find_near_trees
from odt_core.data import SAMPLES, ColumnKind, ReadOptions, SplitSpec, infer_schema, read_table
from odt_core.problem import Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import warm_up
from odt_core.topology import Topology
from odt_core.training import TrainSpec, build_problem, prepare_training

LISTS = (("depth-2", 1000), ("depth-2", 100_000), ("depth-3", 100), ("depth-3", 1000))
"""Shapes, and how many trees at most."""


def problem_of(options: argparse.Namespace, shape: str) -> Problem:
    """The problem of a shape on all rows of the file, or of the sample."""
    if options.file is None:
        sample = SAMPLES["breast-cancer"]
        table = read_table(sample.csv(), ReadOptions(), name="breast-cancer.csv")
        schema = sample.schema()
    else:
        table = read_table(options.file, ReadOptions(), name=options.file.name)
        schema = infer_schema(table, options.target, options.positive).confirmed()
        names = [column.name for column in schema.columns]
        schema = schema.with_kinds(dict.fromkeys(names, ColumnKind.NUMERICAL))
    spec = TrainSpec(schema=schema, split=SplitSpec.parse("all"), topology=Topology.parse(shape))
    return build_problem(prepare_training(table, spec), spec)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--target")
    parser.add_argument("--positive")
    parser.add_argument("--most", type=int, default=100_000, help="leave longer lists out")
    options = parser.parse_args()
    warm_up()
    for shape, number in LISTS:
        if number > options.most:
            continue
        task = problem_of(options, shape)
        wall, cpu = time.perf_counter(), time.process_time()
        found = find_near_trees([task], Control(200.0), number=number)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        below = found.complete_below
        print(
            f"load {os.getloadavg()[0]:.1f}: {task.data.n_rows} rows, {task.data.n_columns} "
            f"columns, {shape}: {len(found.trees):,} trees, least {found.least}, none missing "
            f"below {'any' if below is None else below}, {found.end}; {cpu:.1f} s CPU, {wall:.1f} s"
        )


if __name__ == "__main__":
    main()
