"""The training of a tree: a typed view of the facts in a model file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from odt_core.confusion import Confusion
from odt_core.data import Flow
from odt_core.errors import InputError
from odt_core.evaluation import LeafRow, Metrics, Verdict, leaf_table, metrics, verdict
from odt_core.export import Model
from odt_core.export.fields import Fields
from odt_core.problem import Objective
from odt_core.reports.evidence import NO_EVIDENCE, Evidence
from odt_core.studies import DataName, ValidationResult
from odt_core.studies.validation import (
    counts_of_test,
    leaves_of_test,
    model_sha256,
    result_facts,
)
from odt_core.training import TrainSpec
from odt_core.tree import Tree


@dataclass(frozen=True)
class Proof:
    """The status of the tree among all searched trees, in words.

    Attributes
    ----------
    status, detail, remark : str
        The status, the proof, and advice.
    reached, bound : str
        The tree's objective on the training rows, and the bound on all trees.
    gap : int or None
        Bound minus reached, in whole units of the objective; None if not known.
    """

    status: str
    detail: str = ""
    remark: str = ""
    reached: str = ""
    bound: str = ""
    gap: int | None = None


@dataclass(frozen=True, eq=False)
class Derivation:
    """A model with the facts of its training.

    Attributes
    ----------
    model : Model
        The model.
    data : DataName
        The training file.
    spec : TrainSpec or None
        The settings; None if not known.
    flow : Flow or None
        The numbers of rows read, left out and used; None if not known.
    test_leaves : tuple of (int, int) or None
        Negative and positive test rows in each leaf; None without test rows.
    test_counts : Confusion or None
        The 2x2 table of the test rows; None without test rows.
    proof : Proof or None
        The proof; None if not known.
    versions : tuple of (str, str)
        The versions of the software, by package; empty if not known.
    evidence : Evidence
        Studies and validations of the tree.
    """

    model: Model
    data: DataName
    spec: TrainSpec | None
    flow: Flow | None
    test_leaves: tuple[tuple[int, int], ...] | None
    test_counts: Confusion | None
    proof: Proof | None
    versions: tuple[tuple[str, str], ...] = ()
    evidence: Evidence = NO_EVIDENCE

    @classmethod
    def of(cls, model: Model, evidence: Evidence = NO_EVIDENCE) -> Derivation:
        """Read the facts of a model's training.

        Parameters
        ----------
        model : Model
            The model.
        evidence : Evidence
            Studies and validations of this model.

        Raises
        ------
        InputError
            If the facts are damaged, or a validation belongs to another model.
        """
        own = model_sha256(model) if evidence.validations else ""
        if any(found.model_sha256 != own for found in evidence.validations):
            raise InputError("The validation belongs to another model: validate this model.")
        facts = Fields(model.facts, "facts")
        result = result_facts(model)
        settings = facts.raw("settings") if "settings" in facts else None
        return cls(
            model=model,
            data=DataName.of_model(model),
            spec=None if settings is None else TrainSpec.from_json(settings),
            flow=_flow(facts),
            test_leaves=leaves_of_test(model),
            test_counts=counts_of_test(model),
            proof=_proof(result),
            versions=_versions(facts),
            evidence=evidence,
        )

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.model.tree

    @property
    def validation(self) -> ValidationResult | None:
        """The validation that matters most; None without any."""
        return next(iter(self.evidence.validations), None)

    @property
    def objective(self) -> Objective:
        """The tree's objective; accuracy if not known."""
        return Objective() if self.spec is None else self.spec.objective

    @cached_property
    def train(self) -> Metrics:
        """The rates of the training rows, from the tree's own counts."""
        return metrics(self.tree.confusion_of_leaves(self.tree.training_counts))

    @cached_property
    def test(self) -> Metrics | None:
        """The rates of the test rows; None without test rows."""
        return None if self.test_counts is None else metrics(self.test_counts)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on the test rows."""
        return verdict(self.objective, self.train, self.test)

    @cached_property
    def leaves(self) -> tuple[LeafRow, ...]:
        """The table of leaves, with training and test rows."""
        return leaf_table(self.tree, self.test_leaves)


def _flow(facts: Fields) -> Flow | None:
    if "data" not in facts:
        return None
    data = facts.record("data")
    return data.value("flow", Flow) if "flow" in data else None


def _versions(facts: Fields) -> tuple[tuple[str, str], ...]:
    """The versions of the software by package. Older models lack them."""
    if "versions" not in facts:
        return ()
    found = facts.record("versions")
    return tuple((name, found.text(name)) for name in facts.raw("versions"))


def _proof(result: Fields) -> Proof | None:
    if "words" not in result:
        return None
    words = result.record("words")
    return Proof(
        **{
            name: words.text(key)
            for name, key in (
                ("status", "status"),
                ("detail", "proof"),
                ("remark", "remark"),
                ("reached", "reached"),
                ("bound", "bound"),
            )
        },
        gap=_gap(result),
    )


def _gap(result: Fields) -> int | None:
    objective = result.raw("objective")
    total, bound = objective.get("total"), objective.get("total_bound")
    return bound - total if type(total) is int and type(bound) is int else None
