"""What the manager and its workers say to each other.

To a worker: ``{"type": "run", "job": id, "spec": {...}}`` and ``{"type": "cancel", "job": id}``.
From a worker: ``ready`` once, then for each job any number of ``stage`` and ``progress`` and one
``result`` or ``error``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from odt_core.data import ReadOptions
from odt_core.training.spec import TrainSpec


@dataclass(frozen=True)
class JobSpec:
    """A training run with the file it reads.

    Attributes
    ----------
    table_path : Path
        The uploaded bytes, kept in a file.
    table_name : str
        The file's name as the user knows it.
    read : ReadOptions
        How the file is read.
    train : TrainSpec
        What to do.
    """

    table_path: Path
    table_name: str
    read: ReadOptions
    train: TrainSpec

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "table_path": str(self.table_path.resolve()),
            "table_name": self.table_name,
            "read": {
                "encoding": self.read.encoding,
                "delimiter": self.read.delimiter,
                "decimal": self.read.decimal,
                "quotechar": self.read.quotechar,
            },
            "train": self.train.to_json(),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> JobSpec:
        """Rebuild a job's specification."""
        return cls(
            table_path=Path(record["table_path"]),
            table_name=record["table_name"],
            read=ReadOptions(**record["read"]),
            train=TrainSpec.from_json(record["train"]),
        )


def to_line(message: Mapping[str, Any]) -> bytes:
    """One message as one line."""
    return json.dumps(message, ensure_ascii=True, allow_nan=False).encode() + b"\n"
