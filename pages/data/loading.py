"""Loading of the session's current data set from a file, a sample or with other options.

If a file cannot be used, the earlier data set stays current.
"""

from __future__ import annotations

import hashlib

import streamlit as st

from odt_core.data import SAMPLES, ReadOptions
from odt_core.data.stray_lines import single_column_refusal
from odt_core.errors import InputError
from pages.common.intents import withdraw_table
from pages.common.people import owner
from pages.common.server import store
from pages.common.state import Dataset
from pages.common.tables import table_of
from pages.data.choices import adopt


def most_megabytes() -> int:
    """Return the size of the largest upload, in megabytes."""
    return int(st.get_option("server.maxUploadSize"))


def most_bytes() -> int:
    """Return the size of the largest upload, in bytes."""
    return most_megabytes() * 1024 * 1024


def load_upload(name: str, content: bytes, read: ReadOptions | None = None) -> None:
    """Read an uploaded file, perhaps with options, and make it current.

    Raises
    ------
    InputError
        If the file is too large or is not a usable table.
    """
    # The browser also checks this, but a user can bypass it.
    if len(content) > most_bytes():
        raise InputError(
            f"The file {name!r} has more than {most_megabytes()} MB: leave out columns or rows, "
            "or compress it with gzip."
        )
    digest = hashlib.sha256(content).hexdigest()
    read = read or ReadOptions()
    table = table_of(digest, read, name, content, withdraw_table)
    try:
        adopt(table, store().datasets.put(owner(), content, name).sha256, read)
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
    adopt(table, sha256, read, target=sample.target, positive=sample.positive)


def read_again(dataset: Dataset, read: ReadOptions) -> None:
    """Read the current file with other options.

    Raises
    ------
    InputError
        If it is not a usable table with these options. The data set stays unchanged.
    """
    content = store().datasets.read(owner(), dataset.sha256)
    table = table_of(dataset.sha256, read, dataset.name, content, withdraw_table)
    adopt(table, dataset.sha256, read)
