"""The paper's data sets as problems, encoded as `shared/data/README.md` says they were.

Ordered columns are cut at the deciles of the rows used; a column with no more than ten distinct
numbers keeps each as its own bin. heloc's special codes (-7, -8, -9) are numbers like any other.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.topology import Topology

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
POSITIVE = {
    "a1a": ">50K", "bc": "benign", "krkp": "won", "mush": "edible", "ttt": "positive",
    "monks-1": "1", "votes": "democrat", "heart": "abnormal", "student": "pass", "heloc": "Good",
}  # fmt: skip
BINNED_A1A = ("age", "fnlwgt", "education-num", "hours-per-week")
BINS = 10


@cache
def read(name: str) -> pd.DataFrame:
    """A data set as text."""
    return pd.read_csv(DATA / f"{name}.csv", dtype=str, keep_default_na=False)


def sample(table: pd.DataFrame, size: int | float | None, seed: int = 1) -> pd.DataFrame:
    """A stratified random sample of a number or share of the rows, in file order."""
    if size is None:
        return table
    n = round(size * len(table)) if isinstance(size, float) else min(size, round(0.9 * len(table)))
    generator = np.random.default_rng(seed)
    labels = table["class"].to_numpy()
    keep: list[int] = []
    values, counts = np.unique(labels, return_counts=True)
    shares = np.floor(counts * n / len(table)).astype(int)
    shares[: n - shares.sum()] += 1
    for value, share in zip(values, shares, strict=True):
        keep += list(generator.choice(np.flatnonzero(labels == value), share, replace=False))
    return table.iloc[sorted(keep)]


def ordered_feature(name: str, column: pd.Series) -> tuple:
    """Codes and feature of an ordered column."""
    numbers = pd.to_numeric(column).to_numpy(dtype=float)
    known = np.unique(numbers)
    if len(known) <= BINS:
        cuts = (known[:-1] + known[1:]) / 2
    else:
        edges = np.unique(np.quantile(numbers, np.arange(1, BINS) / BINS, method="lower"))
        after = known[np.minimum(np.searchsorted(known, edges, side="right"), len(known) - 1)]
        cuts = np.unique((edges + after)[edges < known[-1]] / 2)
    codes = np.searchsorted(cuts, numbers, side="left")
    values = tuple(f"bin {b}" for b in range(len(cuts) + 1))
    return codes, Feature(name, FeatureKind.NUMERICAL, values, tuple(cuts))


def binned_feature(name: str, column: pd.Series) -> tuple:
    """Codes and feature of a column of intervals such as ``26-32`` (ordered by lower end)."""
    values = sorted(set(column), key=lambda text: int(text.strip("<>=").split("-")[0]))
    codes = column.map({value: code for code, value in enumerate(values)}).to_numpy()
    cuts = tuple(code + 0.5 for code in range(len(values) - 1))
    return codes, Feature(name, FeatureKind.NUMERICAL, tuple(values), cuts)


def categorical_feature(name: str, column: pd.Series) -> tuple:
    """Codes and feature of a categorical column."""
    values, codes = np.unique(column.to_numpy(dtype=str), return_inverse=True)
    return codes, Feature(name, FeatureKind.CATEGORICAL, tuple(str(value) for value in values))


def encode(name: str, table: pd.DataFrame, *, ordered: bool = True) -> EncodedData:
    """Encode rows of a data set; `ordered` False makes every column categorical."""
    parts = []
    for column in table.columns[:-1]:
        text = table[column]
        if ordered and name == "a1a" and column in BINNED_A1A:
            parts.append(binned_feature(column, text))
        elif (
            ordered
            and name in ("bc", "heloc")
            or (ordered and name == "student" and text.str.fullmatch(r"-?\d+").all())
        ):
            parts.append(ordered_feature(column, text))
        else:
            parts.append(categorical_feature(column, text))
    codes = np.column_stack([codes for codes, _ in parts]).astype(np.int32)
    y = (table["class"] == POSITIVE[name]).to_numpy()
    return EncodedData(codes, y, np.ones(len(y), np.int64), tuple(feature for _, feature in parts))


def problem(
    name: str,
    topology: str,
    *,
    rows: int | float | None = 600,
    max_card: int | None = 2,
    ordered: bool = True,
    seed: int = 1,
) -> Problem:
    """A data set's problem."""
    data = encode(name, sample(read(name), rows, seed), ordered=ordered)
    return Problem(data, Topology.parse(topology), max_card=max_card)


def binary(task: Problem, pairs: bool = False) -> Problem:
    """A problem's rows as 0/1 columns. `pairs` adds a column for each pair of categories."""
    columns = []
    for g, feature in enumerate(task.data.features):
        codes = task.data.codes[:, g]
        if feature.is_numerical:
            columns += [codes <= cut for cut in range(feature.n_values - 1)]
        elif feature.n_values == 2:
            columns.append(codes == 1)
        else:
            columns += [codes == value for value in range(feature.n_values)]
            if pairs:
                columns += [
                    (codes == first) | (codes == second)
                    for first, second in combinations(range(feature.n_values), 2)
                ]
    matrix = np.column_stack(columns).astype(np.int32)
    matrix = matrix[:, (matrix.min(axis=0) == 0) & (matrix.max(axis=0) == 1)]
    features = tuple(
        Feature(f"c{c}", FeatureKind.CATEGORICAL, ("0", "1")) for c in range(matrix.shape[1])
    )
    return Problem(EncodedData(matrix, task.data.y, task.data.weight, features), task.topology)
