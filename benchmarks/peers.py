"""Other programs that search for the best tree, beside ours, on the same rows.

    pip install -r requirements-bench.txt
    python -m benchmarks.peers [--limit 60] [--only "our search,ConTree"] [--sets bc]

Each program solves each task once, with one thread, in a process of its own. The table has the
errors of its tree on the training rows, whether it says that no tree is better, CPU seconds of the
fit without importing and compiling, and the most memory that the process held, libraries included.
A task has 0/1 columns, one for each category or threshold, or raw numbers. A program that is not
installed is named and left out.

imodels' search has another goal: errors and a price for each leaf, at any depth. The price is a
hundredth here, so its errors cannot be compared with the others'. odtlearn 1.1.0 is left out: it
looks for CBC where python-mip kept it before 2.0.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.every_cut import breast_cancer, every_cut
from benchmarks.paper import print_table
from benchmarks.paper_rows import cpu_seconds
from benchmarks.search_problems import DATA, binary, problem
from odt_core.problem import Problem
from odt_core.solution import Engine, Status
from odt_core.solvers.control import Control
from odt_core.topology import Topology

GRACE = 30
"""Seconds that a process has besides the limit, to start, compile and end."""
RAW = "raw breast cancer"
PRICE = 0.01


@dataclass(frozen=True)
class Task:
    """A data set and a whole depth to solve."""

    data: str
    depth: int

    @property
    def is_raw(self) -> bool:
        """Whether the columns are numbers with many values."""
        return self.data == RAW

    def load(self) -> Rows:
        """Read its rows, for our programs and for the others."""
        shape = Topology.parse(f"depth-{self.depth}")
        if self.is_raw:
            x, y = breast_cancer()
            return Rows(Problem(every_cut(x, y), shape), x, y, self.depth)
        ours = binary(problem(self.data, shape.text, rows=600))
        return Rows(ours, ours.data.codes.astype(np.int32), ours.data.y, self.depth)


@dataclass(frozen=True)
class Rows:
    """Rows as a problem of our program, and as a matrix."""

    problem: Problem
    x: npt.NDArray[Any]
    y: npt.NDArray[np.bool_]
    depth: int

    def few(self) -> Rows:
        """A small part, to compile with."""
        data, picked = self.problem.data, slice(0, None, max(1, len(self.y) // 40))
        part = dataclasses.replace(
            data, codes=data.codes[picked], y=data.y[picked], weight=data.weight[picked]
        )
        return Rows(dataclasses.replace(self.problem, data=part), self.x[picked], self.y[picked], 1)

    def errors(self, model: Any) -> int:
        """The number of rows that a fitted model gets wrong."""
        return int((np.asarray(model.predict(self.x)).astype(int) != self.y).sum())


@dataclass(frozen=True)
class Answer:
    """What a program says: errors, and whether it proves them least (None: it never says)."""

    errors: int | None
    is_proved: bool | None


Method = Callable[[Rows, float], Answer]


def own(engine: Engine) -> Method:
    """Our search or our integer program."""

    def run(rows: Rows, limit: float) -> Answer:
        from odt_core.solvers import solve
        from odt_core.solvers.mip.process import end_idle_child
        from odt_core.solvers.search import warm_up

        if engine is Engine.SEARCH:
            warm_up()  # a small problem alone would not load what is compiled
        found = solve(rows.problem, engine=engine, control=Control(limit))
        end_idle_child()  # only a process that has ended is counted
        errors = None if found.confusion is None else found.confusion.errors
        return Answer(errors, found.status is Status.OPTIMAL)

    return run


def cart(rows: Rows, limit: float) -> Answer:
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(max_depth=rows.depth, random_state=0)
    return Answer(rows.errors(model.fit(rows.x, rows.y.astype(int))), None)


def streed(rows: Rows, limit: float) -> Answer:
    from pystreed import STreeDClassifier

    model = STreeDClassifier("accuracy", max_depth=rows.depth, time_limit=limit)
    model.fit(rows.x, rows.y.astype(int))
    return Answer(rows.errors(model), bool(model.fit_result.is_optimal()))


def contree(rows: Rows, limit: float) -> Answer:
    from pycontree import ConTree

    model = ConTree(max_depth=rows.depth, time_limit=limit)
    model.fit(rows.x.astype(float), rows.y.astype(int))
    return Answer(rows.errors(model), bool(model._config.is_within_time_limit()))


def dl85(rows: Rows, limit: float) -> Answer:
    from pytrees import DL85Classifier

    model = DL85Classifier(max_depth=rows.depth, max_time=limit)
    model.fit(rows.x, rows.y.astype(int))
    return Answer(rows.errors(model), model.status_ == "optimal")


def pytrees_contree(rows: Rows, limit: float) -> Answer:
    from pytrees import ConTreeClassifier

    model = ConTreeClassifier(max_depth=rows.depth, max_time=limit)
    model.fit(rows.x.astype(float), rows.y.astype(int))
    return Answer(rows.errors(model), model.status_ == "optimal")


def small_tree(rows: Rows, limit: float) -> Answer:
    from imodels import FastSmallTreeClassifier

    model = FastSmallTreeClassifier(regularization=PRICE, time_limit=limit)
    model.fit(rows.x.astype(float), rows.y.astype(int))
    return Answer(rows.errors(model), bool(model.optimal_))


@dataclass(frozen=True)
class Program:
    """A program: its method, the module it needs, and which tasks it takes."""

    method: Method
    module: str
    package: str = ""
    takes_raw: bool = True
    takes_binary: bool = True


PROGRAMS: dict[str, Program] = {
    "our search": Program(own(Engine.SEARCH), "odt_core"),
    "our CBC": Program(own(Engine.CBC), "mip", takes_raw=False),
    "CART": Program(cart, "sklearn"),
    "pystreed": Program(streed, "pystreed", "pystreed", takes_raw=False),
    "ConTree": Program(contree, "pycontree", "pycontree"),
    "pytrees-rs DL8.5": Program(dl85, "pytrees", "pytrees-rs", takes_raw=False),
    "pytrees-rs ConTree": Program(pytrees_contree, "pytrees", "pytrees-rs", takes_binary=False),
    "imodels' small tree": Program(small_tree, "imodels", "imodels"),
}
TASKS = (
    Task("bc", 2),
    Task("bc", 3),
    Task("a1a", 2),
    Task("a1a", 3),
    Task("krkp", 3),
    Task("ttt", 3),
    Task(RAW, 2),
)


def measure(name: str, task: Task, limit: float) -> dict[str, Any]:
    """One program's answer to one task, in this process."""
    rows, program = task.load(), PROGRAMS[name]
    program.method(rows.few(), limit)  # imports and compiles
    before = cpu_seconds()
    answer = program.method(rows, limit)
    seconds = cpu_seconds() - before
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(one).ru_maxrss for one in who)
    return {**dataclasses.asdict(answer), "seconds": seconds, "mebibytes": most / 1024}


def measure_apart(name: str, task: Task, limit: float) -> list[str]:
    """The cells of one program and task, measured in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.peers", "--limit", str(limit)]
    words += ["--one", name, task.data, str(task.depth)]
    try:
        ended = subprocess.run(
            words, capture_output=True, text=True, timeout=2 * limit + GRACE, check=False
        )
    except subprocess.TimeoutExpired:
        return ["", "", "cut off", ""]
    if ended.returncode:
        reason = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        return ["", "", f"failed: {reason[:80]}", ""]
    found = json.loads(ended.stdout.strip().splitlines()[-1])
    proof = {True: "proved", False: "no", None: "-"}[found["is_proved"]]
    errors = "-" if found["errors"] is None else str(found["errors"])
    return [errors, proof, f"{found['seconds']:.3f}", f"{found['mebibytes']:.0f}"]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each fit")
    parser.add_argument("--only", default=",".join(PROGRAMS), help="programs, commas between")
    parser.add_argument("--sets", default=",".join({task.data: 0 for task in TASKS}))
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.one:
        name, data, depth = options.one
        print(json.dumps(measure(name, Task(data, int(depth)), options.limit)))
        return 0
    if not DATA.is_dir():
        print(f"The data sets are not there: put them into {DATA}.", file=sys.stderr)
        return 2
    asked = [name for name in PROGRAMS if name in options.only.split(",")]
    absent = [name for name in asked if importlib.util.find_spec(PROGRAMS[name].module) is None]
    for name in absent:
        print(f"{name} is not installed: pip install {PROGRAMS[name].package}.\n")
    programs = [name for name in asked if name not in absent]
    tasks = [
        (task, name)
        for task in TASKS
        if task.data in options.sets.split(",")
        for name in programs
        if (PROGRAMS[name].takes_raw if task.is_raw else PROGRAMS[name].takes_binary)
    ]
    heads = ("rows", "depth", "program", "errors", "proof", "CPU seconds", "MiB")
    print_table(
        heads,
        (
            [task.data, str(task.depth), name, *measure_apart(name, task, options.limit)]
            for task, name in tasks
        ),
    )
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, one thread, one run.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
