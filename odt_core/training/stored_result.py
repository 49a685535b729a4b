"""The stored result of a training run, as a typed view for pages and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from odt_core.confusion import Confusion
from odt_core.evaluation import Metrics, metrics
from odt_core.export import tree_from_json
from odt_core.solution import MipReport, MipRole, Status, TracePoint
from odt_core.tree import Tree


@dataclass(frozen=True)
class ResultWords:
    """The sentences of a result; plain text.

    Attributes
    ----------
    status : str
        The status.
    proof : str
        The engine that proved the answer, its time, and the cut points.
    remark : str
        Advice for an answer that is not proved; may be empty.
    """

    status: str
    proof: str
    remark: str


@dataclass(frozen=True, eq=False)
class StoredResult:
    """A training run's result, read from the JSON of `TrainResult.to_json`.

    Each part is read on first use.

    Parameters
    ----------
    record : mapping
        The JSON object. During a confirmation it has no CART.
    """

    record: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """The status of the answer."""
        return Status(self.record["status"])

    @property
    def has_tree(self) -> bool:
        """Whether the run has a tree."""
        return self.record.get("tree") is not None

    @cached_property
    def tree(self) -> Tree:
        """The tree.

        Raises
        ------
        ValueError
            If the run has no tree.
        """
        if not self.has_tree:
            raise ValueError("the run has no tree")
        return tree_from_json(self.record["tree"])

    @cached_property
    def train(self) -> Metrics | None:
        """The tree's rates on the training rows; None without a tree."""
        return _metrics(self.record["train"])

    @cached_property
    def test(self) -> Metrics | None:
        """The tree's rates on the test rows; None without a tree or without test rows."""
        return _metrics(self.record["test"])

    @property
    def errors(self) -> int | None:
        """Number of training rows with a wrong answer."""
        found = self.record["errors"]
        return None if found is None else int(found)

    @property
    def total(self) -> int | None:
        """The objective over all training rows, in units of the problem's gains."""
        found = self.record["objective"]["total"]
        return None if found is None else int(found)

    @property
    def total_bound(self) -> int | None:
        """The proved upper bound of `total`."""
        found = self.record["objective"]["total_bound"]
        return None if found is None else int(found)

    @property
    def words(self) -> ResultWords:
        """The sentences of the result."""
        words = self.record["words"]
        return ResultWords(words["status"], words["proof"], words.get("remark", ""))

    @property
    def selected_features(self) -> tuple[str, ...]:
        """The columns that the feature selection kept; empty without a selection."""
        return tuple(self.record.get("selected_features") or ())

    @property
    def seconds(self) -> float:
        """Total time in seconds."""
        return float(self.record["seconds"]["total"])

    @property
    def seconds_prepare(self) -> float:
        """The part of `seconds` for preparing the rows."""
        return float(self.record["seconds"]["prepare"])

    @cached_property
    def trace(self) -> tuple[TracePoint, ...]:
        """Incumbent and bound over time."""
        return tuple(TracePoint(*point) for point in self.record.get("trace") or ())

    @property
    def mip(self) -> MipReport | None:
        """Facts about the integer program, if one was built."""
        found = self.record["mip"]
        if found is None:
            return None
        role = MipRole(found.get("role", MipRole.SOLVED))
        return MipReport(**{**found, "role": role})

    @cached_property
    def cart_tree(self) -> Tree:
        """A CART of the same depth on the same training rows."""
        return tree_from_json(self.record["cart"]["tree"])

    @cached_property
    def cart_train(self) -> Metrics | None:
        """CART's rates on the training rows."""
        return _metrics(self.record["cart"]["train"])

    @cached_property
    def cart_test(self) -> Metrics | None:
        """CART's rates on the test rows; None without test rows."""
        return _metrics(self.record["cart"]["test"])


def _metrics(counts: Mapping[str, int] | None) -> Metrics | None:
    """The rates of four counts by name."""
    return None if counts is None else metrics(Confusion(**counts))
