"""A data set that comes with the product."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from odt_core.data.inference import infer_schema
from odt_core.data.reading import read_table
from odt_core.data.schema import ColumnKind, Schema
from odt_core.data.table import Table

Content = tuple[Sequence[str], Iterable[Sequence[str]]]
"""Column names and rows of text."""


@dataclass(frozen=True)
class Sample:
    """A data set that comes with the product.

    Attributes
    ----------
    key : str
        Short name, for addresses and the command line.
    title : str
        Name for screens.
    description : str
        What the rows, features and classes are, and where the data come from.
    target, positive : str
        The outcome and its positive label.
    content : callable
        Makes column names and rows; always the same ones.
    numerical : tuple of str
        Columns that are numerical whatever their values look like.
    """

    key: str
    title: str
    description: str
    target: str
    positive: str
    content: Callable[[], Content]
    numerical: tuple[str, ...] = ()

    def csv(self) -> bytes:
        """The sample as a CSV file in UTF-8."""
        return _csv_bytes(self.content)

    def load(self) -> Table:
        """The sample as a table, read from its CSV form."""
        return read_table(self.csv(), name=f"{self.key}.csv")

    def schema(self) -> Schema:
        """The meaning of its columns."""
        schema = infer_schema(self.load(), self.target, self.positive)
        return schema.with_kinds(dict.fromkeys(self.numerical, ColumnKind.NUMERICAL))


@cache
def _csv_bytes(content: Callable[[], Content]) -> bytes:
    names, rows = content()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode()
