"""Small tables for tests."""

from __future__ import annotations

from odt_core.data import ColumnKind, ColumnSchema, Schema, Table, read_table

CATEGORICAL, NUMERICAL, IGNORE = ColumnKind


def table_of(**columns: list[str]) -> Table:
    """A table, read from the CSV that these columns make."""
    lines = [",".join(columns)]
    lines += [",".join(row) for row in zip(*columns.values(), strict=True)]
    return read_table("\n".join(lines).encode())


def schema_of(target: str = "y", positive: str = "p", **kinds: ColumnKind) -> Schema:
    """A schema with the columns' kinds."""
    return Schema(target, positive, tuple(ColumnSchema(name, kinds[name]) for name in kinds))
