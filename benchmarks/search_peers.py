"""The exact search against pystreed on the same rows and the same binary columns, one thread.

    python -m benchmarks.search_peers [--limit 100] [--pairs]

Needs ``pip install pystreed==1.4.0``. Every column of the search becomes a two-valued feature of
both: one for each category, one for each threshold. With ``--pairs`` pystreed gets a column for
each pair of a feature's categories, too, and the search the features themselves with two
categories allowed on one side, which is the same problem.
"""

from __future__ import annotations

import argparse
import os
import time

from pystreed import STreeDClassifier

from benchmarks.search_problems import binary, problem
from odt_core.problem import Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import solve_search, warm_up

TASKS = (("a1a", 600), ("krkp", 2876), ("bc", 614), ("heloc", 8883))


def compare(name: str, depth: int, ours: Problem, theirs: Problem, limit: float) -> None:
    """One line about one problem."""
    cpu = time.process_time()
    found = solve_search(ours, Control(limit))
    own = time.process_time() - cpu
    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=limit)
    cpu = time.process_time()
    model.fit(theirs.data.codes, theirs.data.y.astype(int))
    peer = time.process_time() - cpu
    errors = int((model.predict(theirs.data.codes) != theirs.data.y).sum())
    assert found.total is not None
    print(
        f"{name:6s} {ours.data.n_rows:5d} rows {theirs.data.n_features:4d} columns depth {depth}: "
        f"search {ours.data.n_rows - found.total} errors, cpu {own:.3f} "
        f"(proved {found.proved}); pystreed {errors} errors, cpu {peer:.3f}; "
        f"ratio {own / peer:.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=100.0)
    parser.add_argument("--pairs", action="store_true")
    options = parser.parse_args()
    warm_up()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name, rows in TASKS:
        for depth in (3, 4):
            plain = problem(name, f"depth-{depth}", rows=rows, max_card=2)
            theirs = binary(plain, options.pairs)
            ours = plain if options.pairs else Problem(theirs.data, plain.topology)
            compare(name, depth, ours, theirs, options.limit)


if __name__ == "__main__":
    main()
