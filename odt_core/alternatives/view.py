"""A typed view of a run's near-optimal trees, for pages and files."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from odt_core.alternatives.ends import End
from odt_core.alternatives.study import cost_per_case, questions_per_case
from odt_core.confusion import Confusion
from odt_core.export import tree_from_json, tree_to_json
from odt_core.export.csv_cells import signed_csv
from odt_core.problem import Feature, Split
from odt_core.solution import Assignment
from odt_core.tree import Leaf, Node, Tree
from odt_core.words import count_words, number_words, rules_line


@dataclass(frozen=True, eq=False)
class AlternativeTree:
    """A near-optimal tree.

    Attributes
    ----------
    place : int
        Its place in the list, from 0.
    loss : Fraction
        The goal's largest value minus the tree's, in errors or percentage points.
    loss_total : int
        The same as a whole number (see `Gains`).
    columns : tuple of str
        The columns of its questions, in the order of the questions.
    named : int
        Number of categories that its questions name.
    is_settled : bool
        Whether no tree of the same choice of columns is better. If not, the search ended early.
    topology : str
        The text of its shape.
    train, test : Confusion or None
        The counts; `test` is None without test rows.
    record : mapping
        The JSON.
    """

    place: int
    loss: Fraction
    loss_total: int
    columns: tuple[str, ...]
    named: int
    is_settled: bool
    topology: str
    train: Confusion
    test: Confusion | None
    record: Mapping[str, Any]

    @cached_property
    def own_tree(self) -> Tree:
        """The tree over the columns that it asks about."""
        return tree_from_json(self.record["tree"])

    def is_same_as(self, tree: Tree) -> bool:
        """Whether another tree has the same questions and answers."""
        other = tree_to_json(tree.over_used_features())
        return bool(other["root"] == self.record["tree"]["root"])

    @property
    def questions_per_case(self) -> float:
        """Mean number of questions for a training row."""
        return questions_per_case(self.own_tree)

    def cost_per_case(self, costs: Mapping[str, Fraction]) -> float:
        """Compute the mean cost of the questions for a training row."""
        return cost_per_case(self.own_tree, costs)

    @property
    def assignment(self) -> Assignment:
        """The tree in the terms of its topology."""
        return Assignment.from_json(self.record["assignment"])

    def over(self, features: Sequence[Feature]) -> Tree:
        """Return the tree over other features, which include its own by name."""
        places = {feature.name: at for at, feature in enumerate(features)}
        own = self.own_tree

        def visit(node: Node) -> Node:
            if isinstance(node, Leaf):
                return node
            place = places[own.features[node.split.feature].name]
            return dataclasses.replace(
                node,
                split=Split(place, node.split.left),
                left=visit(node.left),
                right=visit(node.right),
            )

        return dataclasses.replace(own, root=visit(own.root), features=tuple(features))


@dataclass(frozen=True)
class ColumnView:
    """The worth of a column.

    Attributes
    ----------
    name : str
        The column.
    n_trees : int
        Number of the listed trees with a question about it.
    least_without, bound_without : Fraction or None
        The least loss found without it, and a proved lower bound; None if there is none.
    is_proved : bool
        Whether a proof gives the least loss, or shows that no tree does without it.
    """

    name: str
    n_trees: int
    least_without: Fraction | None
    bound_without: Fraction | None
    is_proved: bool


@dataclass(frozen=True, eq=False)
class AlternativesView:
    """The near-optimal trees of a run.

    Parameters
    ----------
    record : mapping
        The JSON of `AlternativesResult.to_json`.
    """

    record: Mapping[str, Any]

    @cached_property
    def trees(self) -> tuple[AlternativeTree, ...]:
        """The trees, best first."""
        return tuple(
            AlternativeTree(
                place=place,
                loss=Fraction(str(each["loss"])),
                loss_total=each["loss_total"],
                columns=tuple(each["columns"]),
                named=each["named"],
                is_settled=each.get("settled", True),
                topology=each["topology"],
                train=Confusion.from_json(each["train"]),
                test=None if each["test"] is None else Confusion.from_json(each["test"]),
                record=each,
            )
            for place, each in enumerate(self.record["trees"])
        )

    @cached_property
    def columns(self) -> tuple[ColumnView, ...]:
        """The columns that trees may use, in the order of the file."""
        return tuple(
            ColumnView(
                each["name"],
                each["trees"],
                _fraction(each["least_errors_without"]),
                _fraction(each["bound_without"]),
                each["proved"],
            )
            for each in self.record["columns"]
        )

    @property
    def ranked_columns(self) -> list[ColumnView]:
        """The columns. A column that more trees ask about comes first."""
        return sorted(
            self.columns, key=lambda column: (-column.n_trees, -float(column.least_without or 0))
        )

    @property
    def least(self) -> Fraction | None:
        """The loss of the optimum; None if it is not known, or no tree meets the conditions."""
        return _fraction(self.record["least"])

    @property
    def least_free(self) -> Fraction | None:
        """The least loss found without the limits of the request; None if it has no limits."""
        return _fraction(self.record.get("least_free"))

    @property
    def complete_to(self) -> Fraction | None:
        """The loss below which no tree is missing; None if no tree is missing at all."""
        return _fraction(self.record["complete_to"])

    @property
    def is_all(self) -> bool:
        """Whether there are no further trees."""
        return bool(self.record["is_all"])

    @property
    def n_best(self) -> int:
        """Number of choices of columns that reach the optimum."""
        return int(self.record["n_best"])

    @property
    def is_n_best_complete(self) -> bool:
        """Whether `n_best` counts all of them."""
        return bool(self.record["is_n_best_complete"])

    @property
    def end(self) -> End:
        """The reason for which the list ends."""
        return End(self.record["end"])

    @property
    def most(self) -> int:
        """The worth of a tree without errors, as a whole number (see `Gains`)."""
        return int(self.record["most"])

    @property
    def bound_total(self) -> int:
        """An upper bound on the worth of the problem's trees, as a whole number (see `Gains`)."""
        proved = self.most - self.trees[0].loss_total if self.trees else self.most
        return int(self.record.get("bound_total", proved))

    @property
    def counts_errors(self) -> bool:
        """Whether a loss is a number of wrong rows."""
        return self.unit == "errors"

    @property
    def unit(self) -> str:
        """The unit of a loss: errors, weighted errors, or percentage points."""
        return str(self.record["loss"])

    @property
    def seconds(self) -> float:
        """Total time in seconds."""
        return float(self.record["seconds"])

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The columns of all trees, each once."""
        found: dict[str, Feature] = {}
        for tree in self.trees:
            for feature in tree.own_tree.features:
                found.setdefault(feature.name, feature)
        return tuple(found.values())

    def tree(self, place: int) -> Tree:
        """Return a tree over the columns of all trees, so that trees can be compared."""
        return self.trees[place].over(self.features)

    def chosen(
        self,
        *,
        without: Collection[str] = (),
        only: Collection[str] = (),
        most_cost: Fraction | None = None,
        costs: Mapping[str, Fraction] | None = None,
    ) -> tuple[AlternativeTree, ...]:
        """Return the trees that pass filters.

        Parameters
        ----------
        without : collection of str
            Columns that the trees may not use.
        only : collection of str
            The only columns that the trees may use; empty for all.
        most_cost : Fraction, optional
            The largest mean cost for a training row.
        costs : mapping of str to Fraction, optional
            The cost of each column; 1 for a column that is not named.
        """
        return tuple(
            tree
            for tree in self.trees
            if not set(without) & set(tree.columns)
            and (not only or set(tree.columns) <= set(only))
            and (most_cost is None or tree.cost_per_case(costs or {}) <= most_cost)
        )

    def loss_words(self, loss: Fraction) -> str:
        """Write a loss with its unit.

        Examples
        --------
        ``3 errors``, ``1.25 percentage points``
        """
        unit = self.unit
        one = unit.removesuffix("s")
        if loss.denominator == 1:
            return count_words(int(loss), one, unit)
        return f"{number_words(loss, 4)} {unit}"

    def proof_words(self) -> str:
        """Say what is proved about the list, in plain text."""
        return " ".join(part for part in (self._proof_words(), self._beyond_words()) if part)

    def _proof_words(self) -> str:
        least, complete = self.least, self.complete_to
        if least is None:
            if self.is_all:
                return "Proved: no tree of this shape meets the conditions."
            bound = "" if complete is None else f" None has fewer than {self.loss_words(complete)}."
            return f"{self._end_words()} No tree was proved to be the best.{bound}"
        if self.is_all:
            n = count_words(len(self.trees), "choice", "choices")
            limits = "" if self.least_free is None else " with the limits of this list"
            return (
                f"Proved: these are all {n} of columns that a tree of this shape can have{limits}."
            )
        assert complete is not None
        if complete <= least:
            return f"{self._end_words()} {self._first_words(least)}"
        proved = f"Proved: {self._best_words(least)}, and {self._within_words()}."
        return f"{proved} {self._end_words()}"

    def _beyond_words(self) -> str:
        """Describe the trees of an unfinished search that are not settled."""
        n = sum(not tree.is_settled for tree in self.trees)
        if not n:
            return ""
        these = "The last tree of the list was" if n == 1 else f"The last {n:,} trees were"
        return (
            f"{these} found beyond that: equally good trees may be missing, and a better tree "
            "of the same columns is possible."
        )

    def free_words(self) -> str:
        """Describe the best tree without the limits of the request; empty if it has no limits."""
        if self.least_free is None:
            return ""
        proved = "" if self.record["is_least_free_proved"] else "found "
        return f"Without these limits the best tree {proved}has {self.loss_words(self.least_free)}."

    def progress_words(self) -> str:
        """Describe the progress of an unfinished search."""
        n = count_words(len(self.trees), "tree")
        if self.least is None or self.complete_to is None or self.complete_to <= self.least:
            return f"{n} so far."
        return f"{n} so far: {self._within_words()}."

    def _best_words(self, least: Fraction) -> str:
        """Describe the optimum."""
        if self.unit == "percentage points":
            return f"the best tree is {self.loss_words(least)} short of a perfect one"
        return f"the best tree has {self.loss_words(least)}"

    def _within_words(self) -> str:
        """Say up to which loss no tree is missing."""
        assert self.complete_to is not None and self.least is not None
        if self.counts_errors:
            above = int(self.complete_to - self.least) - 1
            return (
                "every choice of columns that is as good is here"
                if above == 0
                else f"every choice of columns within {count_words(above, 'error')} of it is here"
            )
        margin = self.loss_words(self.complete_to - self.least)
        return f"every choice of columns that is less than {margin} worse is here"

    def _first_words(self, least: Fraction) -> str:
        """Say what is known if trees that reach the optimum may be missing."""
        best = self._best_words(least)
        if self.is_n_best_complete:
            return f"Proved: {best}, and {self.n_best:,} choices of columns reach that."
        return f"{best[:1].upper()}{best[1:]}; it is not settled which other trees reach that."

    def _end_words(self) -> str:
        n = count_words(len(self.trees), "tree")
        return {
            End.NUMBER: f"The list ends with {n}, as you chose.",
            End.WITHIN: "The list ends at the loss that you chose.",
            End.ALL: "",
            End.TIME: "Time ran out before further trees were searched.",
            End.STOPPED: "It was stopped before further trees were searched.",
            End.MEMORY: "Further trees do not fit into memory.",
        }[self.end]


def _fraction(value: float | int | None) -> Fraction | None:
    return None if value is None else Fraction(str(value))


CSV_HEAD = (
    "place", "loss", "train_errors", "train_rows", "train_tpr", "train_tnr", "test_errors",
    "test_rows", "test_tpr", "test_tnr", "questions_per_case", "cost_per_case", "columns", "tree",
    "settled",
)  # fmt: skip


def alternatives_csv(
    trees: Sequence[AlternativeTree],
    costs: Mapping[str, Fraction],
    *,
    keep_formulas: bool = False,
) -> bytes:
    """Write the trees as CSV (UTF-8), best first, with each tree's rules on one line.

    Parameters
    ----------
    trees : sequence of AlternativeTree
        The trees.
    costs : mapping of str to Fraction
        The cost of each column; 1 for a column that is not named.
    keep_formulas : bool
        See `odt_core.export.csv_cells.signed_csv`.
    """
    lines: list[list[object]] = [list(CSV_HEAD)]
    for tree in trees:
        tested: list[object] = [""] * 4 if tree.test is None else _counts(tree.test)
        lines.append(
            [tree.place + 1, f"{float(tree.loss):.10g}", *_counts(tree.train), *tested]
            + [f"{tree.questions_per_case:.6g}", f"{tree.cost_per_case(costs):.6g}"]
            + ["; ".join(tree.columns)]
            + [rules_line(tree.own_tree)]
            + ["yes" if tree.is_settled else "no"]
        )
    return signed_csv(lines, keep_formulas=keep_formulas)


def _counts(counts: Confusion) -> list[object]:
    return [
        counts.errors,
        counts.n,
        f"{counts.tp / counts.n_positive:.6f}" if counts.n_positive else "",
        f"{counts.tn / counts.n_negative:.6f}" if counts.n_negative else "",
    ]
