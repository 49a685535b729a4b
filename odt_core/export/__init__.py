"""Trees as files: models, rules, code and pictures."""

from odt_core.export.formats import ExportFormat, export_model
from odt_core.export.model import Model, model_schema, signed_record
from odt_core.export.python_code import python_code
from odt_core.export.sql_code import sql_code
from odt_core.export.tree_json import tree_from_json, tree_to_json

__all__ = [
    "ExportFormat",
    "Model",
    "export_model",
    "model_schema",
    "python_code",
    "signed_record",
    "sql_code",
    "tree_from_json",
    "tree_to_json",
]
