"""The export formats of trees."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING

from odt_core import MADE_BY
from odt_core.errors import InputError
from odt_core.export.model import Model, file_marks
from odt_core.export.python_code import python_code
from odt_core.export.reading import Reading, default_reading, encoder_readings, reading_words
from odt_core.export.sql_code import sql_code
from odt_core.export.tree_json import tree_to_json
from odt_core.problem import EncodedData
from odt_core.tree import Tree
from odt_core.words import rules_text

if TYPE_CHECKING:
    from odt_core.render import Theme

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
        return {"dot": ".gv", "rules": ".txt", "python": ".py"}.get(self.value, f".{self.value}")

    @property
    def mime(self) -> str:
        """Media type, for downloads."""
        return {
            "dot": "text/vnd.graphviz",
            "svg": "image/svg+xml",
            "png": "image/png",
            "python": "text/x-python",
            "json": "application/json",
        }.get(self.value, "text/plain")


def export_tree(
    tree: Tree,
    format: ExportFormat | str,
    *,
    test: EncodedData | None = None,
    theme: Theme | None = None,
    readings: dict[str, Reading] | None = None,
) -> bytes:
    """Write a tree as a file's bytes; text is UTF-8.

    Parameters
    ----------
    tree : Tree
        The tree.
    format : ExportFormat or str
        The format.
    test : EncodedData, optional
        Test rows to count in the leaves of drawings.
    theme : Theme, optional
        Colours of drawings; light by default.
    readings : dict from str to Reading, optional
        The reading of columns for Python and SQL code. By default only an empty cell is a missing
        value. `export_model` uses the model's readings.

    Raises
    ------
    InputError
        If the format is not known, or Graphviz is not installed.
    """
    if format not in tuple(ExportFormat):
        raise InputError(
            f"The format {str(format)!r} is not known: choose one of {', '.join(ExportFormat)}."
        )
    chosen = ExportFormat(format)
    if chosen in (ExportFormat.DOT, ExportFormat.SVG, ExportFormat.PNG):
        from odt_core.render import LIGHT, tree_dot, tree_png, tree_svg  # training needs no drawing

        # Paper has no tooltips, so names are not shortened.
        dot = tree_dot(tree, test=test, theme=theme or LIGHT, with_lists=True, opaque=True)
        if chosen is ExportFormat.SVG:
            return tree_svg(dot)
        return tree_png(dot) if chosen is ExportFormat.PNG else f"{dot}// {MADE_BY}\n".encode()
    if chosen is ExportFormat.RULES:
        words = reading_words(tree, readings or {})
        return "\n".join([rules_text(tree), *words, f"Written by {MADE_BY}.", ""]).encode()
    if chosen is ExportFormat.JSON:
        record = {"format": TREE_FORMAT, **file_marks(), **tree_to_json(tree)}
        text = json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False)
        return (text + "\n").encode()
    read = {feature.name: default_reading(feature) for feature in tree.features}
    read |= readings or {}
    code = python_code if chosen is ExportFormat.PYTHON else sql_code
    return code(tree, read).encode()


def export_model(
    model: Model,
    format: ExportFormat | str,
    *,
    test: EncodedData | None = None,
    theme: Theme | None = None,
) -> bytes:
    """Write a model's tree as a file's bytes, with the model's readings. See `export_tree`."""
    readings = encoder_readings(model.encoder)
    return export_tree(model.tree, format, test=test, theme=theme, readings=readings)
