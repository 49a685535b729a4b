"""The frozen records that the store takes and returns, without any database types."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypedDict

from odt_core.confusion import Confusion

LOCAL_OWNER = "local"
"""The owner of everything when nobody signs in."""

Json = Mapping[str, Any]
"""A JSON object that another room writes and reads."""


class Progress(TypedDict, total=False):
    """What has changed in the progress of a run.

    Attributes
    ----------
    stage : str
        The stage.
    progress : dict
        The latest point.
    best : dict
        The best tree so far.
    trace : list
        All points so far.
    """

    stage: str
    progress: Json
    best: Json
    trace: list[Any]


def new_id() -> str:
    """Make an id that nobody can guess: 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


class RunStatus(StrEnum):
    """The state of a run. ``interrupted``: its server ended, and its best tree is kept."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self not in (RunStatus.QUEUED, RunStatus.RUNNING)


@dataclass(frozen=True)
class Headline:
    """A run's main settings, for lists; the specification has all settings.

    Attributes
    ----------
    target, positive : str
        The outcome's column and the positive class.
    topology, goal, engine : str
        The shape's name, the goal, and the solver.
    max_card : int or None
        Largest number of categories on one side of a categorical split.
    seed : int
        The solver's seed.
    """

    target: str = ""
    positive: str = ""
    topology: str = ""
    goal: str = ""
    engine: str = ""
    max_card: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class KeyMetrics:
    """The figures of a result by which lists show and sort runs; shares lie in [0, 1].

    Attributes
    ----------
    solved : str or None
        The solution's status: ``optimal``, ``feasible``, ``infeasible``, ``cancelled``.
    errors : int or None
        Misclassified training rows.
    objective, bound : float or None
        In the unit of the objective.
    n_train, n_test : int or None
        Numbers of rows.
    train_accuracy, train_tpr, train_tnr, test_accuracy, test_tpr, test_tnr : float or None
        Shares of training rows and of test rows; None if there are no such rows.
    seconds : float or None
        Seconds from start to end.
    """

    solved: str | None = None
    errors: int | None = None
    objective: float | None = None
    bound: float | None = None
    n_train: int | None = None
    n_test: int | None = None
    train_accuracy: float | None = None
    train_tpr: float | None = None
    train_tnr: float | None = None
    test_accuracy: float | None = None
    test_tpr: float | None = None
    test_tnr: float | None = None
    seconds: float | None = None

    @property
    def gap(self) -> float | None:
        """How much the objective could still gain at most."""
        if self.objective is None or self.bound is None:
            return None
        return self.bound - self.objective

    @classmethod
    def from_result(cls, result: Json) -> KeyMetrics:
        """Read the figures from a training run's JSON, the command line's contract."""
        train, test = _confusion(result["train"]), _confusion(result["test"])
        return cls(
            solved=result["status"],
            errors=result["errors"],
            objective=result["objective"]["value"],
            bound=result["objective"]["bound"],
            n_train=result["n_train"],
            n_test=result["n_test"],
            train_accuracy=_share(train.tp + train.tn, train.n),
            train_tpr=_share(train.tp, train.n_positive),
            train_tnr=_share(train.tn, train.n_negative),
            test_accuracy=_share(test.tp + test.tn, test.n),
            test_tpr=_share(test.tp, test.n_positive),
            test_tnr=_share(test.tn, test.n_negative),
            seconds=result["seconds"]["total"],
        )


def _confusion(counts: Mapping[str, int] | None) -> Confusion:
    return Confusion(0, 0, 0, 0) if counts is None else Confusion(**counts)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class MemberCounts:
    """The number of a study's runs with each status."""

    queued: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0
    interrupted: int = 0

    def of(self, status: RunStatus) -> int:
        """Count the runs with a status."""
        count: int = getattr(self, status.value)
        return count

    @property
    def n(self) -> int:
        """Count all runs."""
        return sum(self.of(status) for status in RunStatus)

    @property
    def n_over(self) -> int:
        """Count the runs that need no more work."""
        return self.n - self.queued - self.running


@dataclass(frozen=True)
class NewRun:
    """A run that is to be queued.

    Attributes
    ----------
    dataset : str
        SHA-256 of the owner's data set.
    table_name : str
        The file's name as the user knows it.
    spec : dict
        The settings that decide the run apart from the data: how to read the file, and the
        training specification. Stored unchanged.
    headline : Headline
        The main settings.
    kind : str
        The kind of job: ``train``, ``frontier``, ...
    name, note : str
        The user's name and note; may be empty.
    lane : str
        Owners take turns, and the lanes of one owner take turns. A lane is a browser session or
        one study. A study's members without a lane get a lane of their own.
    rerun_of : str or None
        The run that this one repeats.
    id : str or None
        The run's id, if it already has one.
    queued_at, started_at : datetime or None
        When it was requested and when it started, if that was before it is entered.
    """

    dataset: str
    table_name: str
    spec: Json
    headline: Headline = field(default_factory=Headline)
    kind: str = "train"
    name: str = ""
    note: str = ""
    lane: str = ""
    rerun_of: str | None = None
    id: str | None = None
    queued_at: datetime | None = None
    started_at: datetime | None = None


@dataclass(frozen=True)
class Ending:
    """The end of a run.

    Attributes
    ----------
    status : RunStatus
        ``done``, ``failed`` or ``cancelled``.
    result, model : dict or None
        JSON of the result and of the model; a cancelled run may have them too.
    metrics : KeyMetrics
        Figures for lists.
    message : str
        One sentence that says why it failed.
    ended_at : datetime or None
        When it ended, in UTC, if that was before this is written.
    """

    status: RunStatus
    result: Json | None = None
    model: Json | None = None
    metrics: KeyMetrics = field(default_factory=KeyMetrics)
    message: str = ""
    ended_at: datetime | None = None


@dataclass(frozen=True)
class RunSummary:
    """A run as lists show it.

    Attributes
    ----------
    id : str
        An id that nobody can guess.
    owner, lane : str
        The owner's id, and the lane in which the run takes its turn.
    kind, name, note, dataset, table_name, rerun_of
        As in `NewRun`.
    headline : Headline
        The main settings.
    status : RunStatus
        The state of the run.
    stage : str
        The current step of a running run.
    message : str
        One sentence that says why it failed or was interrupted.
    server : str or None
        The server that runs it or ran it last.
    queued_at, started_at, improved_at, cancel_at, ended_at : datetime or None
        In UTC. `cancel_at` is when the owner asked the run to stop.
    progress : dict or None
        The latest point of the run's progress.
    metrics : KeyMetrics
        Empty until the run is done.
    study : str or None
        The study to which the run belongs.
    members : MemberCounts or None
        Counts of a study's members; None for a single run.
    """

    id: str
    owner: str
    lane: str
    kind: str
    name: str
    note: str
    dataset: str
    table_name: str
    rerun_of: str | None
    headline: Headline
    status: RunStatus
    stage: str
    message: str
    server: str | None
    queued_at: datetime
    started_at: datetime | None
    improved_at: datetime | None
    cancel_at: datetime | None
    ended_at: datetime | None
    progress: Json | None
    metrics: KeyMetrics
    study: str | None = None
    members: MemberCounts | None = None

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self.status.is_over


@dataclass(frozen=True)
class RunRecord:
    """A run with everything that is stored of it; enough to run it again.

    Attributes
    ----------
    summary : RunSummary
        The part that lists show.
    spec : dict
        The specification as it was queued.
    versions : dict or None
        Versions by name of the software that ran it.
    best : dict or None
        The best tree so far; an interrupted run keeps it.
    trace : list or None
        The points of the run's progress.
    result, model : dict or None
        JSON of both, once the run is done.
    """

    summary: RunSummary
    spec: Json
    versions: Mapping[str, str] | None
    best: Json | None
    trace: Sequence[Any] | None
    result: Json | None
    model: Json | None


@dataclass(frozen=True)
class DatasetRecord:
    """An owner's data set.

    Attributes
    ----------
    sha256 : str
        SHA-256 of its bytes, which is its id.
    name : str
        The file's name at the last upload.
    size : int
        Size in bytes.
    stored : bool
        Whether the bytes are stored; false if an imported run brought only the hash.
    created_at, used_at : datetime
        When it was first stored, and when it was last uploaded or run on, in UTC.
    n_runs : int
        Number of runs made from it; a study counts as one.
    """

    sha256: str
    name: str
    size: int
    stored: bool
    created_at: datetime
    used_at: datetime
    n_runs: int


class SortKey(StrEnum):
    """The keys by which a list of runs can be sorted."""

    QUEUED = "queued_at"
    STARTED = "started_at"
    ENDED = "ended_at"
    NAME = "name"
    KIND = "kind"
    STATUS = "status"
    TABLE = "table_name"
    TARGET = "target"
    TOPOLOGY = "topology"
    GOAL = "goal"
    ENGINE = "engine"
    MAX_CARD = "max_card"
    SOLVED = "solved"
    ERRORS = "errors"
    OBJECTIVE = "objective"
    GAP = "gap"
    N_TRAIN = "n_train"
    TRAIN_ACCURACY = "train_accuracy"
    TRAIN_TPR = "train_tpr"
    TRAIN_TNR = "train_tnr"
    TEST_ACCURACY = "test_accuracy"
    TEST_TPR = "test_tpr"
    TEST_TNR = "test_tnr"
    SECONDS = "seconds"


@dataclass(frozen=True)
class RunQuery:
    """The selection and order of a list of runs.

    Attributes
    ----------
    search : str
        Words that must all occur in name, note, file, outcome, shape, goal, engine or id; upper
        and lower case count as the same.
    statuses, kinds : tuple
        Show only these; empty shows all.
    dataset : str or None
        Show only runs on this data set.
    study : str or None
        Show only members of this study. None shows runs that belong to no study.
    sort, descending
        The order. Runs without a value always come last; equal runs are sorted newest first.
    limit, offset : int
        Size and start of the page.
    """

    search: str = ""
    statuses: tuple[RunStatus, ...] = ()
    kinds: tuple[str, ...] = ()
    dataset: str | None = None
    study: str | None = None
    sort: SortKey = SortKey.QUEUED
    descending: bool = True
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True)
class RunPage:
    """One page of a list, and the number of runs in the whole list."""

    runs: tuple[RunSummary, ...]
    total: int


@dataclass(frozen=True)
class ClaimedRun:
    """A run that a server has claimed and must run now.

    Attributes
    ----------
    id, owner, lane, kind, dataset, table_name, spec
        As in `NewRun`.
    """

    id: str
    owner: str
    lane: str
    kind: str
    dataset: str
    table_name: str
    spec: Json


@dataclass(frozen=True)
class Heartbeat:
    """The answer to a server's heartbeat.

    Attributes
    ----------
    cancel : frozenset of str
        The server's runs that their owners want to stop.
    lost : frozenset of str
        The server's runs that were deleted with their data: stop them and keep nothing.
    """

    cancel: frozenset[str]
    lost: frozenset[str]


@dataclass(frozen=True)
class Deleted:
    """The extent of a deletion.

    Attributes
    ----------
    n_runs : int
        Number of runs; a study counts as one.
    running : tuple of str
        Ids of the runs that were running, including members of studies.
    wiped : bool
        Whether it is wiped off the disk already; otherwise the next `Store.tidy` does it.
    """

    n_runs: int
    running: tuple[str, ...] = ()
    wiped: bool = True
