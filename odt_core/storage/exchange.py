"""Export of a run as one file, and import of that file, here or elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from odt_core.storage.database import Database
from odt_core.storage.datasets import Datasets, enter_dataset
from odt_core.storage.records import NewRun, RunStatus, RunSummary
from odt_core.storage.rows import (
    DOCUMENTS,
    enter_runs,
    find_run,
    read_members,
    read_records,
    read_summary,
)
from odt_core.storage.runfile import RunFile, RunPart, read_run_file, write_run_file
from odt_core.storage.text import cut_line, many_lines

NOT_ENDED = "This run had not ended when it was exported; run it again."


class Exchange:
    """Exports and imports runs.

    Parameters
    ----------
    datasets : Datasets
        Holds their data sets.
    """

    def __init__(self, database: Database, datasets: Datasets) -> None:
        self._database = database
        self._datasets = datasets

    def export_run(self, owner: str, run_id: str, *, with_data: bool = False) -> str:
        """Write a run or study as JSON, complete enough to open and run it again elsewhere.

        Parameters
        ----------
        with_data : bool
            Whether to include the data set. Otherwise the file has only its hash, and the data
            set's file is needed to run it again.

        Raises
        ------
        NotFoundError
            If the owner has no such run, or the data set is requested but not stored.
        """
        with self._database.read() as connection:
            row = find_run(connection, owner, run_id)
            (record,) = read_records(connection, owner, [run_id])
            members = read_members(connection, owner, row.seq) if row.is_study else None
        dataset = self._datasets.get(owner, record.summary.dataset)
        content = self._datasets.read(owner, dataset.sha256) if with_data else None
        return write_run_file(record, members, dataset, content)

    def import_run(
        self,
        owner: str,
        text: str | bytes,
        check: Callable[[RunFile], None] | None = None,
    ) -> RunSummary:
        """Enter an exported run as the owner's own, under a new id, without running it.

        A run without its data set can be opened. To run it again, the owner must upload the same
        file.

        Parameters
        ----------
        check : callable, optional
            Raises `InputError` for parts that other rooms cannot use: a specification, a model.

        Raises
        ------
        InputError
            If the file is damaged or of another version, or if `check` refuses it.
        """
        file = read_run_file(text)
        if check is not None:
            check(file)
        with self._database.write() as connection:
            now = self._database.now(connection)
            name = cut_line(file.dataset_name)
            if file.content is not None:
                self._datasets.enter(connection, owner, file.dataset, file.content, name, now)
            else:
                enter_dataset(self._database, connection, owner, file.dataset, name, now)
            columns = {"is_study": file.members is not None}
            run_id = self._enter(connection, owner, file.dataset, file.run, now, columns)
            if file.members is not None:
                columns = {"parent": find_run(connection, owner, run_id).seq}
                for member in file.members:
                    self._enter(connection, owner, file.dataset, member, now, columns)
            return read_summary(connection, owner, run_id)

    def _enter(
        self,
        connection: Connection,
        owner: str,
        dataset: str,
        part: RunPart,
        now: datetime,
        columns: dict[str, Any],
    ) -> str:
        run = part.values
        new = NewRun(
            dataset=dataset,
            table_name=run["table_name"],
            spec=run["spec"],
            headline=part.headline,
            kind=run["kind"],
            name=cut_line(run["name"]),
            note=many_lines(run["note"]),
        )
        ended = RunStatus(run["status"]).is_over
        columns = columns | {
            "status": run["status"] if ended else RunStatus.INTERRUPTED.value,
            "message": cut_line(run["message"], 2000) if ended else NOT_ENDED,
            "queued_at": run["queued_at"],
            "started_at": run["started_at"],
            "improved_at": run["improved_at"],
            "ended_at": run["ended_at"] if ended else now,
            **dataclasses.asdict(part.metrics),
        }
        documents = {name: run[name] for name in DOCUMENTS}
        return enter_runs(self._database, connection, owner, [new], now, columns, documents)[0]
