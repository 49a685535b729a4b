"""What a sheet can say of a model beyond its training: from options, and from this computer's runs.

A run that the dashboard made is in the store; what a command printed is not.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from odt_core.cli.inputs import load_table, note
from odt_core.data import Table, read_table
from odt_core.errors import MALFORMED, InputError
from odt_core.export import Model
from odt_core.jobs.evidence import (
    KnownRuns,
    find_evidence,
    held_out_groups,
    quick_frontier,
    training_run,
)
from odt_core.reports import Evidence, SheetFormat
from odt_core.storage import LOCAL_OWNER, StorageError, Store, has_store
from odt_core.studies import ValidationResult
from odt_core.studies.validation import trained_rows


def load_evidence(
    options: argparse.Namespace, model: Model, sheet: SheetFormat = SheetFormat.REPORT
) -> Evidence:
    """What options and stored runs say of a model, as far as a sheet shows it.

    Raises
    ------
    InputError
        If a file that an option names cannot be used.
    """
    given = None if options.validation is None else _load_validation(options.validation)
    table = None if options.file is None else load_table(options)
    found = Evidence()
    with _known_runs() as known:
        if known is not None:
            found = find_evidence(model, known)
            if sheet is not SheetFormat.CARD:
                table = table or _stored_table(model, known)
    if given is not None:
        others = [
            each
            for each in found.validations
            if (each.data.sha256, each.part) != (given.data.sha256, given.part)
        ]
        found = dataclasses.replace(found, validations=(given, *others))
    if table is None:
        if options.by is not None:
            raise InputError("--by needs the file that the model was trained on: give --data too.")
        return found
    if options.file is not None and trained_rows(model, table) is None:
        raise InputError(
            f"--data: {table.name} is not the file that the model was trained on: give that one."
        )
    if sheet is SheetFormat.CARD:
        return found
    return dataclasses.replace(
        found,
        groups=held_out_groups(model, table, options.by),
        frontier=found.frontier or quick_frontier(model, table),
    )


@contextmanager
def _known_runs() -> Iterator[KnownRuns | None]:
    """The runs of this computer; None where there are none, or where they cannot be read."""
    store = None
    try:
        store = Store() if has_store() else None
    except (StorageError, InputError) as error:
        note(f"Stored runs are left out: {error}")
    try:
        yield None if store is None else KnownRuns(store, LOCAL_OWNER)
    finally:
        if store is not None:
            store.close()


def _stored_table(model: Model, known: KnownRuns) -> Table | None:
    """The file that a model was trained on, if a stored run tells how to read it."""
    run = training_run(model, known)
    if run is None:
        return None
    spec = run.jobs[0].spec
    path = known.store.datasets.path(known.owner, spec.dataset)
    return read_table(path, spec.read, name=spec.table_name)


def _load_validation(name: str) -> ValidationResult:
    """What ``validate --json`` printed, from a file."""
    try:
        return ValidationResult.from_json(json.loads(Path(name).read_text(encoding="utf-8")))
    except (OSError, RecursionError, *MALFORMED) as error:
        raise InputError(
            f"--validation: {name!r} cannot be read: give what 'validate --json' printed."
        ) from error
