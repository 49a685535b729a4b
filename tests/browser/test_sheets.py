"""Sheets opened from disk, without a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from odt_core.data import SplitSpec, infer_schema
from odt_core.problem import Feature
from odt_core.reports import SheetFormat, Statements, write_sheet
from odt_core.solution import Engine
from odt_core.topology import Topology
from odt_core.training import TrainSpec, run_training
from odt_core.tree import Tree
from odt_core.words import category_words
from tests.core.reports.sheets import hostile_tree, model_of, ward_table, wordy_tree
from tests.core.trees import cells_and_codes, default_column, mushroom_tree, random_tree
from tests.examples import blocks, some

Open = Callable[[bytes], Page]

N_ROWS = 60

FILL = """(cases) => {
  const form = document.getElementById("case")
  const fields = [...document.querySelectorAll("[data-input]")]
  return cases.map((cells) => {
    fields.forEach((field, place) => {
      const cell = cells[place]
      const chosen = field.querySelector("select")
      if (chosen !== null) {
        const option = [...chosen.options].findIndex((each) => each.text === cell.text)
        if (option < 1) throw new Error(`no choice ${cell.text}`)
        chosen.selectedIndex = option
      } else {
        field.querySelector("[type=checkbox]").checked = cell.missing
        field.querySelector("[type=text]").value = cell.text
      }
    })
    form.dispatchEvent(new Event("input"))
    return document.getElementById("answer").dataset.leaf
  })
}"""
"""Fills the form in for one case after the other, and gives the leaf of each."""


@pytest.fixture
def open_sheet(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a file from disk; it must throw no error, and ask for nothing but itself."""
    context = browser.new_context(offline=True, viewport={"width": 1024, "height": 900})
    errors: list[str] = []
    asked: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    files: list[str] = []

    def open_one(content: bytes) -> Page:
        path = tmp_path / f"sheet{len(files)}.html"
        path.write_bytes(content)
        files.append(path.as_uri())
        page.goto(path.as_uri())
        return page

    yield open_one
    context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith("data:")] == files


def card(tree: Tree) -> bytes:
    return write_sheet(model_of(tree), SheetFormat.CARD)


def as_typed(feature: Feature, cell: Any) -> dict[str, Any]:
    """What a user would enter for a cell."""
    if feature.is_numerical:
        return {"missing": cell is None, "text": "" if cell is None else repr(cell)}
    if cell is None:
        return {"text": "not known"}
    known = cell in feature.values and feature.values.index(cell) != missing(feature)
    return {"text": category_words(cell) if known else "another value"}


def missing(feature: Feature) -> int | None:
    return default_column(feature).missing_code


@pytest.mark.parametrize("seeds", blocks(0, 12, 2))
def test_the_card_answers_as_the_tree(open_sheet: Open, seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        tree, _data = random_tree(random)
        rows, codes = cells_and_codes(random, tree, N_ROWS)
        page = open_sheet(card(tree))
        used = [tree.features[g] for g in tree.asked_features]
        cases = [[as_typed(feature, row[feature.name]) for feature in used] for row in rows]
        leaves = page.evaluate(FILL, cases)
        assert [int(leaf) for leaf in leaves] == [leaf + 1 for leaf in tree.apply(codes)]


def test_a_person_fills_the_card_in(open_sheet: Open) -> None:
    page = open_sheet(card(mushroom_tree()))
    answer, size = page.locator("#answer"), page.get_by_label("cap size", exact=True)
    expect(answer).to_have_text("Next: odor.")
    page.get_by_label("odor", exact=True).select_option("anise")
    expect(answer).to_contain_text("Next: cap size.")
    size.fill("2,5")
    expect(answer.locator(".label")).to_have_text("edible")
    expect(answer).to_contain_text("95 of 97 training rows were edible")
    size.fill("1,200")
    expect(answer).to_contain_text("Correct cap size.")
    expect(page.locator("#hint1")).to_contain_text("write 1200, or 1.2000 if")
    size.fill("about 3")
    expect(page.locator("#hint1")).to_contain_text("write a number")
    size.fill("2.51")
    expect(answer.locator(".label")).to_have_text("poisonous")
    page.get_by_label("odor", exact=True).select_option("spicy")
    expect(answer.locator(".doubts")).to_have_text(
        "Take care: odor: no training row had this value at the question."
    )
    page.get_by_label("odor", exact=True).select_option("another value")
    expect(answer.locator(".doubts")).to_have_text(
        "Take care: odor: no training row had this value."
    )
    page.get_by_role("button", name="Clear").click()
    expect(answer).to_have_text("Next: odor.")


def test_the_card_warns_of_a_number_beyond_those_of_training(open_sheet: Open) -> None:
    model = model_of(mushroom_tree())
    for column in model.encoder["columns"]:
        if column["name"] == "cap size":
            column["range"] = [0.5, 9.0]
    page = open_sheet(write_sheet(model, SheetFormat.CARD))
    page.get_by_label("odor", exact=True).select_option("anise")
    size, doubts = page.get_by_label("cap size", exact=True), page.locator("#answer .doubts")
    size.fill("9")
    expect(page.locator("#answer .label")).to_be_visible()
    expect(doubts).to_have_count(0)
    size.fill("9.1")
    expect(doubts).to_have_text(
        "Take care: cap size: a number outside the range of the training rows (0.5 to 9)."
    )


def test_names_that_try_to_be_markup_stay_text(open_sheet: Open) -> None:
    tree = hostile_tree()
    page = open_sheet(card(tree))
    page.locator("select").select_option("0")
    page.locator("[type=text]").fill("0.5")
    expect(page.locator("#answer .label")).to_have_text(tree.positive_label)
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0


def test_the_cards_rates_stay_between_its_margins(open_sheet: Open) -> None:
    table = ward_table()
    schema = infer_schema(table, target="ill", positive="yes")
    spec = TrainSpec(
        schema, SplitSpec.parse("75%"), Topology.parse("depth-2"), engine=Engine.SEARCH
    )
    model = run_training(table, spec).model
    assert model is not None
    page = open_sheet(write_sheet(model, SheetFormat.CARD))
    for width in (1440, 1200, 801, 800, 641, 390):
        page.set_viewport_size({"width": width, "height": 900})
        ends = page.evaluate(
            """() => ["table.rates", "footer"].map(
                 (each) => document.querySelector(each).getBoundingClientRect().right)"""
        )
        assert ends[0] <= ends[1] + 0.5, width


def test_the_card_is_one_printed_page_without_the_form(open_sheet: Open) -> None:
    page = open_sheet(card(mushroom_tree()))
    page.emulate_media(media="print")
    expect(page.locator("#case")).to_be_hidden()
    expect(page.locator("figure.tree svg")).to_be_visible()
    assert printed_pages(page) == [1, 1]


LETTER = {"width": 740, "height": 980}
"""What the margins leave of a Letter page, in CSS pixels, of which 4 are 3 points."""


def printed_pages(page: Page) -> list[int]:
    """How many pages an A4 and a Letter printer need, each with the margins that the sheet asks."""
    prints = [page.pdf(format=paper, prefer_css_page_size=True) for paper in ("A4", "Letter")]
    return [len(re.findall(rb"/Type\s*/Page\b", content)) for content in prints]


@pytest.mark.parametrize("depth", some([4, 1, 2, 3], always=2))
@pytest.mark.parametrize(
    ("letters", "n_values"), [(12, 4), (80, 4), (40, 24), (80, 24)], ids=lambda size: str(size)
)
def test_the_card_of_a_large_tree_is_one_printed_page(
    depth: int, letters: int, n_values: int, open_sheet: Open
) -> None:
    model = model_of(wordy_tree(depth, letters, n_values))
    statements = Statements(intended_use="for " + "patients of the ward " * 8, author="A. Name")
    page = open_sheet(write_sheet(model, SheetFormat.CARD, statements))
    page.emulate_media(media="print")
    assert printed_pages(page) == [1, 1]
    page.set_viewport_size(LETTER)
    drawing = page.locator("figure.tree svg:visible")
    expect(drawing).to_have_count(1)
    size = drawing.locator("text").first.evaluate(
        "text => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize)"
    )
    assert size * 0.75 >= (6.0 if letters < 40 else 4.5), f"{size * 0.75:.2f} points"


def test_a_shortened_name_has_its_whole_name_below_the_printed_drawing(open_sheet: Open) -> None:
    tree = wordy_tree(4, 80, 4)
    page = open_sheet(card(tree))
    expect(page.locator("figure.tree svg:visible")).to_have_count(1)
    page.emulate_media(media="print")
    keys = " ".join(page.locator(".keys:visible").all_inner_texts())
    drawn = " ".join(page.locator("figure.tree svg:visible text").all_text_contents())
    names = [tree.features[g].name for g in tree.asked_features]
    for name in (*names, tree.positive_label, tree.negative_label):
        assert name in keys and name not in drawn
        mark = re.search(rf"(\(\w+\)) {re.escape(name)}", keys)
        assert mark is not None and mark[1] in drawn


def test_lists_without_room_on_paper_refer_to_another_place(open_sheet: Open) -> None:
    page = open_sheet(card(wordy_tree(4, 80, 24)))
    page.emulate_media(media="print")
    expect(page.locator(".keys").last).to_contain_text("have no room on this page")
    page.emulate_media(media="screen")
    expect(page.locator(".keys").last).to_be_hidden()
    expect(page.locator("figure.tree:visible")).to_contain_text("List 1,")
