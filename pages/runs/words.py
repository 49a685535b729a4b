"""Runs in words: names, kinds and statuses; plain text."""

from __future__ import annotations

from datetime import UTC, datetime

from odt_core.jobs import JobKind
from odt_core.problem import Goal
from odt_core.solution import Status
from odt_core.storage import RunStatus, RunSummary
from odt_core.words import GOAL_NAMES, seconds_words

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


def status_words(run: RunSummary) -> str:
    """Describe the status or result of a run in a word or two."""
    if run.status is RunStatus.DONE:
        return _DONE_WORDS.get(Status(run.metrics.solved), "done") if run.metrics.solved else "done"
    if run.status is RunStatus.RUNNING:
        return "running" if run.cancel_at is None else "stopping"
    return {
        RunStatus.QUEUED: "waiting",
        RunStatus.FAILED: "failed",
        RunStatus.CANCELLED: "stopped",
        RunStatus.INTERRUPTED: "interrupted",
    }[run.status]


def goal_of(run: RunSummary) -> str:
    """Describe the goal of a run; "" for a frontier or curve."""
    if run.kind in (JobKind.FRONTIER, JobKind.CURVE):
        return ""
    goal = run.headline.goal
    return GOAL_NAMES[Goal(goal)] if goal in set(Goal) else goal


def seconds_of(run: RunSummary, now: datetime | None = None) -> float | None:
    """Return the time of a run so far, in seconds; None before it starts."""
    if run.started_at is None:
        return None
    end = run.ended_at or now or datetime.now(UTC)
    return max((end - run.started_at).total_seconds(), 0.0)


def progress_words(run: RunSummary, now: datetime | None = None) -> str:
    """Describe the progress of a run, or its time."""
    if run.members is not None and not run.is_over:
        return f"{run.members.n_over} of {run.members.n} done"
    seconds = seconds_of(run, now)
    if seconds is None:
        return ""
    if run.status is RunStatus.INTERRUPTED:
        return "–"  # the end is not known
    if run.status is RunStatus.RUNNING:
        return f"{int(seconds)} s"
    return seconds_words(run.metrics.seconds if run.metrics.seconds is not None else seconds)
