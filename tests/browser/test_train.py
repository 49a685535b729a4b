"""The Train page in a real browser: from a table to a proved tree, its tests and its files."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from odt_core.cli import main
from odt_core.data import SAMPLES
from odt_core.render import THEMES
from odt_core.topology import Topology
from tests.browser.actions import (
    SOLVED,
    choose_engine,
    choose_shape,
    drawing,
    edit_kind,
    open_at,
    open_trained,
    patients,
)
from tests.browser.window import LOOKS, Look, Window
from tests.runs import coin_tosses

Opener = Callable[..., Window]

READABLE = 9.0
"""Smallest letters of a drawing, in pixels."""


def letter_size(page: Page) -> float:
    """The height of the tree's letters in pixels: ten points of its drawing."""
    return float(
        page.locator(".st-key-train_tree .stGraphVizChart svg:visible > g").first.evaluate(
            "g => 10 * g.getScreenCTM().a"
        )
    )


def headline(page: Page) -> Locator:
    """The verdict on the tree."""
    return page.get_by_test_id("stAlertTitle").first


def standing(page: Page) -> Locator:
    """The status of the tree among all trees of its shape."""
    return page.locator(".st-key-train_proof")


PROVED = re.compile("No tree of this shape does better on the training rows")


def ink(page: Page) -> str:
    """The colour of the tree's first word."""
    fill = page.locator(".st-key-train_tree svg text").first.evaluate(
        "element => getComputedStyle(element).fill"
    )
    return str(fill)


def text_colours(theme: str) -> set[str]:
    """The colours of words in drawings for a light or dark page, as browsers write them."""
    chosen = THEMES[theme]
    colours = (int(colour[1:], 16) for colour in (chosen.ink, chosen.muted))
    return {f"rgb({c >> 16}, {c >> 8 & 255}, {c & 255})" for c in colours}


def table_numbers(page: Page) -> list[int]:
    """The counts of the 2x2 tables as they stand on the page: tp, fp, fn, tn of each."""
    cells = page.locator("td:has-text('positives'), td:has-text('negatives')").all_inner_texts()
    return [int(re.findall(r"[\d,]+", cell)[0].replace(",", "")) for cell in cells]


def test_from_a_csv_to_a_tree_its_numbers_and_its_model(
    window: Window, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = patients(40)
    window.upload("patients.csv", content)
    edit_kind(window, 2, "numerical")  # stage, which is coded 1 to 4
    page = window.page
    page.get_by_role("button", name="Choose the tree's shape").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/train*")
    expect(page.get_by_role("heading", name="Train", level=1)).to_be_focused()
    window.settle()
    expect(page.get_by_text("32 training rows").first).to_be_visible()
    expect(page.get_by_text("Nothing is trained yet")).to_be_visible()
    choose_engine(window, "CBC")  # CBC takes longer than a quick run
    train_and_keep_the_focus(window)
    expect(headline(page)).to_have_text(re.compile("^On 8 test rows, accuracy"))
    expect(standing(page)).to_have_text(PROVED)
    figure = page.get_by_role("figure", name=re.compile("^Decision tree for outcome"))
    expect(figure).to_be_visible()
    shown = table_numbers(page)
    assert len(shown) == 8 and sum(shown[:4]) == 32 and sum(shown[4:]) == 8

    page.get_by_role("button", name="Download").focus()
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Model (JSON)").click()
    model = tmp_path / download.value.suggested_filename
    download.value.save_as(model)
    assert model.name == "patients-depth-2.json"
    assert json.loads(model.read_text(encoding="utf-8"))["format"] == "odt-model"
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture (SVG)").click()
    assert b"<svg" in Path(download.value.path()).read_bytes()
    page.keyboard.press("Escape")
    # the focus goes back to the button when the downloads have closed, and would leave the sheets
    expect(page.get_by_role("button", name="Model (JSON)")).to_have_count(0)
    expect(page.get_by_role("button", name="Download")).to_be_focused()
    page.get_by_role("button", name="Sheets").click()
    page.get_by_label("Author").fill("Dr. Li")
    page.keyboard.press("Tab")
    window.settle()
    with page.expect_download() as download:
        page.get_by_role("button", name="Rule card (HTML)").click()
    assert download.value.suggested_filename == "patients-depth-2-rule-card.html"
    assert b"Dr. Li" in Path(download.value.path()).read_bytes()
    page.keyboard.press("Escape")

    table = tmp_path / "patients.csv"
    table.write_bytes(content)
    assert main(["predict", str(model), str(table)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 40
    wrong = sum(row["predicted"] != row["outcome"] for row in rows)
    assert wrong == shown[1] + shown[2] + shown[5] + shown[6]


def train_and_keep_the_focus(window: Window) -> None:
    """Press Train with the keyboard: the button has the focus again once the tree is drawn."""
    page = window.page
    button = page.get_by_role("button", name="Train", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    drawing(page).wait_for(timeout=SOLVED)
    expect(button).to_be_focused()
    page.locator("h1").click()
    window.settle()
    expect(button).not_to_be_focused()


@pytest.mark.parametrize("look", LOOKS)
def test_a_large_tree_looks_right_in_each_theme_and_width(open_window: Opener, look: Look) -> None:
    (_, light), (_, dark) = look
    window = open_window(theme="dark", width=dark)
    games = SAMPLES["tic-tac-toe"]
    outcome = {"target": games.target, "positive": games.positive}
    open_trained(window, "train", games.csv(), topology=Topology.parse("depth-3"), **outcome)
    page = window.page
    assert ink(page) in text_colours("dark")
    assert_it_fits(window, f"train-dark-{dark}")
    page.emulate_media(color_scheme="light")
    colours = "|".join(map(re.escape, text_colours("light")))
    word = page.locator(".st-key-train_tree svg text").first
    expect(word).to_have_css("fill", re.compile(f"^({colours})$"))
    window.widen(light)
    assert_it_fits(window, f"train-light-{light}")
    expect(page.get_by_role("radio", name="Depth-3", exact=True)).to_be_checked()
    expect(page.get_by_text("trained before you changed")).to_have_count(0)

    window.widen(390)
    assert_it_fits(window, "train-light-390")
    tree = page.locator(".st-key-train_tree_down .stGraphVizChart svg")
    shown_width = tree.evaluate("svg => svg.getBoundingClientRect().width")
    assert shown_width > 390, "it is scrolled, not shrunk until nobody can read it"
    tree.hover()
    down = page.locator(".st-key-train_tree_down")
    down.get_by_role("button", name="Fullscreen").click()
    expect(down.get_by_role("button", name="Close fullscreen")).to_be_visible()
    assert tree.evaluate("svg => svg.getBoundingClientRect().width") > 1.5 * shown_width


def assert_it_fits(window: Window, picture: str) -> None:
    """A large tree grows down where it fits and on phones, and to the right between."""
    page, size = window.page, window.page.viewport_size
    assert size is not None
    shown, hidden = ("right", "down") if size["width"] == 1024 else ("down", "right")
    expect(page.locator(f".st-key-train_tree_{shown}")).to_be_visible()
    expect(page.locator(f".st-key-train_tree_{hidden}")).to_be_hidden()
    assert size["width"] == 390 or letter_size(page) >= READABLE
    assert window.overhang() == 0, "the page scrolls sideways"
    window.shoot(picture)


def test_a_run_can_be_watched_and_stopped_while_the_page_stays_usable(
    open_window: Opener,
) -> None:
    window = open_window()
    open_at(window, "train", coin_tosses(), "coins.csv")
    page = window.page
    choose_shape(window, "Depth-3")
    choose_engine(window, "CBC")
    page.get_by_role("button", name="Train", exact=True).click()
    first_tree = page.get_by_text(re.compile("Best tree so far: .* of 80 training rows"))
    expect(first_tree).to_be_visible(timeout=SOLVED)
    # at each tick the chart before stays in the page for a moment, but is not seen
    chart = page.locator(".st-key-train_progress .js-plotly-plot").first
    expect(chart).to_be_visible(timeout=SOLVED)
    window.count_charts()
    window.until_answered(4)
    assert window.most_charts() == 1, "a chart stands beside its old self"
    expect(page.get_by_role("button", name="Training …")).to_be_disabled()
    page.get_by_role("spinbutton", name="Largest set of categories").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("spinbutton", name="Largest set of categories")).to_have_value("2")
    window.shoot("train-running")
    began = time.monotonic()
    window.until_asked(page.get_by_role("button", name="Stop, and keep the best tree").click)
    drawing(page).wait_for(timeout=SOLVED)
    print(f"Stop pressed to tree drawn: {time.monotonic() - began:.2f} s")
    expect(standing(page)).to_have_text(
        re.compile("Stopped after .*; a better tree gets at most .* right")
    )
    expect(page.get_by_text("before you changed the largest set of categories")).to_be_visible()


def test_the_settings_fit_every_width_and_an_expander_stays_open(open_window: Opener) -> None:
    window = open_window()
    open_at(window, "train", SAMPLES["breast-cancer"].csv(), "breast-cancer.csv")
    page = window.page
    for width in (700, 1024, 1440):
        window.widen(width)
        names = page.get_by_role("radiogroup", name="Shape of the tree").locator("p")
        heights = names.evaluate_all("all => all.slice(0, -1).map((each) => each.clientHeight)")
        assert len(set(heights)) == 1, f"some names take two lines in {width} pixels"
        assert window.overhang() == 0, "the page scrolls sideways"
        window.shoot(f"train-before-{width}")
    page.get_by_role("radio", name="Depth-2", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    window.settle()
    expect(page.get_by_role("radio", name="Depth-1", exact=True)).to_be_checked()
    choose_shape(window, "Any shape, at most k questions")
    expect(page.get_by_role("spinbutton", name="Most questions")).to_be_visible()
    for width in (1440, 390):
        window.widen(width)
        assert window.overhang() == 0, "the page scrolls sideways"
        window.shoot(f"train-any-shape-{width}")

    page.get_by_text("More settings").click()
    engine = page.get_by_role("radiogroup", name="Engine")
    expect(engine).to_be_visible()
    page.get_by_role("combobox", name="Goal").click()
    page.get_by_role("option", name="Sensitivity (TPR)").click()
    floor = page.get_by_role("textbox", name="Floor on specificity (TNR), in %")
    expect(floor).to_be_visible()
    for text in ("much", "80"):
        floor.fill(text)
        page.keyboard.press("Enter")
        window.settle()
        expect(engine).to_be_visible()


MANY_JOBS = "abcdefghijkl"


def workers(n: int) -> bytes:
    """Rows whose outcome depends on five of twelve jobs."""
    rows = [
        f"job {MANY_JOBS[i % 12]},{20 + i * 7 % 50},{'tested_positive' if i % 12 < 5 else 'well'}"
        for i in range(n)
    ]
    return "\n".join(["job,age,outcome", *rows]).encode()


def test_parts_of_a_tree_tell_their_words_on_hover_and_on_focus(open_window: Opener) -> None:
    window = open_window(width=1440)
    tree = {
        "target": "outcome",
        "positive": "tested_positive",
        "topology": Topology.parse("depth-1"),
    }
    open_trained(window, "train", workers(240), **tree)
    page = window.page
    whole = "job is job a, job b, job c, job d or job e?"
    assert ink(page) in text_colours("light")
    first = drawing(page)
    expect(first.locator("title")).to_have_text(re.compile(f"^{re.escape(whole)}"))
    first.focus()
    tip = page.locator(".odt-tip[role=tooltip]")
    expect(tip).to_have_text(re.compile(f"^{re.escape(whole)}"))
    page.keyboard.press("ArrowRight")
    expect(tip).to_have_text(re.compile("^Leaf 1: "))
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.get_by_text("List 1 in full").click()
    expect(page.get_by_text("job: job a, job b, job c, job d or job e (5 of 12)")).to_be_visible()


HOSTILE = {
    "pain": '![x](http://evil.example/a.png)<img src="http://evil.example/b.png">',
    "none": "<b>none</b> & ]]> -- :red[x]",
    "ill": "# ill $x$ {curly} <script>alert(1)</script>",
    "yes": 'yes"] }; digraph [URL="http://evil.example"]',
}


def test_names_that_look_like_code_are_only_shown(open_window: Opener) -> None:
    rows = [["age", HOSTILE["pain"], HOSTILE["ill"]]]
    for age in range(30, 60):
        pain = HOSTILE["none"] if age % 3 else "some"
        rows.append([str(age), pain, HOSTILE["yes"] if age % 3 and age > 40 else "no"])
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    window = open_window(width=1440)
    outcome = {"target": HOSTILE["ill"], "positive": HOSTILE["yes"]}
    open_trained(window, "train", text.getvalue().encode(), "<b>ward</b>.csv", **outcome)
    page = window.page
    words = page.locator(".st-key-train_tree .stGraphVizChart svg").text_content()
    assert words is not None and "evil.example" in words
    targets = page.locator(".st-key-train_tree .stGraphVizChart a").evaluate_all(
        "links => links.map(a => a.getAttribute('xlink:href') ?? a.getAttribute('href'))"
    )
    assert not any(targets)
    for fold in ("PPV and NPV at", "Leaves", "Compared with CART", "The tree in words", "Solver,"):
        page.locator("summary").filter(has_text=fold).click()
        window.settle()
    window.shoot("train-hostile")
    assert page.locator("img[src*=evil]").count() == 0
    assert page.locator("a[href*=evil]").count() == 0
