"""From a file, a sample or other reading options to the session's current data set.

A file that cannot be used changes nothing: the data set before it stays current.
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
    """The largest file that may be uploaded."""
    return int(st.get_option("server.maxUploadSize"))


def most_bytes() -> int:
    """The same, to the byte."""
    return most_megabytes() * 1024 * 1024


def load_upload(name: str, content: bytes, read: ReadOptions | None = None) -> None:
    """Read an uploaded file, with the options if there are any, and make it current.

    Raises
    ------
    InputError
        If it is too large or not a usable table.
    """
    # The browser checks this too, but can be made not to.
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
    """Make one of the product's own data sets current."""
    sample = SAMPLES[key]
    content = sample.csv()
    read = ReadOptions()
    name = f"{key}.csv"
    table = table_of(hashlib.sha256(content).hexdigest(), read, name, content)
    sha256 = store().datasets.put(owner(), content, name).sha256
    adopt(table, sha256, read, target=sample.target, positive=sample.positive)


def read_again(dataset: Dataset, read: ReadOptions) -> None:
    """Read the current file otherwise.

    Raises
    ------
    InputError
        If it is no usable table when read so; the data set stays as it was.
    """
    content = store().datasets.read(owner(), dataset.sha256)
    table = table_of(dataset.sha256, read, dataset.name, content, withdraw_table)
    adopt(table, dataset.sha256, read)
