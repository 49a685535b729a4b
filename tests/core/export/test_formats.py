"""Every format is one call away."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import odt_core
from odt_core import MADE_BY
from odt_core.data import CellReading, Encoder
from odt_core.errors import InputError
from odt_core.export import ExportFormat, Model, export_model, tree_from_json
from odt_core.problem import EncodedData
from odt_core.render import LIGHT
from odt_core.words import rules_text
from tests.core.trees import default_column, export_tree, mushroom_tree

TREE = mushroom_tree()


EXTENSIONS = {
    "dot": ".gv",
    "svg": ".svg",
    "png": ".png",
    "rules": ".txt",
    "python": ".py",
    "sql": ".sql",
    "json": ".json",
}


def test_formats_of_the_command_line():
    assert {f: ExportFormat(f).extension for f in EXTENSIONS} == EXTENSIONS
    assert all("/" in f.mime and f.extension[0] == "." and f.label for f in ExportFormat)
    assert len({f.label for f in ExportFormat}) == len(ExportFormat)


def test_rules_and_json():
    rules = export_tree(TREE, "rules").decode()
    assert rules == f"{rules_text(TREE)}\nWritten by {MADE_BY}.\n"
    assert tree_from_json(json.loads(export_tree(TREE, "json"))) == TREE


@pytest.mark.parametrize("format", list(ExportFormat))
def test_every_file_says_which_version_wrote_it(format: ExportFormat):
    content = export_tree(TREE, format)
    if format is ExportFormat.PNG:
        assert Image.open(io.BytesIO(content)).info["Software"] == MADE_BY
    elif format is ExportFormat.JSON:
        assert json.loads(content)["software"] == odt_core.__version__
    else:
        assert MADE_BY in content.decode()


def test_pictures_name_all_categories_and_count_test_rows():
    codes = np.array([[0, 0], [2, 0]], dtype=np.int32)
    test = EncodedData(codes, np.array([True, False]), np.ones(2, dtype=np.int64), TREE.features)
    dot = export_tree(TREE, "dot", test=test).decode()
    assert "test 100% of 1" in dot and LIGHT.page in dot
    svg = export_tree(TREE, ExportFormat.SVG, test=test)
    texts = [e.text for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "no: foul, musty," in " ".join(filter(None, texts))
    assert export_tree(TREE, "png").startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("format", ["html ", "pdf", "DOT", ""])
def test_an_unknown_format_is_refused_with_the_list_of_formats(format):
    with pytest.raises(InputError, match="not known: choose one of dot, svg, png, rules"):
        export_tree(TREE, format)


def test_a_models_code_knows_its_missing_tokens():
    columns = tuple(
        replace(default_column(feature), reading=CellReading((token,)))
        for feature, token in zip(TREE.features, ("NA", "-9"), strict=True)
    )
    model = Model(TREE, {}, Encoder(columns).to_json())
    python = export_model(model, "python").decode()
    assert "MISSING = {'odor': ('NA',), 'cap size': ('-9',)}" in python
    assert "-9" in export_model(model, "sql").decode()
    assert "-9" not in export_tree(TREE, "sql").decode()
