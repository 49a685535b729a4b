"""Runs in words: statuses, progress, goals and settings; plain text."""

from __future__ import annotations

from datetime import datetime

from odt_core.alternatives.edits import rules_in_drawing
from odt_core.alternatives.question import QuestionPart
from odt_core.errors import InputError
from odt_core.jobs import JobKind, JobSpec
from odt_core.problem import Goal
from odt_core.solution import Status
from odt_core.storage import RunRecord, RunStatus, RunSummary
from odt_core.studies import CurveRepeat, ValidationSpec
from odt_core.training import settings_words
from odt_core.tree import Tree
from odt_core.words import GOAL_NAMES, capitalized, list_words, number_words, seconds_words
from pages.common.settings import OTHERS_WORDS, shape_of
from pages.common.stored import ranked_tree
from pages.runs.outcome import outcome_of

FILTER_WORDS = {
    RunStatus.QUEUED: "Waiting",
    RunStatus.RUNNING: "Running",
    RunStatus.DONE: "Done",
    RunStatus.INTERRUPTED: "Interrupted",
    RunStatus.CANCELLED: "Stopped",
    RunStatus.FAILED: "Failed",
}
_DONE_WORDS = {
    Status.OPTIMAL: "proved optimal",
    Status.FEASIBLE: "best found",
    Status.INFEASIBLE: "no such tree",
    Status.CANCELLED: "stopped early",
}
STATUS_COLOURS = {
    "waiting": "gray",
    "running": "blue",
    "stopping": "blue",
    "proved optimal": "green",
    "done": "green",
    "best found": "yellow",
    "stopped early": "yellow",
    "no such tree": "violet",
    "interrupted": "orange",
    "stopped": "gray",
    "failed": "red",
}
"""Every status in words, with the colour of its badge. The words are clear without it."""
SHAPE = "Shape"
"""The name of the setting with the shape."""


def badge_words(run: RunSummary) -> str:
    """Describe the status or result of a run in a word or two."""
    if run.status is RunStatus.DONE:
        return _DONE_WORDS.get(Status(run.metrics.solved), "done") if run.metrics.solved else "done"
    if run.status is RunStatus.RUNNING:
        return "running" if run.cancel_at is None else "stopping"
    return FILTER_WORDS[run.status].lower()


def goal_of(run: RunSummary) -> str:
    """Describe the goal of a run; "" for a frontier or curve."""
    if run.kind in (JobKind.FRONTIER, JobKind.CURVE):
        return ""
    goal = run.headline.goal
    return GOAL_NAMES[Goal(goal)] if goal in set(Goal) else goal


def progress_words(run: RunSummary, now: datetime) -> str:
    """Describe the progress of a run, or its time."""
    if run.members is not None and not run.is_over:
        return f"{run.members.n_over} of {run.members.n} done"
    if run.started_at is None:
        return ""
    seconds = max(((run.ended_at or now) - run.started_at).total_seconds(), 0.0)
    if run.status is RunStatus.INTERRUPTED:
        return "–"  # the end is not known
    if run.status is RunStatus.RUNNING:
        return f"{int(seconds)} s"
    return seconds_words(run.metrics.seconds if run.metrics.seconds is not None else seconds)


def settings_of(record: RunRecord) -> dict[str, str]:
    """Return a run's settings by name; plain text.

    For a run of another version, only the settings in the list of runs are known.
    """
    run = record.summary
    headline = run.headline
    known = {
        "Data": run.table_name,
        "Outcome": f"{headline.target} = {headline.positive}" if headline.target else "",
        SHAPE: capitalized(shape_of(run)),
        "Goal": goal_of(run),
    }
    try:
        spec = JobSpec.from_json(record.spec)
    except InputError:
        return known
    tree = _tree_of(record, spec)
    rules = None if tree is None else rules_in_drawing(spec.train, tree)
    settings = settings_words(spec.train, rules)
    if isinstance(spec.part, CurveRepeat):
        levels = [number_words(100 * level) for level in spec.part.levels]
        settings["Floors"] = f"{spec.part.sweep.word} at least {list_words(levels)}%"
        if run.members is not None:
            settings["Split"] += f" and on: {run.members.n} splits"
    if spec.kind is JobKind.VERIFY:
        settings["Engine"] = "every tree, one by one"
    elif isinstance(spec.part, ValidationSpec):
        settings |= {"Engine": "none: the tree is frozen", "Part": _part_words(spec.part)}
    elif isinstance(spec.part, QuestionPart):
        settings |= {"Engine": "search", **_question_words(spec.part)}
    elif spec.kind is not JobKind.TRAIN:  # studies always use the search
        settings["Engine"] = "search"
    return known | settings


def _tree_of(record: RunRecord, spec: JobSpec) -> Tree | None:
    """The drawn tree that a run's rules are about, if it is known."""
    if spec.kind is not JobKind.QUESTION:
        return outcome_of(record).tree
    try:
        job = ranked_tree(record.summary.id)
    except InputError:  # its run was deleted
        return None
    return None if job.trained is None else job.trained.tree


def _question_words(part: QuestionPart) -> dict[str, str]:
    """Where columns are ranked, with the number in the drawing if there is one."""
    if part.question is None:
        return {"Question": f"node {part.node + 1} of the shape"}
    return {
        "Question": str(part.question + 1),
        "What else may change": OTHERS_WORDS[part.others].lower(),
    }


def _part_words(part: ValidationSpec) -> str:
    """The rows of a validation."""
    if part.part is None:
        return "all rows that did not train the tree"
    return part.part.words
