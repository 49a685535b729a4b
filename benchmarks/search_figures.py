"""Times of the exact search on the problems of the prototypes, and on all ten sets.

    python -m benchmarks.search_figures figures [--threads 1] [--limit 60]
    python -m benchmarks.search_figures sets [--rows 600|0.9] [--threads 2]
    python -m benchmarks.search_figures frontier

Seconds are of the search alone, from the encoded table; kernels are compiled before. `cpu` is the
time of the process, which matters where other programs share the machine.
"""

from __future__ import annotations

import argparse
import os
import time

from benchmarks.search_problems import POSITIVE, problem
from odt_core.problem import Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import frontier, solve_search, warm_up

NINE_NODES = "((((. .)(. .))((. .)(. .)))(. .))"
"""A root above a depth-3 tree: the prototypes may have called this imbalanced (docs/method.md)."""

FIGURES = (
    # data set, rows, ordered, max_card, topologies, prototype's seconds
    ("a1a", 600, True, 2, ("depth-3", "imbalanced", NINE_NODES, "depth-4"),
     (0.010, 0.74, 0.74, 1.03)),
    ("a1a", 1444, True, 2, ("imbalanced", "depth-4"), (1.7, 2.4)),
    ("a1a", 600, True, 1, ("depth-3", "depth-4"), (0.003, 0.10)),
    ("krkp", 2876, True, 2, ("depth-3", "depth-4"), (0.016, 0.076)),
    ("bc", 614, True, 2, ("depth-3", "depth-4"), (0.002, 0.076)),
    ("heloc", 8883, True, 2, ("depth-3", "depth-4"), (0.06, 7.0)),
    ("a1a", 600, True, None, ("depth-2", "depth-3", "imbalanced", "depth-4"),
     (0.0002, 0.35, 47.0, 88.0)),
    ("a1a", 600, True, 2, ("cues-3", "cues-4"), (0.03, 18.6)),
)  # fmt: skip
FRONTIERS = (
    ("bc", True, 2, ("depth-2", "depth-3"), (0.0002, 0.015)),
    ("bc", False, 2, ("depth-2", "depth-3"), (0.004, 0.28)),
    ("a1a", True, 2, ("depth-3",), (0.49,)),
)
PAPER_TOPOLOGIES = ("depth-2", "depth-2.5", "depth-3", "imbalanced")


def timed(task: Problem, threads: int, limit: float) -> str:
    """One line about one solve."""
    wall, cpu = time.perf_counter(), time.process_time()
    outcome = solve_search(task, Control(limit, threads=threads))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert outcome.total is not None
    rows = task.data.n_rows
    state = "proved" if outcome.proved else f"bound {rows - outcome.bound}"
    return f"errors {rows - outcome.total:5d} {state:11s} wall {wall:8.3f} cpu {cpu:8.3f}"


def figures(threads: int, limit: float) -> None:
    """The prototypes' problems."""
    for name, rows, ordered, max_card, topologies, seconds in FIGURES:
        for topology, prototype in zip(topologies, seconds, strict=True):
            task = problem(name, topology, rows=rows, max_card=max_card, ordered=ordered)
            line = timed(task, threads, limit)
            shape = "nine nodes" if topology == NINE_NODES else topology
            label = f"{name:6s} {rows:5d} rows, max_card {max_card!s:4s} {shape:10s}"
            print(f"{label} {line} prototype {prototype:8.4f}", flush=True)


def sets(rows: float, threads: int, limit: float) -> None:
    """All ten sets with the paper's four topologies, max_card 2."""
    size = int(rows) if rows > 1 else float(rows)
    for name in POSITIVE:
        for topology in PAPER_TOPOLOGIES:
            line = timed(problem(name, topology, rows=size), threads, limit)
            print(f"{name:8s} {topology:10s} {line}", flush=True)


def frontiers() -> None:
    """Whole frontiers."""
    for name, ordered, max_card, topologies, seconds in FRONTIERS:
        for topology, prototype in zip(topologies, seconds, strict=True):
            task = problem(name, topology, max_card=max_card, ordered=ordered)
            cpu = time.process_time()
            outcome = frontier(task, Control(120))
            cpu = time.process_time() - cpu
            print(
                f"{name:4s} ordered {ordered!s:5s} {topology:8s} points {len(outcome.points):3d} "
                f"proved {outcome.proved} wall {outcome.seconds:7.3f} cpu {cpu:7.3f} "
                f"prototype {prototype:7.4f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("figures", "sets", "frontier"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--rows", type=float, default=600)
    options = parser.parse_args()
    warm_up()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.threads} thread(s)")
    if options.what == "figures":
        figures(options.threads, options.limit)
    elif options.what == "sets":
        sets(options.rows, options.threads, options.limit)
    else:
        frontiers()


if __name__ == "__main__":
    main()
