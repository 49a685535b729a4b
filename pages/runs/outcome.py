"""The outcome of a run, read from its record: a tree with its counts, or a reason."""

from __future__ import annotations

from dataclasses import dataclass

from odt_core.errors import InputError
from odt_core.evaluation import Metrics
from odt_core.jobs import JobKind, JobSpec
from odt_core.problem import Objective
from odt_core.storage import RunRecord, RunStatus, RunSummary
from odt_core.studies import FrontierView
from odt_core.training import StoredResult
from odt_core.tree import Tree
from odt_core.words import count_words

PART_WORDS: dict[str, str] = {
    JobKind.COMPARE: "fold",
    JobKind.PATH: "path",
    JobKind.ALTERNATIVES: "list",
    JobKind.STABILITY: "part",
}
"""The noun for a part of a study, by kind. Other studies have splits."""


@dataclass(frozen=True, eq=False)
class RunOutcome:
    """The outcome of a run so far.

    Attributes
    ----------
    tree : Tree or None
        Its tree; the best so far if the run is not over.
    train, test : Metrics or None
        The tree's rates on training and test rows.
    remark : str
        A sentence about the outcome; plain text.
    objective : Objective or None
        The tree's objective; None without a tree, or for a run of another version.
    """

    tree: Tree | None
    train: Metrics | None
    test: Metrics | None
    remark: str
    objective: Objective | None = None


def outcome_of(record: RunRecord) -> RunOutcome:
    """Read a run's record."""
    found = StoredResult(record.result or record.best or {})
    # a validation has a frozen tree and no training rows
    if not found.has_tree or record.summary.kind == JobKind.VALIDATE:
        return RunOutcome(None, None, None, _remark(record))
    return RunOutcome(found.tree, found.train, found.test, _remark(record), _objective(record))


def _objective(record: RunRecord) -> Objective | None:
    try:
        return JobSpec.from_json(record.spec).train.objective
    except InputError:
        return None


def has_tree(record: RunRecord) -> bool:
    """Whether a run is over and its tree can be made current."""
    return record.result is not None and StoredResult(record.result).has_tree


def has_page(run: RunSummary) -> bool:
    """Whether a page can show a run of this kind by itself. A check of a proof needs its tree."""
    return run.kind != JobKind.VERIFY


def can_be_opened(record: RunRecord) -> bool:
    """Whether another page can show the run's result or progress."""
    if not has_page(record.summary):
        return False
    if not record.summary.is_over:
        return True
    if record.summary.kind in (JobKind.TRAIN, JobKind.ADOPT):
        return has_tree(record)
    return record.result is not None or record.summary.members is not None


def _remark(record: RunRecord) -> str:
    summary, result = record.summary, record.result
    if summary.status is RunStatus.INTERRUPTED:
        left = "Its best tree so far is below" if record.best else "No tree was found before"
        return f"{summary.message or 'The server ended while it ran.'} {left}."
    if summary.status is RunStatus.FAILED:
        return summary.message
    if summary.status is RunStatus.QUEUED:
        return "It waits for its turn."
    if summary.status is RunStatus.RUNNING:
        return "It is running; this is its best tree so far." if record.best else "It is running."
    if summary.status is RunStatus.CANCELLED and result is None:
        return summary.message or "It was stopped before a tree was found."
    if summary.members is not None:
        part = PART_WORDS.get(summary.kind, "split")
        done, n = summary.members.done, summary.members.n
        return f"{done:,} of {count_words(n, part)} {'is' if n == 1 else 'are'} done."
    if result is None:
        return ""
    if summary.kind == JobKind.FRONTIER:
        n_points = len(FrontierView.from_json(result).points)
        return f"{count_words(n_points, 'best trade-off')}: open it to see the trees."
    return str(result.get("words", {}).get("status", ""))
