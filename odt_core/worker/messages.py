"""The messages between the manager and its workers.

A worker receives ``{"type": "run", "job": id, "spec": {...}, "path": file, "hurry": bool}`` and
``{"type": "cancel", "job": id}``. It sends ``ready`` once. For each job it sends ``begun`` when it
has read the order, any number of ``stage``, ``progress`` and ``best`` messages, and one ``result``
or ``error``. A ``best`` message holds a whole result with the best tree so far.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from odt_core.alternatives.question import QuestionPart
from odt_core.alternatives.study import AlternativesPart
from odt_core.data import ReadOptions
from odt_core.errors import MALFORMED, InputError
from odt_core.studies.adoption import Adoption
from odt_core.studies.comparison import ComparisonFold
from odt_core.studies.curve import CurveRepeat
from odt_core.studies.path import PathPart
from odt_core.studies.stability import ResampleRange
from odt_core.studies.validation import ValidationSpec
from odt_core.training.spec import TrainSpec
from odt_core.verification import Claim


class JobKind(StrEnum):
    """What a job does.

    ``train`` finds a tree. ``frontier`` finds every undominated tree. ``curve`` is one repeat of a
    curve. ``compare`` trains all candidates of a comparison on one fold. ``stability`` trains a
    tree again on some resamples. ``adopt`` makes a tree of a frontier or of a list of alternatives
    the result of a training run. ``path`` finds the best trees of any shape by their number of
    questions. ``verify`` checks a proof by trying every tree. ``validate`` applies a frozen tree to
    rows that did not train it. ``question`` ranks the columns that one question of a tree could be
    about. ``alternatives`` lists the near-optimal trees.
    """

    TRAIN = "train"
    FRONTIER = "frontier"
    CURVE = "curve"
    COMPARE = "compare"
    STABILITY = "stability"
    ADOPT = "adopt"
    PATH = "path"
    VERIFY = "verify"
    VALIDATE = "validate"
    QUESTION = "question"
    ALTERNATIVES = "alternatives"


Part = (
    CurveRepeat
    | ComparisonFold
    | ResampleRange
    | Adoption
    | PathPart
    | Claim
    | ValidationSpec
    | QuestionPart
    | AlternativesPart
)
_PARTS: dict[JobKind, type[Part]] = {
    JobKind.CURVE: CurveRepeat,
    JobKind.COMPARE: ComparisonFold,
    JobKind.STABILITY: ResampleRange,
    JobKind.ADOPT: Adoption,
    JobKind.PATH: PathPart,
    JobKind.VERIFY: Claim,
    JobKind.VALIDATE: ValidationSpec,
    JobKind.QUESTION: QuestionPart,
    JobKind.ALTERNATIVES: AlternativesPart,
}
"""The settings that a kind needs besides the settings of a training run."""


def _read_options(record: Mapping[str, Any]) -> ReadOptions:
    """Read the options for a file, and check that each has the right type."""
    types = {"skip_lines": (int,), "units_row": (bool,)}
    for name, value in record.items():
        if type(value) not in types.get(name, (str, type(None))):
            raise TypeError(f"the option {name} of reading cannot be {str(value)[:40]!r}")
    return ReadOptions(**record)


@dataclass(frozen=True)
class JobSpec:
    """A piece of work and its data set. A run keeps the JSON of this as its specification.

    Attributes
    ----------
    dataset : str
        SHA-256 of the data set in the store (see `odt_core.storage.Store.datasets`).
    table_name : str
        The file's name as the user knows it.
    read : ReadOptions
        How to read the file.
    train : TrainSpec
        Data, split, shape, goal and limits.
    kind : JobKind
        What to do with these.
    part : object
        The settings that the kind needs besides these; None for a training run or a frontier.
    """

    dataset: str
    table_name: str
    read: ReadOptions
    train: TrainSpec
    kind: JobKind = JobKind.TRAIN
    part: Part | None = None

    @property
    def time_limit(self) -> float:
        """Seconds that the solving may take, for all its problems together."""
        n_solves = 1
        if isinstance(self.part, CurveRepeat):
            n_solves = len(self.part.topologies)
        elif isinstance(self.part, ComparisonFold):
            n_solves = len(self.part.candidates)
        elif isinstance(self.part, ResampleRange | QuestionPart | AlternativesPart):
            n_solves = self.part.n_solves
        return self.train.time_limit * n_solves

    def to_json(self) -> dict[str, Any]:
        """Write the job as a dictionary that `from_json` can read."""
        return {
            "dataset": self.dataset,
            "table_name": self.table_name,
            "read": dataclasses.asdict(self.read),
            "train": self.train.to_json(),
            "kind": self.kind.value,
            "part": None if self.part is None else self.part.to_json(),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> JobSpec:
        """Rebuild a job's specification.

        Raises
        ------
        InputError
            If another version wrote the record, or a field is missing or wrong.
        """
        try:
            return cls._from_json(record)
        except InputError:
            raise
        except MALFORMED as error:
            raise InputError(
                "This run's settings cannot be read by this version of the program "
                f"({type(error).__name__}: {error}): start a new run."
            ) from error

    @classmethod
    def _from_json(cls, record: Mapping[str, Any]) -> JobSpec:
        kind = JobKind(record.get("kind", JobKind.TRAIN))
        part = record.get("part")
        if not isinstance(record["dataset"], str) or not isinstance(record["table_name"], str):
            raise TypeError("a data set and its name are texts")
        return cls(
            dataset=record["dataset"],
            table_name=record["table_name"],
            read=_read_options(record["read"]),
            train=TrainSpec.from_json(record["train"]),
            kind=kind,
            part=None if part is None else _PARTS[kind].from_json(part),
        )
