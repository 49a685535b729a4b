"""The outcome of a training run, and its JSON form (the command line's contract)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odt_core.data import Prepared
from odt_core.data.cut_points import column_cuts, cut_points_to_json, cut_points_words
from odt_core.export import Model, tree_to_json
from odt_core.json_data import as_json
from odt_core.problem import Problem
from odt_core.software import software_versions
from odt_core.solution import Solution
from odt_core.training.settings import selected_features, trees_words
from odt_core.training.spec import TrainSpec
from odt_core.tree import Tree
from odt_core.words import proof_words, status_words, value_words


@dataclass(frozen=True, eq=False, kw_only=True)
class Origin:
    """The file, the settings and the rows that a result comes from.

    Attributes
    ----------
    table_sha256, table_name : str
        The data file.
    spec : TrainSpec
        The specification.
    prepared : Prepared
        The encoded training and test rows, and the use of each row.
    """

    table_sha256: str
    table_name: str
    spec: TrainSpec
    prepared: Prepared

    @property
    def model(self) -> Model | None:
        """The model; None for a result without one."""
        return None

    def origin_to_json(self) -> dict[str, Any]:
        """Write the file, the rows and the settings."""
        train, test = self.prepared.train, self.prepared.test
        return {
            "n_train": train.n_rows,
            "n_test": 0 if test is None else test.n_rows,
            "n_features": train.n_features,
            "n_columns": train.n_columns,
            "cut_points": cut_points_to_json(column_cuts(self.spec.schema, train.features)),
            "data": {
                "name": self.table_name,
                "sha256": self.table_sha256,
                "flow": self.prepared.flow.to_json(),
            },
            "settings": self.spec.to_json(),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedTree(Origin):
    """A solved training problem.

    Attributes
    ----------
    problem : Problem
        The problem.
    solution : Solution
        The solution.
    seconds_prepare, seconds_total : float
        Time for preparing the rows, and total time.
    """

    problem: Problem
    solution: Solution
    seconds_prepare: float
    seconds_total: float

    @property
    def model(self) -> Model | None:
        """The tree with everything needed to apply it to new tables; None without a tree."""
        if self.solution.tree is None:
            return None
        return Model(
            tree=self.solution.tree,
            schema=self.spec.schema.to_json(),
            encoder=self.prepared.encoder.to_json(),
            facts={
                **self.origin_to_json(),
                "versions": software_versions(),
                "result": {
                    **self._numbers(),
                    "test_leaves": self._test_leaves(self.solution.tree),
                    "words": self._words(),
                },
            },
        )

    @property
    def _among(self) -> str:
        """The trees that the answer covers."""
        return trees_words(self.spec, self.problem)

    @property
    def status_sentence(self) -> str:
        """The status in a sentence."""
        return status_words(self.problem, self.solution, self._among)

    @property
    def proof_sentence(self) -> str:
        """The engine that proved the answer, its time, and the cut points."""
        cuts = column_cuts(self.spec.schema, self.prepared.train.features)
        return proof_words(self.solution, cut_points_words(cuts), self._among)

    @property
    def selected_features(self) -> list[str] | None:
        """The columns left by the feature selection and the rules; None without a selection."""
        return selected_features(self.spec, self.problem)

    def _numbers(self) -> dict[str, Any]:
        """The result's JSON without the trees."""
        solution, problem = self.solution, self.problem
        gains = problem.gains
        return {
            "status": solution.status.value,
            "engine": solution.engine.value,
            "objective": {
                "name": self.spec.objective.goal.value,
                "value": number(solution.value),
                "bound": number(solution.value_bound),
                "total": solution.total,
                "total_bound": solution.bound,
                "scale": gains.scale,
            },
            "errors": None if solution.confusion is None else solution.confusion.errors,
            "seconds": {
                "total": round(self.seconds_total, 4),
                "prepare": round(self.seconds_prepare, 4),
                "search": round(solution.seconds.search, 4),
                "mip": round(solution.seconds.mip, 4),
            },
            "proved_by": list(solution.proved_by),
            "mip": as_json(solution.mip),
            "topology": problem.topology.name,
            "max_card": problem.max_card,
            "smallest_leaf": self.spec.to_json()["smallest_leaf"],
            "selected_features": self.selected_features,
            "train": as_json(solution.confusion),
            "test": None if solution.tree is None else self._test_counts(solution.tree),
        }

    def _words(self) -> dict[str, str]:
        """The sentences of the result."""
        solution, problem = self.solution, self.problem
        return {
            "status": self.status_sentence,
            "proof": self.proof_sentence,
            "remark": solution.remark,
            "reached": "" if solution.total is None else value_words(problem, solution.total),
            "bound": "" if solution.bound is None else value_words(problem, solution.bound),
        }

    def _test_leaves(self, tree: Tree) -> dict[str, list[int]] | None:
        """Negative and positive test rows in each leaf, left to right."""
        test = self.prepared.test
        if test is None:
            return None
        counts = tree.leaf_counts(test)
        return {
            "negative": [negative for negative, _ in counts],
            "positive": [positive for _, positive in counts],
        }

    def _test_counts(self, tree: Tree) -> dict[str, int] | None:
        test = self.prepared.test
        return None if test is None else tree.confusion(test).to_json()


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainResult(TrainedTree):
    """A finished training run: the tree and a CART for comparison.

    Attributes
    ----------
    cart : Tree
        A CART of the same depth on the same training rows.
    """

    cart: Tree

    def to_json(self) -> dict[str, Any]:
        """The result as the command line prints it."""
        tree = self.solution.tree
        return {
            **self._numbers(),
            "tree": None if tree is None else tree_to_json(tree),
            "cart": {
                "train": self.cart.confusion(self.prepared.train).to_json(),
                "test": self._test_counts(self.cart),
                "tree": tree_to_json(self.cart),
            },
            "words": self._words(),
            "trace": [point.to_json() for point in self.solution.trace],
            **self.origin_to_json(),
        }


def number(value: Fraction | None) -> int | float | None:
    """Convert to a JSON number, which is an integer if the fraction is whole."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)
