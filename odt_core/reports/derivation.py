"""How a tree came about: what a model file says of it, as one typed view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from odt_core.confusion import Confusion
from odt_core.data import Exclusion, Flow
from odt_core.errors import InputError
from odt_core.evaluation import LeafRow, Metrics, Verdict, leaf_table, metrics, verdict
from odt_core.export import Model
from odt_core.export.fields import Fields
from odt_core.problem import Objective
from odt_core.reports.evidence import NO_EVIDENCE, Evidence
from odt_core.studies import DataName, ValidationResult
from odt_core.studies.validation import leaves_of_test, model_sha256
from odt_core.training import TrainSpec
from odt_core.tree import Tree


@dataclass(frozen=True)
class Proof:
    """How the tree stands among all trees that were searched, in words.

    Attributes
    ----------
    status, detail, remark : str
        How far the solve came, who proved it, and what else there is to say.
    reached, bound : str
        What the tree reaches on the training rows, and what no tree can exceed.
    gap : int or None
        Bound less reached, in whole units of the objective; None if it is not known.
    """

    status: str
    detail: str = ""
    remark: str = ""
    reached: str = ""
    bound: str = ""
    gap: int | None = None


@dataclass(frozen=True, eq=False)
class Derivation:
    """A model with what it says of its training.

    Attributes
    ----------
    model : Model
        The model.
    data : DataName
        The file that it was trained on.
    spec : TrainSpec or None
        The settings; None if the model does not say them.
    flow : Flow or None
        What became of the rows; None if the model does not say it.
    test_leaves : tuple of (int, int) or None
        Negative and positive test rows in each leaf; None without test rows.
    test_counts : Confusion or None
        The 2x2 table of the test rows; None without test rows.
    proof : Proof or None
        How the solve ended; None if the model does not say it.
    versions : tuple of (str, str)
        The software that made the answer, by package; empty if the model does not say it.
    evidence : Evidence
        What was found of the tree beyond its training run.
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
        """Read what a model says of its training.

        Parameters
        ----------
        model : Model
            The model.
        evidence : Evidence
            What was found of this very model.

        Raises
        ------
        InputError
            If what it says is damaged, or a validation is of another model.
        """
        own = model_sha256(model) if evidence.validations else ""
        if any(found.model_sha256 != own for found in evidence.validations):
            raise InputError("The validation is of another model: validate this one.")
        facts = Fields(model.facts, "facts")
        result = facts.record("result") if "result" in facts else Fields({}, "facts.result")
        settings = facts.raw("settings") if "settings" in facts else None
        return cls(
            model=model,
            data=DataName.of_model(model),
            spec=None if settings is None else TrainSpec.from_json(settings),
            flow=_flow(facts),
            test_leaves=leaves_of_test(model),
            test_counts=_counts(result, "test"),
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
        """What the tree was trained for; accuracy if the model does not say it."""
        return Objective() if self.spec is None else self.spec.objective

    @cached_property
    def train(self) -> Metrics:
        """The rates of the training rows, from the tree's own counts."""
        tp = fp = tn = fn = 0
        for leaf in self.tree.leaves:
            if leaf.label:
                tp, fp = tp + leaf.n_positive, fp + leaf.n_negative
            else:
                tn, fn = tn + leaf.n_negative, fn + leaf.n_positive
        return metrics(Confusion(tp=tp, fp=fp, tn=tn, fn=fn))

    @cached_property
    def test(self) -> Metrics | None:
        """The rates of the test rows; None without test rows."""
        return None if self.test_counts is None else metrics(self.test_counts)

    @cached_property
    def verdict(self) -> Verdict:
        """What the tree does on test rows."""
        return verdict(self.objective, self.train, self.test)

    @cached_property
    def leaves(self) -> tuple[LeafRow, ...]:
        """The leaf table, on training and test rows."""
        return leaf_table(self.tree, self.test_leaves)


def _flow(facts: Fields) -> Flow | None:
    if "data" not in facts:
        return None
    data = facts.record("data")
    if "flow" not in data:
        return None
    flow = data.record("flow")
    return Flow(
        read=flow.count("read"),
        excluded=tuple(
            Exclusion(each.text("reason"), each.count("rows")) for each in flow.records("excluded")
        ),
        train=flow.count("train"),
        test=flow.count("test"),
        unused=flow.count("unused"),
    )


def _versions(facts: Fields) -> tuple[tuple[str, str], ...]:
    """The software by package; models of older programs do not say it."""
    if "versions" not in facts:
        return ()
    found = facts.record("versions")
    return tuple((name, found.text(name)) for name in facts.raw("versions"))


def _counts(result: Fields, name: str) -> Confusion | None:
    if name not in result or result.is_null(name):
        return None
    counts = result.record(name)
    return Confusion(**{each: counts.count(each) for each in ("tp", "fp", "tn", "fn")})


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
