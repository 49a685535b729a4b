"""Check of a training run's tree on its training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from odt_core.data import Table
from odt_core.errors import InputError
from odt_core.export import Model, tree_to_json
from odt_core.json_data import JsonData
from odt_core.problem import Problem
from odt_core.solution import Status
from odt_core.solvers.control import Control
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
    trees_words,
)
from odt_core.verification.enumeration import EnumerationResult, verify
from odt_core.words import percent_words, seconds_words


@dataclass(frozen=True)
class Claim(JsonData):
    """The result that a tree reaches on its training rows.

    Attributes
    ----------
    total : int
        Its objective, in the whole numbers of `odt_core.problem.Gains`.
    errors : int
        Number of training rows that it gets wrong.
    """

    total: int
    errors: int


@dataclass(frozen=True)
class StoredVerification:
    """The outcome of a stored check, as pages show it.

    Attributes
    ----------
    holds : bool or None
        Whether the proof holds; None if time ran out.
    words : str
        The finding in one or two sentences.
    """

    holds: bool | None
    words: str

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> StoredVerification:
        """Read what `Verification.to_json` wrote."""
        return cls(record["holds"], record["words"]["status"])


@dataclass(frozen=True, eq=False)
class Verification:
    """The outcome of a check.

    Attributes
    ----------
    spec : TrainSpec
        The specification of the run whose tree is checked.
    problem : Problem
        The shape, the training rows and all conditions.
    claim : Claim
        The result of the tree that is checked.
    verdict : EnumerationResult
        The finding of the enumeration.
    """

    spec: TrainSpec
    problem: Problem
    claim: Claim
    verdict: EnumerationResult

    def to_json(self) -> dict[str, Any]:
        """Write the result as the command line prints it."""
        verdict = self.verdict
        return {
            "holds": verdict.holds,
            "better": None if verdict.better is None else tree_to_json(verdict.better),
            "covered": verdict.covered,
            "counted": verdict.counted,
            "seconds": round(verdict.seconds, 4),
            "words": {"status": self.words},
            "status": (Status.OPTIMAL if verdict.holds else Status.FEASIBLE).value,
        }

    @property
    def words(self) -> str:
        """The finding in one or two sentences."""
        verdict, objective = self.verdict, self.problem.objective
        time, trees = seconds_words(verdict.seconds), trees_words(self.spec, self.problem)
        errors = self.claim.errors
        plain = objective.goal.counts_rows and objective.class_weight == 1
        better = f"makes fewer than {errors} errors" if plain else "is better"
        if verdict.holds:
            return (
                f"No tree {trees} {better} on the training rows: every tree was tried in "
                f"{time}, with {verdict.counted:,} questions above two leaves counted."
            )
        if verdict.better is not None:
            found = verdict.better.confusion(self.problem.data).errors
            return (
                f"There is a better tree {trees}: it makes {found} errors on the training "
                f"rows, this one {errors}."
            )
        return (
            f"Not settled in {time}: {percent_words(verdict.covered)} of all first questions were "
            f"tried with every tree below them, and none of these trees {better}."
        )


def verify_model(
    model: Model,
    table: Table,
    control: Control,
    on_covered: Callable[[float], None] = lambda share: None,
) -> Verification:
    """Look for a better tree than a model's tree, on the model's training rows.

    Parameters
    ----------
    model : Model
        The model, with the settings of its training run.
    table : Table
        The data that the model was trained on.
    control, on_covered
        As for `verify`.

    Raises
    ------
    InputError
        If the model does not say how it was trained, if the table is not the training data, or if
        there are too many questions to try.
    """
    if "settings" not in model.facts:
        raise InputError(
            "The model does not say how it was trained: verify a model that was saved after "
            "training."
        )
    spec = TrainSpec.from_json(model.facts["settings"])
    spec.one_topology("The check of every tree")
    prepared = prepare_training(table, spec)
    problem = build_problem(prepared, spec)
    tree = model.tree
    counts = tree.leaf_counts(prepared.train)
    if not tree.reads(prepared.train) or counts != tree.training_counts:
        raise InputError(
            f"{table.name} is not the data that the model was trained on: give the same file."
        )
    confusion = tree.confusion(problem.data)
    claim = Claim(problem.gains.total(confusion), confusion.errors)
    return Verification(spec, problem, claim, verify(problem, claim.total, control, on_covered))


def run_verification(
    table: Table, spec: TrainSpec, claim: Claim, hooks: Hooks = SILENT
) -> Verification:
    """Look for a tree that is better than the tree of a training run.

    Parameters
    ----------
    table : Table
        The data of the run.
    spec : TrainSpec
        The specification of the run, with the time limit of the check.
    claim : Claim
        The result of its tree.
    hooks : Hooks
        Called during the check. A stop ends it.

    Raises
    ------
    InputError
        If there are too many questions to try.
    """
    hooks.on_stage(Stage.PREPARING)
    spec.one_topology("The check of every tree")
    problem = build_problem(prepare_training(table, spec), spec)
    hooks.on_stage(Stage.SOLVING)
    return Verification(spec, problem, claim, verify(problem, claim.total, hooks.control(spec)))
