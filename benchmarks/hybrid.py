"""The default engine: the exact search, and CBC's confirmation at any length, by the clock.

    python -m benchmarks.hybrid [--threads 1] [--limit 60]

CBC is a process of its own, so wall time counts: run it on a machine without other work.
"""

from __future__ import annotations

import argparse
import os

from benchmarks.search_problems import problem
from odt_core.solution import Engine
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search import warm_up

TASKS = (
    # data set, rows, ordered, max_card, topology, seconds asked for
    ("ttt", 200, True, None, "depth-3", 2.0),
    ("ttt", None, True, None, "depth-2.5", 6.0),
    ("bc", 600, True, 2, "depth-2", 3.0),
    ("monks-1", None, True, None, "depth-2", None),
    ("a1a", 600, True, 2, "depth-3", None),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0)
    options = parser.parse_args()
    warm_up()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.threads} thread(s)")
    for name, rows, ordered, max_card, topology, asked in TASKS:
        task = problem(name, topology, rows=rows, max_card=max_card, ordered=ordered)
        found = solve(
            task,
            engine=Engine.HYBRID,
            control=Control(options.limit, threads=options.threads),
            mip_options=MipOptions(confirm_always=True),
        )
        assert found.confusion is not None
        goal = "" if asked is None else f" (asked {asked:g})"
        role = "CBC not asked" if found.mip is None else f"CBC {found.mip.role.value}"
        print(
            f"{name:8s} {task.data.n_rows:4d} rows {topology:9s} "
            f"errors {found.confusion.errors:4d} {found.status.value}, {role}: "
            f"search {found.seconds.search:.3f} s, all {found.seconds.total:.2f} s{goal}",
            flush=True,
        )


if __name__ == "__main__":
    main()
