"""The evidence for a model's sheet: from options, and from the runs of this computer.

The store has the dashboard's runs. ``--evidence`` and ``--validation`` name files with the output
of commands.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from odt_core.cli.inputs import load_table, note
from odt_core.cli.printed_studies import check_belongs, read_printed
from odt_core.data import Table, read_table
from odt_core.errors import MALFORMED, InputError, quoted
from odt_core.export import Model
from odt_core.jobs import Batch, JobKind
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
    """Gather evidence from options and stored runs, for the parts of a sheet.

    Raises
    ------
    InputError
        If a file that an option names cannot be used.
    """
    given = _EvidenceFiles.of(options, model, sheet)
    table = None if options.file is None else load_table(options)
    with _store() as store:
        known = KnownRuns(store, LOCAL_OWNER, given.studies)
        found = given.with_validations(find_evidence(model, known))
        if store is not None and sheet is not SheetFormat.CARD:
            table = table or _stored_table(model, known, store)
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


_SHOWN = {
    SheetFormat.CARD: (),
    SheetFormat.SUMMARY: (JobKind.FRONTIER,),
    SheetFormat.SUMMARY_PNG: (JobKind.FRONTIER,),
}
"""The studies on a sheet that does not show all."""


@dataclass(frozen=True, eq=False)
class _EvidenceFiles:
    """The contents of the files in options.

    Attributes
    ----------
    studies : tuple of Batch
        Studies of the tree's problem, one for each kind.
    validations : tuple of ValidationResult
        Validations of the tree.
    """

    studies: tuple[Batch, ...]
    validations: tuple[ValidationResult, ...]

    @classmethod
    def of(cls, options: argparse.Namespace, model: Model, sheet: SheetFormat) -> _EvidenceFiles:
        """Read the files. Refuse those of other trees, and studies that the sheet does not show."""
        validations = [] if options.validation is None else [_load_validation(options.validation)]
        studies: dict[JobKind, Batch] = {}
        for name in options.evidence:
            given = read_printed(name)
            if isinstance(given, ValidationResult):
                validations.append(given)
                continue
            kind = given.jobs[0].spec.kind
            if kind not in _SHOWN.get(sheet, (kind,)):
                raise InputError(
                    f"--evidence: this sheet has no place for the output of '{kind.value}' "
                    f"({quoted(name)}): leave it out, or write the report."
                )
            if kind in studies:
                raise InputError(
                    f"--evidence: {quoted(name)} is the second file that '{kind.value}' printed: "
                    "give one of them."
                )
            check_belongs(name, given, model)
            studies[kind] = given
        return cls(tuple(studies.values()), tuple(validations))

    def with_validations(self, found: Evidence) -> Evidence:
        """Put the given validations before stored validations, and drop repeated rows."""
        first: dict[tuple[str, str], ValidationResult] = {}
        for each in (*self.validations, *found.validations):
            first.setdefault((each.data.sha256, each.part), each)
        return dataclasses.replace(found, validations=tuple(first.values()))


@contextmanager
def _store() -> Iterator[Store | None]:
    """Open the runs of this computer; None if there are none or they cannot be read."""
    store = None
    try:
        store = Store() if has_store() else None
    except (StorageError, InputError) as error:
        note(f"Stored runs are left out: {error}")
    try:
        yield store
    finally:
        if store is not None:
            store.close()


def _stored_table(model: Model, known: KnownRuns, store: Store) -> Table | None:
    """The model's training file, if a stored run has its reading options."""
    run = training_run(model, known)
    if run is None:
        return None
    spec = run.jobs[0].spec
    path = store.datasets.path(known.owner, spec.dataset)
    return read_table(path, spec.read, name=spec.table_name)


def _load_validation(name: str) -> ValidationResult:
    """Read a file with the output of ``validate --json``."""
    try:
        return ValidationResult.from_json(json.loads(Path(name).read_text(encoding="utf-8")))
    except (OSError, RecursionError, *MALFORMED) as error:
        raise InputError(
            f"--validation: {quoted(name)} cannot be read: give the output of 'validate --json'."
        ) from error
