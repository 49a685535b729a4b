"""The Predict page in a real browser: the lit path, and a scored file that agrees with the tree."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from odt_core.data import Encoder, read_table
from odt_core.export import Model
from odt_core.render import THEMES
from odt_core.scoring import answer_case
from odt_core.storage import LOCAL_OWNER, RunSummary, Store
from odt_core.topology import Topology
from tests.browser.server import Server
from tests.browser.window import BOTH_WIDTHS, Window
from tests.runs import Maker, ward

Opener = Callable[..., Window]


@pytest.fixture(scope="module")
def run(server: Server) -> RunSummary:
    """A run with a tree of two questions in the store of the server that all share."""
    store = Store(folder=server.data_dir)
    made = Maker(store).done(name="Ward tree", topology=Topology.parse("depth-2"))
    store.close()
    return made


@pytest.fixture
def model(server: Server, run: RunSummary) -> Model:
    store = Store(folder=server.data_dir)
    found = store.runs.get(LOCAL_OWNER, run.id).model
    store.close()
    return Model.from_json(found)


def choose(window: Window, column: str, value: str) -> None:
    """Give the case a value, and wait until the page shows it."""
    field = window.page.get_by_role("combobox", name=re.compile(column))
    field.click()
    window.until_asked(
        lambda: window.page.get_by_role("option", name=value, exact=True).first.click()
    )
    window.settle()


def lit_edges(window: Window, theme: str) -> Locator:
    """The edges of the drawing that the case passes."""
    edges = f"svg:visible g.edge path[stroke='{THEMES[theme].accent}']"
    return window.page.locator(f".st-key-predict_drawn {edges}")


@pytest.mark.parametrize(("theme", "widths"), BOTH_WIDTHS)
def test_the_path_lights_up_as_values_are_given(
    run: RunSummary, model: Model, open_window: Opener, theme: str, widths: tuple[int, int]
) -> None:
    tree = model.tree
    window = open_window(theme=theme, width=widths[0])
    window.go(f"predict?run={run.id}")
    page = window.page
    expect(page.get_by_text("Not answered yet")).to_be_visible()
    expect(lit_edges(window, theme)).to_have_count(0)
    for width in (390, *widths):
        window.widen(width)
        expect(page.get_by_role("heading", name="The case")).to_be_visible()
        assert window.overhang() == 0
    values: dict[int, str] = {}
    answer = answer_case(tree, values)
    while answer.leaf is None:
        assert answer.waits_for is not None
        feature = tree.features[answer.waits_for]
        values[answer.waits_for] = str(feature.values[-1])
        choose(window, feature.name, str(feature.values[-1]))
        answer = answer_case(tree, values)
    label = tree.label_name(tree.leaves[answer.leaf].label)
    expect(page.get_by_role("heading", name=f"The tree says: {label}")).to_be_visible()
    expect(lit_edges(window, theme)).to_have_count(len(tree.paths[answer.leaf]))
    window.shoot(f"predict-{theme}")
    assert set(re.findall(r"[?&](\w+)=", page.url)) <= {"data", "run"}


def test_a_scored_file_agrees_with_the_tree_row_by_row(
    run: RunSummary, model: Model, tmp_path: Path, open_window: Opener
) -> None:
    window = open_window()
    lines = ward(45).decode().splitlines()
    notes = ['"=1+1"', '"a, b"', '"say ""no"""', "plain", "-5"]
    rows = [f"{line},{notes[i % len(notes)]}" for i, line in enumerate(lines[1:])]
    content = "\n".join([f"{lines[0]},note", *rows]).encode() + b"\n"
    window.go(f"predict?run={run.id}")
    page = window.page
    page.get_by_text("Many cases", exact=True).click()
    expect(page.get_by_text("Choose a file with one row for each case")).to_be_visible()
    window.upload("cases.csv", content)
    expect(page.get_by_text(re.compile("Of 45 rows, the tree says"))).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all rows (CSV)").click()
    path = tmp_path / "scored.csv"
    download.value.save_as(path)
    found = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    tree, table = model.tree, read_table(content)
    codes = Encoder.from_json(model.encoder).encode(table)
    leaves = tree.apply(codes)
    assert [row["leaf"] for row in found] == [str(leaf + 1) for leaf in leaves]
    labels = [tree.label_name(bool(label)) for label in tree.predict(codes)]
    assert [row["predicted"] for row in found] == labels
    risks = [tree.leaves[leaf].n_positive / tree.leaves[leaf].n for leaf in leaves]
    assert np.allclose([float(row["share_positive"]) for row in found], risks, atol=1e-5)
    frame = table.frame
    for column in table.columns[:-1]:
        assert [row[column] for row in found] == list(frame[column])
    assert [row["note"] for row in found][:5] == ["'=1+1", "a, b", 'say "no"', "plain", "-5"]
