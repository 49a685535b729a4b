"""The export formats of trees."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from odt_core import MADE_BY
from odt_core.data import ColumnEncoder
from odt_core.errors import InputError
from odt_core.export.model import Model, file_marks
from odt_core.export.python_code import python_code
from odt_core.export.reading import encoder_columns, reading_words
from odt_core.export.sql_code import sql_code
from odt_core.export.tree_json import tree_to_json
from odt_core.problem import EncodedData
from odt_core.tree import Tree
from odt_core.words import rules_text

TREE_FORMAT = "odt-tree"
"""The format field of a file with a tree alone (model.schema.json)."""


class ExportFormat(StrEnum):
    """An export format of a tree."""

    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    RULES = "rules"
    PYTHON = "python"
    SQL = "sql"
    JSON = "json"

    @property
    def extension(self) -> str:
        """The extension of the file's name, with its dot."""
        return FILES[self].extension

    @property
    def mime(self) -> str:
        """Media type, for downloads."""
        return FILES[self].mime

    @property
    def label(self) -> str:
        """The name in lists of downloads."""
        return FILES[self].label


def export_model(
    model: Model, format: ExportFormat | str, *, test: EncodedData | None = None
) -> bytes:
    """Write a model's tree as a file's bytes; text is UTF-8.

    Parameters
    ----------
    model : Model
        The tree, and how cells are read.
    format : ExportFormat or str
        The format.
    test : EncodedData, optional
        Test rows to count in the leaves of drawings.

    Raises
    ------
    InputError
        If the format is not known, or Graphviz is not installed.
    """
    if format not in tuple(ExportFormat):
        raise InputError(
            f"The format {str(format)!r} is not known: choose one of {', '.join(ExportFormat)}."
        )
    export = _Export(model.tree, test, encoder_columns(model.encoder))
    content = FILES[ExportFormat(format)].write(export)
    return content if isinstance(content, bytes) else content.encode()


@dataclass(frozen=True)
class _Export:
    """A tree, test rows to count in drawings, and the tree's columns by name for code."""

    tree: Tree
    test: EncodedData | None
    columns: dict[str, ColumnEncoder]


def _dot(export: _Export) -> str:
    from odt_core.render import tree_dot  # training needs no drawing

    # Paper has no tooltips, so names are not shortened.
    return tree_dot(export.tree, test=export.test, with_lists=True, opaque=True)


def _svg(export: _Export) -> bytes:
    from odt_core.render import tree_svg

    return tree_svg(_dot(export))


def _png(export: _Export) -> bytes:
    from odt_core.render import tree_png

    return tree_png(_dot(export))


def _rules(export: _Export) -> str:
    words = reading_words(export.tree, export.columns)
    return "\n".join([rules_text(export.tree), *words, f"Written by {MADE_BY}.", ""])


def _json(export: _Export) -> str:
    record = {"format": TREE_FORMAT, **file_marks(), **tree_to_json(export.tree)}
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


@dataclass(frozen=True)
class _File:
    """The files of a format: their names, their label in lists of downloads, and their writer."""

    extension: str
    mime: str
    label: str
    write: Callable[[_Export], str | bytes]


FILES = {
    ExportFormat.SVG: _File(".svg", "image/svg+xml", "Picture (SVG)", _svg),
    ExportFormat.PNG: _File(".png", "image/png", "Picture (PNG)", _png),
    ExportFormat.DOT: _File(
        ".gv",
        "text/vnd.graphviz",
        "Graphviz source (DOT)",
        lambda export: f"{_dot(export)}// {MADE_BY}\n",
    ),
    ExportFormat.RULES: _File(".txt", "text/plain", "Rules in words", _rules),
    ExportFormat.PYTHON: _File(
        ".py",
        "text/x-python",
        "Python function",
        lambda export: python_code(export.tree, export.columns),
    ),
    ExportFormat.SQL: _File(
        ".sql",
        "text/plain",
        "SQL expression",
        lambda export: sql_code(export.tree, export.columns),
    ),
    ExportFormat.JSON: _File(".json", "application/json", "Tree (JSON)", _json),
}
"""The files of each format, in the order of lists of downloads."""
