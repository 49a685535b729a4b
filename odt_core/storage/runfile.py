"""The file format of an exported run: its JSON schema, writing and reading."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from odt_core.errors import InputError
from odt_core.storage.database import dump_json
from odt_core.storage.datasets import LARGEST
from odt_core.storage.records import (
    DatasetRecord,
    Headline,
    KeyMetrics,
    RunRecord,
    RunStatus,
)
from odt_core.storage.rows import DOCUMENTS, MOST_AT_ONCE

FORMAT = "odt-run"
VERSION = 1
MOMENTS = ("queued_at", "started_at", "improved_at", "ended_at")
LARGEST_FILE = 2 * LARGEST
"""Largest size of an import in bytes. Packed data take a third more space as text."""
LARGEST_REST = 64 * 2**20
"""Largest part of it besides the data set: settings, results and models, in bytes."""
MOST_POINTS = 20_000
"""Largest number of points in a trace."""
MOST_TOLD = 10
"""Number of schema errors that are compared to find the most useful one."""

_NAME = {"type": "string", "maxLength": 1000}
_SHORT = {"type": "string", "maxLength": 10_000}
_OBJECT = {"type": "object"}
_MOMENT = {"type": ["string", "null"], "maxLength": 40}
_COUNT = {"type": ["integer", "null"], "minimum": 0, "maximum": 2**62}
_NUMBER = {"type": ["number", "null"], "minimum": -1e300, "maximum": 1e300}
_METRIC_TYPES = {
    "solved": {"type": ["string", "null"], "maxLength": 20},
    **dict.fromkeys(("errors", "n_train", "n_test"), _COUNT),
}
_RUN = {
    "kind": {"type": "string", "minLength": 1, "maxLength": 40},
    "name": _SHORT,
    "note": {"type": "string", "maxLength": 100_000},
    "table_name": _SHORT,
    "status": {"enum": [status.value for status in RunStatus]},
    "message": _SHORT,
    "queued_at": {"type": "string", "maxLength": 40},
    "started_at": _MOMENT,
    "improved_at": _MOMENT,
    "ended_at": _MOMENT,
    "headline": {
        "type": "object",
        "required": [field.name for field in dataclasses.fields(Headline)],
        "properties": {
            **dict.fromkeys(("target", "positive", "topology", "goal", "engine"), _NAME),
            "max_card": {"type": ["integer", "null"], "minimum": 0, "maximum": 2**31 - 1},
            "seed": {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
        },
        "additionalProperties": False,
    },
    "metrics": {
        "type": "object",
        "required": [field.name for field in dataclasses.fields(KeyMetrics)],
        "properties": {
            field.name: _METRIC_TYPES.get(field.name, _NUMBER)
            for field in dataclasses.fields(KeyMetrics)
        },
        "additionalProperties": False,
    },
    "versions": {"type": ["object", "null"], "maxProperties": 100, "additionalProperties": _NAME},
    "spec": _OBJECT,
    "best": {"type": ["object", "null"]},
    "trace": {"type": ["array", "null"], "maxItems": MOST_POINTS},
    "result": {"type": ["object", "null"]},
    "model": {"type": ["object", "null"]},
}
_ONE_RUN = {
    "type": "object",
    "required": sorted(_RUN),
    "properties": _RUN,
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["run", "members", "dataset"],
    "properties": {
        "run": _ONE_RUN,
        "members": {"type": ["array", "null"], "maxItems": MOST_AT_ONCE, "items": _ONE_RUN},
        "dataset": {
            "type": "object",
            "required": ["sha256", "name", "size", "content"],
            "properties": {
                "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "name": _SHORT,
                "size": {"type": "integer", "minimum": 0, "maximum": LARGEST},
                "content": {"type": ["string", "null"]},
            },
            "additionalProperties": False,
        },
        "format": {},
        "version": {},
    },
    "additionalProperties": False,
}
"""The JSON schema of a run's file. `format` and `version` are checked first."""


@dataclass(frozen=True)
class RunPart:
    """One run in a file.

    Attributes
    ----------
    values : dict
        The run's values by the names in `RunSummary` and `RunRecord`; times are `datetime`.
    headline, metrics : Headline, KeyMetrics
        The main settings, and the figures for lists.
    """

    values: dict[str, Any]
    headline: Headline
    metrics: KeyMetrics


@dataclass(frozen=True)
class RunFile:
    """The content of a run's file.

    Attributes
    ----------
    run : RunPart
        The run, or the study.
    members : tuple of RunPart or None
        The study's runs; None for a single run.
    dataset, dataset_name : str
        Hash and name of the data set.
    content : bytes or None
        The data set's bytes, if the file includes them.
    """

    run: RunPart
    members: tuple[RunPart, ...] | None
    dataset: str
    dataset_name: str
    content: bytes | None


def write_run_file(
    record: RunRecord,
    members: Sequence[RunRecord] | None,
    dataset: DatasetRecord,
    content: bytes | None,
) -> str:
    """Write a run, or a study with its members, as JSON; `content` adds the data set."""
    packed = None if content is None else gzip.compress(content, 6, mtime=0)
    return dump_json(
        {
            "format": FORMAT,
            "version": VERSION,
            "run": _run_json(record),
            "members": None if members is None else [_run_json(member) for member in members],
            "dataset": {
                "sha256": dataset.sha256,
                "name": dataset.name,
                "size": dataset.size,
                "content": None if packed is None else base64.b64encode(packed).decode(),
            },
        }
    )


def _run_json(record: RunRecord) -> dict[str, Any]:
    summary = record.summary
    return {
        **{name: getattr(summary, name) for name in ("kind", "name", "note", "table_name")},
        "status": summary.status.value,
        "message": summary.message,
        **{name: _moment_text(getattr(summary, name)) for name in MOMENTS},
        "headline": dataclasses.asdict(summary.headline),
        "metrics": dataclasses.asdict(summary.metrics),
        **{name: getattr(record, name) for name in DOCUMENTS},
    }


def read_run_file(text: str | bytes) -> RunFile:
    """Read and check a run's file.

    Raises
    ------
    InputError
        If it is not a run's file, is of another version, or a part is missing or wrong.
    """
    if len(text) > LARGEST_FILE:
        raise InputError(f"The file has more than {LARGEST_FILE // 2**20} MB: it cannot be read.")
    found = _parse(text)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(
            "The file is not an exported run: choose one that 'Export' on the Runs page has made."
        )
    if found.get("version") != VERSION:
        raise InputError(
            f"The run's file is of version {str(found.get('version'))[:20]!r}, but this program "
            f"reads version {VERSION}: export it again with the same version of the program."
        )
    check_form(found, SCHEMA)
    if len(text) - len(found["dataset"]["content"] or "") > LARGEST_REST:
        raise InputError(
            f"The run's file has more than {LARGEST_REST // 2**20} MB besides its data set: it "
            "cannot be read."
        )
    dataset, members = found["dataset"], found["members"]
    return RunFile(
        run=_part(found["run"]),
        members=None if members is None else tuple(_part(member) for member in members),
        dataset=dataset["sha256"],
        dataset_name=dataset["name"],
        content=_unpack(dataset),
    )


def _part(run: dict[str, Any]) -> RunPart:
    moments = {name: _moment(run[name], name) for name in MOMENTS}
    return RunPart(
        values={name: run[name] for name in _RUN} | moments,
        headline=Headline(**run["headline"]),
        metrics=KeyMetrics(**run["metrics"]),
    )


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)[:200]
        raise InputError(
            f"The file is not sound JSON ({reason}): choose a file that 'Export' on the Runs page "
            "has made."
        ) from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number")
    return number


def check_form(found: Any, form: dict[str, Any], where: str = "") -> None:
    """Refuse a value that does not match a JSON schema, quickly even if much of it is wrong.

    Parameters
    ----------
    where : str
        Place of the value in the file.

    Raises
    ------
    InputError
        If the value does not match; the message names the place.
    """
    # Only an import needs these modules, which take a quarter of a second to load.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from jsonschema.validators import extend

    # JSON Schema takes 1.0 for an integer, but Python cannot count with it.
    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, v: type(v) is int)
    errors = extend(Draft202012Validator, type_checker=types)(form).iter_errors(found)
    error = best_match(islice(errors, MOST_TOLD))
    if error is not None:
        parts = ([where] if where else []) + list(map(str, error.absolute_path))
        raise InputError(
            f"The run's file is damaged at {'.'.join(parts) or 'the file'} "
            f"({error.message[:200]}): export it again."
        )


def _moment(text: str | None, name: str) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"The run's file is damaged at run.{name} ({text!r}): export it again.")


def _moment_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _unpack(dataset: dict[str, Any]) -> bytes | None:
    """Unpack the data set's bytes, up to the largest size, and check their hash."""
    if dataset["content"] is None:
        return None
    try:
        unpacker = zlib.decompressobj(wbits=31)
        packed = base64.b64decode(dataset["content"], validate=True)
        content = unpacker.decompress(packed, LARGEST + 1)
    except (binascii.Error, ValueError, zlib.error):
        content = b""
    if hashlib.sha256(content).hexdigest() != dataset["sha256"]:
        raise InputError(
            "The data set in the run's file is damaged (its hash differs): export the run again."
        )
    return content
