"""The search over every cut point against ConTree, on the same raw numbers.

    pip install pycontree==1.0.8
    python -m benchmarks.every_cut [--frontier] [--repeats 3] [names]

CPU seconds of one thread. *Search* is the search alone from the encoded table, as in the other
tables of docs/benchmarks.md. *Whole* is a call of our program from codes to the written tree, which
takes a few milliseconds more. Kernels are compiled before. Each repeat measures everything, and the
least time counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

from benchmarks.search_problems import DATA
from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import frontier, solve_search, warm_up
from odt_core.solvers.search.columns import Encoding, encode
from odt_core.solvers.search.search import Search
from odt_core.topology import Topology

Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]


def breast_cancer() -> Table:
    """569 x 30."""
    found = load_breast_cancer()
    return found.data, found.target == 1


def digits() -> Table:
    """1797 x 64: the digit 8 or another one."""
    found = load_digits()
    return found.data, found.target == 8


def heloc() -> Table:
    """9871 x 23, special codes as numbers."""
    table = pd.read_csv(DATA / "heloc.csv")
    return table.iloc[:, :-1].to_numpy(float), (table["class"] == "Good").to_numpy()


def diabetes() -> Table:
    """442 x 10: above the median."""
    found = load_diabetes()
    return found.data, found.target > np.median(found.target)


def wine() -> Table:
    """178 x 13: the second kind or another one."""
    found = load_wine()
    return found.data, found.target == 1


def student() -> Table:
    """395 x 13 numbers without the earlier grades: passed or not."""
    table = pd.read_csv(DATA / "student_raw.csv")
    numbers = table.select_dtypes("number").drop(columns=["G1", "G2", "G3"])
    return numbers.to_numpy(float), (table["G3"] >= 10).to_numpy()


def wine_colour() -> Table:
    """178 x 12: the colour's strength above its median, from the other numbers."""
    found = load_wine()
    return np.delete(found.data, 9, axis=1), found.data[:, 9] > np.median(found.data[:, 9])


def adult() -> Table:
    """32561 x 6: the numbers of Adult's training rows."""
    table = pd.read_csv(DATA / "adult.csv.gz")
    table = table[table["split"] == "train"]
    return table.select_dtypes("number").to_numpy(float), (table["class"] == ">50K").to_numpy()


SETS: tuple[tuple[Callable[[], Table], tuple[int, ...]], ...] = (
    (breast_cancer, (2, 3)),
    (heloc, (2,)),
    (digits, (2,)),
    (diabetes, (2, 3)),
    (student, (2, 3)),
    (wine_colour, (2, 3)),
    (wine, (2,)),
    (adult, (2,)),
)


def every_cut(x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> EncodedData:
    """A bin for each distinct number."""
    codes, features = [], []
    for j in range(x.shape[1]):
        known, code = np.unique(x[:, j], return_inverse=True)
        cuts = tuple(((known[1:] + known[:-1]) / 2).tolist())
        names = tuple(map(str, range(len(known))))
        features.append(Feature(f"x{j}", FeatureKind.NUMERICAL, names, cuts))
        codes.append(code)
    ones = np.ones(len(y), np.int64)
    return EncodedData(np.column_stack(codes).astype(np.int32), y, ones, tuple(features))


def timed(task: Callable[[], int]) -> tuple[int, float]:
    """What a task returns, and its CPU seconds."""
    before = time.process_time()
    answer = task()
    return answer, time.process_time() - before


def ours(data: EncodedData, depth: int) -> int:
    """Errors of the best tree, proved."""
    problem = Problem(data, Topology.parse(f"depth-{depth}"))
    outcome = solve_search(problem, Control(600, threads=1))
    assert outcome.proved and outcome.total is not None
    return data.n_rows - outcome.total


def search_alone(encoding: Encoding) -> int:
    """Errors of the best tree, without encoding and without writing it down."""
    cost, _ = Search(encoding).root()
    return encoding.most - encoding.total(cost)


def theirs(x: npt.NDArray[np.float64], y: npt.NDArray[np.bool_], depth: int) -> int:
    """Errors of ConTree's tree."""
    from pycontree import ConTree

    tree = ConTree(max_depth=depth, time_limit=600)
    tree.fit(x, y.astype(int))
    return int((tree.predict(x) != y).sum())


def compare(names: list[str], repeats: int) -> Iterator[str]:
    """A line for each set and depth."""
    for load, depths in SETS:
        if names and load.__name__ not in names:
            continue
        x, y = load()
        data = every_cut(x, y)
        for depth in depths:
            problem = Problem(data, Topology.parse(f"depth-{depth}"))
            seconds = np.full(3, np.inf)
            for _ in range(repeats):
                encoding = encode(problem)
                runs = (
                    timed(partial(search_alone, encoding)),
                    timed(partial(ours, data, depth)),
                    timed(partial(theirs, x, y, depth)),
                )
                errors = {run[0] for run in runs}
                assert len(errors) == 1, (load.__name__, depth, errors)
                seconds = np.minimum(seconds, [run[1] for run in runs])
            alone, whole, other = seconds.tolist()
            shape = f"{x.shape[0]} x {x.shape[1]}"
            yield (
                f"{load.__name__:14s} {shape:10s} depth {depth} errors {errors.pop():5d} "
                f"search {alone:7.4f} whole {whole:7.4f} ConTree {other:7.4f} "
                f"ratio {alone / other:.2f} whole {whole / other:.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--frontier", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    warm_up()
    if given.frontier:
        data = every_cut(*breast_cancer())
        before = time.process_time()
        outcome = frontier(Problem(data, Topology.parse("depth-2")), Control(600))
        seconds = time.process_time() - before
        print(f"whole frontier, depth 2: {len(outcome.points)} points, proved {outcome.proved}, "
              f"{seconds:.2f} s")  # fmt: skip
        return
    for line in compare(given.names, given.repeats):
        print(line, flush=True)


if __name__ == "__main__":
    main()
