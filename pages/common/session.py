"""A browser session: its person, its work, its page, its pressed button and its messages.

The work is one frozen record in the session state, which pages replace through `update`. Widgets
keep their values with ``persist_state="session"``.

The user's next action interrupts the running script, and the return value of ``st.button`` is lost.
So a callback stores each press of a button that starts or opens a run. The button's own page, which
alone knows the settings, acts on it. If the user leaves that page too early, the next page says so,
and the press has no effect at a later visit.
"""

from __future__ import annotations

import dataclasses
import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import streamlit as st

from odt_core.data import ReadOptions, Schema, SplitSpec, Table
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.storage import LOCAL_OWNER
from odt_core.training import TrainSpec
from odt_core.worker.messages import Part

_WORK, _LANE, _PAGE = "odt_work", "odt_lane", "places_page"
_PRESSED, _SAID = "presses_noted", "notices_said"

LONGEST = 255
"""The most characters of an owner's id in the store."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """The current table, the hash of its uploaded bytes, and the options with which it was read."""

    table: Table
    sha256: str
    read: ReadOptions

    @property
    def name(self) -> str:
        """The file's or sample's name."""
        return self.table.name

    def job(
        self, train: TrainSpec, kind: JobKind = JobKind.TRAIN, part: Part | None = None
    ) -> JobSpec:
        """Return a job on this table."""
        return JobSpec(self.sha256, self.name, self.read, train, kind, part)


@dataclass(frozen=True, eq=False)
class Work:
    """A session's work.

    Attributes
    ----------
    dataset : Dataset or None
        The current table.
    schema : Schema or None
        The use of its columns.
    split : SplitSpec or None
        The split into training and test rows.
    job : Job or None
        The last training run; its result is the current tree.
    earlier : Job or None
        The run of the tree that becomes current again if the last run ends without a tree.
    frontier : Job or None
        The last frontier.
    curve : Batch or None
        The last curve: one job for each split.
    comparison : Batch or None
        The last comparison: one job for each fold.
    path : Batch or None
        The last path by size: first the job of all training rows, then one for each fold.
    stability : Batch or None
        The last stability study: each job has some of the resamples.
    alternatives : Batch or None
        The last list of near-optimal trees: one job.
    validation : Job or None
        The last validation.
    """

    dataset: Dataset | None = None
    schema: Schema | None = None
    split: SplitSpec | None = None
    job: Job | None = None
    earlier: Job | None = None
    frontier: Job | None = None
    curve: Batch | None = None
    comparison: Batch | None = None
    path: Batch | None = None
    stability: Batch | None = None
    alternatives: Batch | None = None
    validation: Job | None = None

    @property
    def runs(self) -> dict[str, Job | Batch]:
        """The session's runs and studies, by the names of their fields."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: run for name, run in values.items() if isinstance(run, Job | Batch)}

    @property
    def made_from(self) -> dict[str, str]:
        """The hashes of the data sets of the session's runs and studies, by the same names."""
        runs = self.runs.items()
        jobs = ((name, run.jobs[0] if isinstance(run, Batch) else run) for name, run in runs)
        return {name: job.spec.dataset for name, job in jobs}


def work() -> Work:
    """The session's work so far."""
    found = st.session_state.get(_WORK)
    return found if isinstance(found, Work) else Work()


def lane() -> str:
    """The session's lane in the queue. The lanes of an owner take turns."""
    return str(st.session_state.setdefault(_LANE, uuid.uuid4().hex))


def update(**changes: Any) -> Work:
    """Replace parts of the session's work, and return the new work."""
    st.session_state[_WORK] = dataclasses.replace(work(), **changes)
    return work()


def sign_in_is_on() -> bool:
    """Whether people must sign in.

    A secrets.toml that cannot be read raises an error. It may have an ``[auth]`` section, and
    ignoring it would open everybody's runs.
    """
    if not any(Path(path).exists() for path in st.get_option("secrets.files")):
        return False
    return "auth" in st.secrets


def owner() -> str:
    """The id of the session's person in the store."""
    return owner_of(st.user.to_dict()) if sign_in_is_on() else LOCAL_OWNER


def owner_of(claims: Mapping[str, Any]) -> str:
    """Return the id of a signed-in person: issuer and subject, which never change.

    An address or a name can pass to another person. Without a printable issuer and subject the id
    is empty.
    """
    issuer, subject = claims.get("iss"), claims.get("sub")
    for claim in (issuer, subject):
        if not isinstance(claim, str) or not claim.strip() or not claim.isprintable():
            return ""
    found = f"{issuer} {subject}"
    if len(found) <= LONGEST:
        return found
    return f"sha256 {hashlib.sha256(found.encode('utf-8', 'replace')).hexdigest()}"


class Place(StrEnum):
    """A page: its file below the folder of `dashboard.py`, and its help in the navigation."""

    help: str

    DATA = (
        "data/page.py",
        "Upload a table, and choose the outcome and the reading of each column.",
    )
    TRAIN = (
        "train/page.py",
        "Choose the tree's shape and goal, and find the best tree of that shape.",
    )
    SENSITIVITY = (
        "sensitivity/page.py",
        "Every best trade-off between sensitivity and specificity, each with its tree.",
    )
    COMPARE = "compare/page.py", "Which shape, cap and cut points do best on unseen rows."
    ALTERNATIVES = (
        "alternatives/page.py",
        "Which other trees are as good as the best one, and what each column is worth.",
    )
    PREDICT = (
        "predict/page.py",
        "Apply a tree to one case or to a file, and validate it on other rows.",
    )
    RUNS = "runs/page.py", "All runs: find, open, compare, repeat and delete them."

    def __new__(cls, file: str, words: str) -> Place:
        self = str.__new__(cls, file)
        self._value_, self.help = file, words
        return self


def enter_page(title: str) -> None:
    """Set the title of the current page."""
    st.session_state[_PAGE] = title


def this_page() -> str:
    """The title of the current page."""
    return str(st.session_state.get(_PAGE, ""))


@dataclass
class Press:
    """A press of a button on which its page has not yet acted.

    Attributes
    ----------
    button : str
        The label.
    page : str
        The title of the page.
    about : object
        What the press is about, such as a run.
    queued : mapping or None
        The changes for `update`, once the run is queued. Setting them cannot be interrupted.
    """

    button: str
    page: str
    about: Any = None
    queued: Mapping[str, Any] | None = None


def note_press(button: str, about: Any = None) -> dict[str, Any]:
    """Return arguments for ``st.button``, with which a callback stores the press.

    The label must be unique on the page. `about` is what the press is about, if the page could not
    know this later.
    """
    return {"on_click": press, "args": (button, this_page(), about)}


def press(button: str, page: str, about: Any = None) -> None:
    """Store the press of a button on a page; for callbacks."""
    st.session_state[_PRESSED] = Press(button, page, about)


def is_pressed(button: str) -> bool:
    """Whether a button was pressed and its page has not yet acted on it."""
    noted = st.session_state.get(_PRESSED)
    return noted is not None and noted.button == button


def pressed_about(button: str) -> Any:
    """What the press of a button is about; None if the button is not pressed."""
    return st.session_state[_PRESSED].about if is_pressed(button) else None


def forget_press() -> None:
    """Forget the press, because its page has acted on it or cannot act on it."""
    st.session_state.pop(_PRESSED, None)


def queue_pressed(queue: Callable[[], Mapping[str, Any]]) -> Work:
    """Queue the run of a pressed button exactly once, even if the script is interrupted.

    `queue` queues the run and returns the changes for `update`. It must not access the session's
    state after the run is queued.
    """
    noted = st.session_state[_PRESSED]
    try:
        if noted.queued is None:
            noted.queued = queue()
    except Exception:
        forget_press()  # otherwise each page would repeat the error
        raise
    now = update(**noted.queued)
    forget_press()
    return now


def finish_presses() -> None:
    """Make another page's run current, or say that the user left that page too early.

    Every page calls this.
    """
    noted = st.session_state.get(_PRESSED)
    if noted is None:
        return
    if noted.queued is not None:
        update(**noted.queued)
        forget_press()
    elif noted.page != this_page():
        forget_press()
        say(f"You left the page before **{noted.button}** took effect: press it there again.")


def say(words: str) -> None:
    """Show a message, as Markdown, the next time the page is drawn."""
    st.session_state[_SAID] = (*st.session_state.get(_SAID, ()), words)


def draw_messages() -> None:
    """Draw the new messages. They disappear with the user's next action."""
    for words in st.session_state.pop(_SAID, ()):
        st.info(words)
