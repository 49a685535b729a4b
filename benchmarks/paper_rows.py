"""The paper's data sets, its divisions into training and test rows, and trees trained on them.

A division sets 10 % of the rows aside to test on. CART and the selection of columns see the other
90 %; our trees see at most so many of these (paper, section 5.4: 600). All are tested on the same
rows. Categories and cut points come from the rows that a tree is trained on.
"""

from __future__ import annotations

import dataclasses
import resource
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path

from benchmarks.search_problems import BINNED_A1A, POSITIVE
from odt_core.cart import cart_feature_selection
from odt_core.data import (
    ColumnKind,
    ColumnSchema,
    Fold,
    Prepared,
    Schema,
    SplitSpec,
    Table,
    prepare,
    read_table,
    table_from_frame,
)
from odt_core.errors import InputError
from odt_core.evaluation import Baseline, fit_baseline
from odt_core.problem import EncodedData, FeatureKind, Objective
from odt_core.solution import Engine, Status
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.solvers.mip.options import DEFAULT_OPTIONS, MipOptions
from odt_core.studies.comparison import CutPoints, FoldRun, TreeCandidate
from odt_core.topology import Topology
from odt_core.training import FeatureSelection, RulesSpec, TrainSpec, build_problem

NINE_TENTHS = Fraction(9, 10)
ROWS = 600
"""The most training rows of the paper's trees."""
LEFT_OUT = {"mush": ("veil-type", "stalk-root"), "student": ("G1",)}
"""Columns that the paper probably left out, as its numbers of features show."""


@dataclass(frozen=True)
class Way:
    """How a tree is trained for a table of the paper.

    Attributes
    ----------
    topology : str
        The shape.
    max_card : int or None
        Cap on a set of categories; the paper's tables but 5.2 have 2 (*comb-con*).
    rows : int or None
        Most training rows; None for all of the 90 %.
    is_selected : bool
        Whether the tree may only ask about columns that a default CART on the 90 % uses.
    least_features : int
        Fewest columns to select.
    as_categories : bool
        Whether numerical columns' bins are categories without an order (section 5.3).
    engine : Engine
        Who solves.
    mip : MipOptions
        The switches of the integer program.
    """

    topology: str
    max_card: int | None = 2
    rows: int | None = ROWS
    is_selected: bool = True
    least_features: int = 1
    as_categories: bool = False
    engine: Engine = Engine.SEARCH
    mip: MipOptions = DEFAULT_OPTIONS

    @property
    def candidate(self) -> TreeCandidate:
        """The tree as a candidate of a comparison."""
        selection = FeatureSelection.CART if self.is_selected else FeatureSelection.NONE
        return TreeCandidate(
            Topology.parse(self.topology), self.max_card, feature_selection=selection
        )


@cache
def load(folder: Path, name: str) -> tuple[Table, Schema]:
    """A data set and what its columns mean (`shared/data/README.md`).

    Raises
    ------
    InputError
        If the folder does not have it.
    """
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise InputError(
            f"The data set {name} is not in {folder}: give the folder that has {path.name} with "
            "--data, or leave the set out with --sets."
        )
    table = read_table(path)
    frame = table.frame
    if name == "a1a":
        for column in BINNED_A1A:  # intervals such as 26-32, by their lower end
            frame[column] = frame[column].str.extract(r"(\d+)", expand=False)
    numerical = {
        "a1a": lambda column: column in BINNED_A1A,
        "bc": lambda column: True,
        "heloc": lambda column: True,
        "student": lambda column: frame[column].str.fullmatch(r"-?\d+").all(),
    }.get(name, lambda column: False)
    columns = tuple(
        ColumnSchema(column, ColumnKind.NUMERICAL if numerical(column) else ColumnKind.CATEGORICAL)
        for column in table.columns
        if column != "class" and column not in LEFT_OUT.get(name, ())
    )
    schema = Schema("class", POSITIVE[name], columns, missing_tokens=())
    return table_from_frame(frame), schema


class Division:
    """One division of a data set into 90 % and 10 % of its rows.

    Parameters
    ----------
    table, schema : Table, Schema
        As `load` gives them.
    seed : int
        Of the division.
    """

    def __init__(self, table: Table, schema: Schema, seed: int) -> None:
        self._table, self._schema, self.seed = table, schema, seed
        self._splits = SplitSpec(NINE_TENTHS, seed=seed)
        self._selected: dict[int, frozenset[str]] = {}
        self._prepared: dict[int | None, Prepared] = {}

    @cached_property
    def for_cart(self) -> Prepared:
        """The 90 % and the 10 % for CART, which may cut between any two numbers."""
        return prepare(self._table, CutPoints.EVERY.apply(self._schema), self._splits)

    def selected(self, least: int) -> frozenset[str]:
        """The columns that a default CART on the 90 % uses, at least so many."""
        if least not in self._selected:
            train = self.for_cart.train
            found = cart_feature_selection(train, seed=self.seed, at_least=least)
            self._selected[least] = frozenset(train.features[g].name for g in found)
        return self._selected[least]

    def rows(self, most: int | None) -> Prepared:
        """At most so many of the 90 % to train on, and the 10 % to test on."""
        if most is not None and most >= len(self.for_cart.train_rows):
            most = None
        if most not in self._prepared:
            self._prepared[most] = self._rows(most)
        return self._prepared[most]

    def _rows(self, most: int | None) -> Prepared:
        if most is None:
            return prepare(self._table, self._schema, self._splits)
        fewer = dataclasses.replace(self._splits, fold=Fold(0, train_size=most))
        prepared = prepare(self._table, self._schema, fewer)
        outer = self.for_cart
        assert outer.test is not None
        codes = prepared.encoder.encode(self._table)[outer.test_rows]
        test = dataclasses.replace(outer.test, codes=codes, features=prepared.train.features)
        return dataclasses.replace(prepared, test=test, test_rows=outer.test_rows)

    def fold(self, fold: Fold) -> Prepared:
        """A fold of the 90 %, to choose a shape by (section 5.6); the 10 % stay out."""
        return prepare(self._table, self._schema, dataclasses.replace(self._splits, fold=fold))

    def train(self, way: Way, limit: float, prepared: Prepared | None = None) -> FoldRun:
        """Train a tree on `rows`, or on a fold of them, and test it; seconds are of CPU."""
        rows = self.rows(way.rows) if prepared is None else prepared
        if way.as_categories:
            assert rows.test is not None
            test = without_order(rows.test)
            rows = dataclasses.replace(rows, train=without_order(rows.train), test=test)
        names = {feature.name for feature in rows.train.features}
        forbidden = names - self.selected(way.least_features) if way.is_selected else set()
        spec = TrainSpec(
            schema=self._schema,
            split=self._splits,
            topology=Topology.parse(way.topology),
            max_card=way.max_card,
            rules=RulesSpec(tuple(sorted(forbidden))),
        )
        problem = build_problem(rows, spec)
        began = cpu_seconds()
        solution = solve(problem, engine=way.engine, control=Control(limit), mip_options=way.mip)
        seconds = cpu_seconds() - began
        fold = Fold(self.seed, train_size=len(rows.train_rows))
        return FoldRun.of_tree(way.candidate, fold, rows, solution.tree, solution.status, seconds)

    def fit(self, baseline: Baseline) -> FoldRun:
        """Fit a baseline to the 90 % and test it; seconds are of CPU."""
        rows, began = self.for_cart, cpu_seconds()
        tree = fit_baseline(baseline, rows.train, Objective(), seed=self.seed)
        seconds = cpu_seconds() - began
        fold = Fold(self.seed, train_size=len(rows.train_rows))
        return FoldRun.of_tree(baseline, fold, rows, tree, Status.FEASIBLE, seconds)


def without_order(data: EncodedData) -> EncodedData:
    """A copy in which every bin of a numerical column is a category."""
    features = tuple(
        dataclasses.replace(
            feature,
            kind=FeatureKind.CATEGORICAL,
            values=tuple(feature.values),
            cuts=(),
            has_missing=False,
        )
        for feature in data.features
    )
    return dataclasses.replace(data, features=features)


def cpu_seconds() -> float:
    """CPU seconds of this process and of solvers that it has ended."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(one) for one in who]
    return sum(one.ru_utime + one.ru_stime for one in used)
