"""What the store takes and gives: frozen records, no rows of the database."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from odt_core.confusion import Confusion

LOCAL_OWNER = "local"
"""The owner of everything where nobody signs in."""

Json = Mapping[str, Any]
"""A JSON object, written and read by another room."""


def new_id() -> str:
    """An id that cannot be guessed: 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


class RunStatus(StrEnum):
    """Where a run is. ``interrupted``: its server ended; its best tree so far is kept."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come by itself."""
        return self not in (RunStatus.QUEUED, RunStatus.RUNNING)


@dataclass(frozen=True)
class Headline:
    """A run's main settings, for lists; the specification has them all.

    Attributes
    ----------
    target, positive : str
        The outcome's column and the positive class.
    topology, goal, engine : str
        The shape's name, what is maximised, who solves.
    max_card : int or None
        Cap on a categorical split's set.
    seed : int
        For the solver.
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
    """What lists show of a result, and sort by; shares lie in [0, 1].

    Attributes
    ----------
    solved : str or None
        The solution's status: ``optimal``, ``feasible``, ``infeasible``, ``cancelled``.
    errors : int or None
        Misclassified training rows.
    objective, bound : float or None
        In the objective's own unit.
    n_train, n_test : int or None
        Rows.
    train_accuracy, train_tpr, train_tnr, test_accuracy, test_tpr, test_tnr : float or None
        Shares of training and of test rows; None where there are no such rows.
    seconds : float or None
        From start to end.
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
        """How much the objective could at most still gain."""
        if self.objective is None or self.bound is None:
            return None
        return self.bound - self.objective

    @classmethod
    def from_result(cls, result: Json) -> KeyMetrics:
        """The metrics in a training run's JSON, which is the command line's contract."""
        train, test = _confusion(result["train"]), _confusion(result["test"])
        return cls(
            solved=result["status"],
            errors=result["errors"],
            objective=result["objective"]["value"],
            bound=result["objective"]["bound"],
            n_train=result["n_train"],
            n_test=result["n_test"],
            train_accuracy=_accuracy(train),
            train_tpr=_share(train.tp, train.n_positive),
            train_tnr=_share(train.tn, train.n_negative),
            test_accuracy=_accuracy(test),
            test_tpr=_share(test.tp, test.n_positive),
            test_tnr=_share(test.tn, test.n_negative),
            seconds=result["seconds"]["total"],
        )


def _confusion(counts: Mapping[str, int] | None) -> Confusion:
    return Confusion(0, 0, 0, 0) if counts is None else Confusion(**counts)


def _accuracy(confusion: Confusion) -> float | None:
    return _share(confusion.tp + confusion.tn, confusion.n)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class MemberCounts:
    """How many of a study's runs are where."""

    queued: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0
    interrupted: int = 0

    def of(self, status: RunStatus) -> int:
        """How many have a status."""
        count: int = getattr(self, status.value)
        return count

    @property
    def n(self) -> int:
        """All."""
        return sum(self.of(status) for status in RunStatus)

    @property
    def n_over(self) -> int:
        """How many need no more work."""
        return self.n - self.queued - self.running


@dataclass(frozen=True)
class NewRun:
    """A run to be queued.

    Attributes
    ----------
    dataset : str
        SHA-256 of the owner's data set.
    table_name : str
        The file's name as the user knows it.
    spec : dict
        Everything that decides the run apart from the data: how the file is read, the training
        specification. It is kept as it is.
    headline : Headline
        Its main settings.
    kind : str
        What is run: ``train``, ``frontier``, ...
    name, note : str
        The user's words; may be empty.
    lane : str
        Turns are taken between owners first, then between an owner's lanes: a browser session,
        or one study (whose members get a lane of their own where they name none).
    rerun_of : str or None
        The run that this repeats.
    id : str or None
        The run's id, if it has one already.
    queued_at, started_at : datetime or None
        When it was asked for and when it began, if that was before it is entered.
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
    """How a run ended.

    Attributes
    ----------
    status : RunStatus
        ``done``, ``failed`` or ``cancelled``.
    result, model : dict or None
        The JSON of the result and of the model; a cancelled run may have them too.
    metrics : KeyMetrics
        For lists.
    message : str
        Why it failed, in one sentence.
    ended_at : datetime or None
        When it ended, in UTC, if that was before it is written.
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
        Not guessable.
    owner, lane : str
        Whose it is, and whose turn it takes.
    kind, name, note, dataset, table_name, rerun_of
        As in `NewRun`.
    headline : Headline
        Main settings.
    status : RunStatus
        Where it is.
    stage : str
        What a running run is doing.
    message : str
        Why it failed or was interrupted, in one sentence.
    server : str or None
        The server that runs it or last did.
    queued_at, started_at, improved_at, cancel_at, ended_at : datetime or None
        In UTC. `cancel_at` is when the owner asked for it to stop.
    progress : dict or None
        The latest point of its progress.
    metrics : KeyMetrics
        Empty until it is done.
    study : str or None
        The study that it is a member of.
    members : MemberCounts or None
        If it is a study.
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
        """Whether nothing more will come by itself."""
        return self.status.is_over


@dataclass(frozen=True)
class RunRecord:
    """A run with everything that is known of it; enough to run it again.

    Attributes
    ----------
    summary : RunSummary
        What lists show.
    spec : dict
        As it was queued.
    versions : dict or None
        Software that ran it, by name.
    best : dict or None
        The best tree so far; what is left of an interrupted run.
    trace : list or None
        Points of its progress.
    result, model : dict or None
        Once it is done.
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
        Of its bytes; its id.
    name : str
        The file's name when it was last given.
    size : int
        Bytes.
    stored : bool
        False if only its hash is known, from an imported run.
    created_at, used_at : datetime
        When it came, and when it was last given or run on, in UTC.
    n_runs : int
        Runs made from it; a study counts as one.
    """

    sha256: str
    name: str
    size: int
    stored: bool
    created_at: datetime
    used_at: datetime
    n_runs: int


class SortKey(StrEnum):
    """What a list of runs can be sorted by."""

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
    """Which runs a list shows.

    Attributes
    ----------
    search : str
        Words that all must occur in name, note, file, outcome, shape, goal, engine or id; case
        does not matter.
    statuses, kinds : tuple
        Only these; empty for all.
    dataset : str or None
        Only runs on this data set.
    study : str or None
        Only members of this study; else no member of any.
    sort, descending
        The order; runs without a value come last either way, and equal ones newest first.
    limit, offset : int
        The page.
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
    """A page of a list, and how many runs the whole list has."""

    runs: tuple[RunSummary, ...]
    total: int


@dataclass(frozen=True)
class ClaimedRun:
    """A run that a server has taken and must now run.

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
    """What a server learns when it says that it lives.

    Attributes
    ----------
    cancel : frozenset of str
        Its runs that their owners want stopped.
    lost : frozenset of str
        Runs it holds that no longer exist (deleted, with their data): stop them, keep nothing.
    """

    cancel: frozenset[str]
    lost: frozenset[str]


@dataclass(frozen=True)
class Deleted:
    """What went with a deletion.

    Attributes
    ----------
    n_runs : int
        Runs; a study counts as one.
    running : tuple of str
        Those that were running, members of studies among them.
    wiped : bool
        Whether it is off the disk already; else the next `Store.tidy` sees to it.
    """

    n_runs: int
    running: tuple[str, ...] = ()
    wiped: bool = True
