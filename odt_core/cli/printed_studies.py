"""Studies read from the ``--json`` output of their commands, for a sheet."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from odt_core.cli.output import STUDY
from odt_core.data import ReadOptions
from odt_core.errors import MALFORMED, InputError, quoted
from odt_core.export import Model
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.jobs.evidence import KnownRuns, find_evidence, problem_of
from odt_core.reports import Derivation
from odt_core.storage import LOCAL_OWNER, RunStatus
from odt_core.studies import (
    ComparisonFold,
    CurveRun,
    CurveSpec,
    FoldRun,
    FrontierView,
    RangeRun,
    ResampleRange,
    ValidationResult,
)
from odt_core.studies.sweep import Sweep
from odt_core.topology import Topology
from odt_core.training import TrainSpec
from odt_core.words import list_words
from odt_core.worker.messages import Part


def read_printed(name: str) -> Batch | ValidationResult:
    """Read a study or a validation from a file with the ``--json`` output of its command.

    Parameters
    ----------
    name : str
        The file.

    Returns
    -------
    Batch or ValidationResult
        A study becomes a batch of finished jobs, as in the dashboard.

    Raises
    ------
    InputError
        If the file has neither a study nor a validation.
    """
    try:
        record = json.loads(Path(name).read_text(encoding="utf-8"))
        if "validation" in record:
            return ValidationResult.from_json(record)
        return _READERS[JobKind(record[STUDY])](record)
    except (OSError, RecursionError, InputError, *MALFORMED) as error:
        commands = list_words([f"'{kind.value}'" for kind in _READERS], " or ")
        raise InputError(
            f"--evidence: {quoted(name)} cannot be read: give what 'validate', {commands} of this "
            "version printed with --json."
        ) from error


def check_belongs(name: str, study: Batch, model: Model) -> None:
    """Check that a study has a tree's problem.

    Parameters
    ----------
    name : str
        The study's file, for messages.
    study : Batch
        The study.
    model : Model
        The tree with its settings.

    Raises
    ------
    InputError
        If the study has another data file or other settings than the tree.
    """
    if find_evidence(model, KnownRuns(None, LOCAL_OWNER, (study,))).has_studies:
        return
    derivation, other = Derivation.of(model), study.jobs[0].spec
    if other.dataset != derivation.data.sha256:
        raise InputError(
            f"--evidence: {quoted(name)} is a study of another file ({quoted(other.table_name)}): "
            f"the tree was trained on {quoted(derivation.data.name)}."
        )
    raise InputError(
        f"--evidence: {quoted(name)} does not belong to this tree: "
        f"{_difference(other, derivation.spec)}. Run 'odt {other.kind.value}' again "
        "with the tree's settings."
    )


_SETTINGS = {
    "schema": "how columns are read",
    "split": "the split",
    "topology": "the shape",
    "objective": "goal, floors or class weight",
    "max_card": "the cap on sets",
    "rules": "the rules",
    "forbid_empty_branches": "whether branches may be empty",
    "smallest_leaf": "the smallest leaf",
    "feature_selection": "the selection of columns",
    "least_features": "the fewest columns selected",
}
"""The settings that decide a problem: names in the JSON, and words."""

_VARIED = {
    JobKind.FRONTIER: ("objective",),
    JobKind.CURVE: ("objective", "split", "topology"),
    JobKind.COMPARE: ("schema", "split", "topology", "max_card", "feature_selection"),
}
"""The settings in which a study may differ from the tree."""


def _difference(other: JobSpec, own: TrainSpec | None) -> str:
    """Describe the difference between a study and a tree."""
    if own is None:
        return "the model does not say how the tree was trained"
    theirs, mine = problem_of(other.train).to_json(), problem_of(own).to_json()
    varied = _VARIED.get(other.kind, ())
    found = [
        words
        for field, words in _SETTINGS.items()
        if field not in varied and theirs[field] != mine[field]
    ]
    if found:
        return f"it was made with other settings ({list_words(found)})"
    if other.kind is JobKind.COMPARE:
        return "the tree's shape, cap, cut points and rows are not among those compared"
    if other.kind is JobKind.CURVE:
        return "the tree's shape is not among those of the curve"
    return "the file was read in another way"


def _batch(record: Mapping[str, Any], work: Sequence[tuple[Part | None, Any]]) -> Batch:
    """Make the jobs of a study from its parts and their results; None for a part without one."""
    whole = JobSpec(
        dataset=record["data"]["sha256"],
        table_name=record["data"]["name"],
        read=ReadOptions(),  # only needed to read the data file again
        train=TrainSpec.from_json(record["settings"]),
        kind=JobKind(record[STUDY]),
    )
    return Batch(
        tuple(
            Job(
                dataclasses.replace(whole, part=part),
                status=RunStatus.CANCELLED if result is None else RunStatus.DONE,
                result=result,
            )
            for part, result in work
        )
    )


def _frontier(record: Mapping[str, Any]) -> Batch:
    FrontierView.from_json(record)
    return _batch(record, [(None, dict(record))])


def _curve(record: Mapping[str, Any]) -> Batch:
    for run in record["runs"]:
        CurveRun.from_json(run)
    plan = CurveSpec(
        topologies=tuple(map(Topology.parse, record["topologies"])),
        repeats=record["repeats"],
        sweep=Sweep(record["sweep"]),
    )
    return _batch(record, [(plan.repeat(0), {"runs": record["runs"]})])


def _compare(record: Mapping[str, Any]) -> Batch:
    """Make a job for each requested fold."""
    runs = [FoldRun.from_json(run) for run in record["runs"]]
    folds = list(dict.fromkeys(run.fold for run in runs))
    candidates = tuple(dict.fromkeys(run.candidate for run in runs))
    work: list[tuple[Part | None, Any]] = [
        (
            ComparisonFold(candidates, fold),
            {"runs": [run.to_json() for run in runs if run.fold == fold]},
        )
        for fold in folds
    ]
    not_done = (ComparisonFold(candidates, folds[0]), None)
    return _batch(record, work + [not_done] * (record["folds"] - len(folds)))


def _stability(record: Mapping[str, Any]) -> Batch:
    part = ResampleRange(0, record["asked"])
    for run in record["runs"]:
        RangeRun.from_json(run)
    return _batch(record, [(part, run) for run in record["runs"]])


_READERS: dict[JobKind, Callable[[Mapping[str, Any]], Batch]] = {
    JobKind.FRONTIER: _frontier,
    JobKind.CURVE: _curve,
    JobKind.COMPARE: _compare,
    JobKind.STABILITY: _stability,
}
