"""The current table, from a file or a sample, or from the same file with other options.

If a file cannot be used, the earlier table stays current.
"""

from __future__ import annotations

import hashlib

from odt_core.data import SAMPLES, ReadOptions, Schema
from odt_core.data.stray_lines import single_column_refusal
from odt_core.errors import InputError
from pages.common.server import store
from pages.common.session import Dataset, owner, update
from pages.common.table_requests import withdraw_table
from pages.common.tables import read_upload, table_of
from pages.data.schema_edits import set_table


def load_upload(name: str, content: bytes, read: ReadOptions) -> None:
    """Read an uploaded file and make it current.

    Raises
    ------
    InputError
        If the file is too large or is not a usable table.
    """
    table = read_upload(name, content, read)
    try:
        set_table(table, store().datasets.put(owner(), content, name).sha256, read)
    except InputError as error:
        if len(table.columns) == 1 and not table.report.container:
            raise single_column_refusal(str(error), table, read) from error
        raise


def load_sample(key: str) -> None:
    """Make a built-in sample current."""
    sample = SAMPLES[key]
    content = sample.csv()
    read = ReadOptions()
    name = f"{key}.csv"
    table = table_of(hashlib.sha256(content).hexdigest(), read, name, content)
    sha256 = store().datasets.put(owner(), content, name).sha256
    set_table(table, sha256, read, target=sample.target, positive=sample.positive)


def read_again(dataset: Dataset, read: ReadOptions, schema: Schema | None = None) -> None:
    """Read the current file with other options, and restore the schema of an earlier reading.

    Raises
    ------
    InputError
        If it is not a usable table with these options. The data set stays unchanged.
    """
    content = store().datasets.read(owner(), dataset.sha256)
    table = table_of(dataset.sha256, read, dataset.name, content, withdraw_table)
    set_table(table, dataset.sha256, read)
    if schema is not None:
        update(schema=schema)
