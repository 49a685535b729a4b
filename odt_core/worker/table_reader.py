"""``python -m odt_core.worker.table_reader``: read one table in a process of its own.

The order is one line of JSON on standard input. It gives the file, how to read it, its name, and
the path for the table. The answers are lines on standard output: any number of ``{"stage": ...}``,
and an ``{"error": ...}`` if the file cannot be read. If the rows are uneven, the error comes with
``beginning`` (the first lines) and ``instead`` (other options).
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import os
import pickle
import sys
from pathlib import Path

from odt_core.data import (
    USUAL_SPLIT,
    ReadOptions,
    RefusedRowsError,
    check_schema,
    infer_schema,
    prepare_beforehand,
    read_table,
    summarize_columns,
)
from odt_core.errors import InputError
from odt_core.processes import end_with_parent
from odt_core.worker.lines import to_line


def main() -> None:
    """Read the table, examine its columns and rows (which can take long), and write it."""
    end_with_parent()
    gc.disable()  # the process ends soon, and with many columns garbage collection takes long
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    order = json.loads(sys.stdin.buffer.readline())
    try:
        table = read_table(
            Path(order["path"]),
            ReadOptions(**order["read"]),
            name=order["name"],
            on_stage=lambda stage: answers.write(to_line({"stage": stage})),
        )
    except RefusedRowsError as error:
        instead = None if error.instead is None else dataclasses.asdict(error.instead)
        answer = {"error": str(error), "instead": instead, "beginning": error.beginning}
        answers.write(to_line(answer))
        return
    except InputError as error:
        answers.write(to_line({"error": str(error)}))
        return
    except MemoryError:
        answers.write(to_line({"error": order["too_large"]}))
        return
    answers.write(to_line({"stage": "looking at the columns"}))
    with contextlib.suppress(InputError):  # the page that proposes a schema reports it
        schema = infer_schema(table)
        check_schema(table, schema)
        readings = {name: schema.reading_of(name) for name in table.columns}
        summarize_columns(table, schema.target, readings, schema.positive)
        prepare_beforehand(table, schema, USUAL_SPLIT)
    with open(order["to"], "wb") as file:
        pickle.dump(table, file, protocol=pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main()
