"""The tree's drawing: what it says, that it is safe, and that it is drawn."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.errors import InputError
from odt_core.problem import EncodedData, Feature, FeatureKind, Split
from odt_core.render import (
    DARK,
    LIGHT,
    THEMES,
    Direction,
    drawn_width,
    files,
    graphviz_command,
    tree_dot,
    tree_png,
    tree_svg,
)
from odt_core.tree import Leaf, Tree
from tests.core.trees import ODD_NAMES, decision, mushroom_tree, random_tree, unhurried
from tests.examples import examples

SVG = "{http://www.w3.org/2000/svg}"
XLINK_TITLE = "{http://www.w3.org/1999/xlink}title"
randoms = st.randoms(use_true_random=False)


def test_rows(tree: Tree, n: int = 30) -> EncodedData:
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(-1, f.n_values, n) for f in tree.features])
    y = random.integers(0, 2, n) == 1
    return EncodedData(codes.astype(np.int32), y, np.ones(n, dtype=np.int64), tree.features)


test_rows.__test__ = False


def texts(dot: str) -> list[str]:
    """The lines of text in the drawing, in the order of the file."""
    root = ElementTree.fromstring(tree_svg(dot))
    return ["".join(e.itertext()).replace("\u200b", "") for e in root.iter(f"{SVG}text")]


def tooltips(dot: str) -> list[str]:
    root = ElementTree.fromstring(tree_svg(dot))
    return [e.attrib[XLINK_TITLE] for e in root.iter(f"{SVG}a")]


def edges(dot: str) -> Iterator[tuple[str, float, str | None]]:
    """(which edge, its width, its own colour) of each edge."""
    for line in dot.splitlines():
        found = re.match(r"  n(\d+):\w+:\w -> n(\d+):\w+:\w \[penwidth=([\d.]+)(.*)", line)
        if found:
            color = re.match(r' color="(#\w+)"', found[4])
            yield f"{found[1]}-{found[2]}", float(found[3]), color[1] if color else None


# --- what it says ---------------------------------------------------------------------------


def test_nodes_ask_in_words_and_edges_list_categories():
    shown = texts(tree_dot(mushroom_tree()))
    assert "odor" in shown and "is almond, anise or none?" in " ".join(shown)
    assert "≤ 2.5 or missing?" in shown
    joined = " ".join(shown)
    assert "no: foul, musty, (missing); not seen here: spicy" in joined
    # what the question says is not said again
    assert shown.count("yes") == 2 and shown.count("no") == 1 and "yes:" not in joined


def test_a_missing_value_that_goes_to_the_right_is_named():
    age = Feature("age", FeatureKind.NUMERICAL, ("low", "high", "(missing)"), (1.5,), True)
    root = decision(0, {0}, Leaf(True, 1, 9), Leaf(False, 9, 1), {0, 1, 2})
    assert "no, or missing" in texts(tree_dot(Tree(root, (age,))))
    root = decision(0, {0}, Leaf(True, 1, 9), Leaf(False, 9, 1), {0, 1})
    assert "no; not seen here: missing" in " ".join(texts(tree_dot(Tree(root, (age,)))))
    root = decision(0, {0, 1}, Leaf(True, 1, 9), Leaf(False, 9, 1), {0, 1, 2})
    assert "no" in texts(tree_dot(Tree(root, (age,))))  # "is not missing?" says it


def test_leaves_show_class_number_share_and_count_of_training_and_test_rows():
    tree = mushroom_tree()
    codes = np.array([[0, 0], [0, 0], [0, 2]], dtype=np.int32)
    test = EncodedData(
        codes, np.array([True, False, False]), np.ones(3, dtype=np.int64), tree.features
    )
    shown = texts(tree_dot(tree, test=test))
    first = shown.index("edible", 4)
    assert shown[first : first + 4] == ["edible", "1", "train 98% of 97", "test 50% of 2"]
    assert "test 0% of 1" in shown
    assert "test no rows" in shown
    assert "percentages: rows of edible" in shown
    assert not any(text.startswith("test") for text in texts(tree_dot(tree)))


def test_bars_fill_the_positive_share_from_the_left():
    def filled(negative: int, positive: int) -> tuple[int, int]:
        dot = tree_dot(Tree(Leaf(True, negative, positive), mushroom_tree().features))
        label = re.search(r"n0 \[label=<(.*)> tooltip", dot)[1]
        cells = re.findall(r'FIXEDSIZE="TRUE" WIDTH="(\d+)"[^>]*?(BGCOLOR|>)', label)
        width = {kind: int(width) for width, kind in cells}
        return width.get("BGCOLOR", 0), width.get(">", 0)

    assert filled(0, 7)[1] == 0 and filled(7, 0)[0] == 0
    full = filled(0, 7)[0]
    assert filled(1, 1) == (full // 2, full - full // 2)
    assert filled(999, 1)[0] == 1 and filled(1, 999)[1] == 1  # never hidden
    assert filled(0, 0) == (0, full)


def test_positive_leaves_are_grey_and_negative_ones_white():
    for theme in (LIGHT, DARK):
        labels = re.findall(r"n\d+ \[label=<(.*)> tooltip", tree_dot(mushroom_tree(), theme=theme))
        leaves = {"edible" in label: label for label in labels if "train" in label}
        assert f'BGCOLOR="{theme.positive}"' in leaves[True]
        assert f'BGCOLOR="{theme.negative}"' in leaves[False]
        assert theme.positive != theme.negative


def test_edges_are_as_wide_as_their_share_of_the_rows():
    widths = {name: width for name, width, _ in edges(tree_dot(mushroom_tree()))}
    # Of 200 rows 120 go left, 97 of them left again.
    expected = {"0-1": 4.0, "1-2": 3.425, "1-3": 1.575, "0-4": 3.0}
    assert widths == pytest.approx(expected, abs=0.006)


def test_the_lit_path_is_marked_by_more_than_colour():
    dot = tree_dot(mushroom_tree(), lit_leaf=1)
    assert {name for name, _, color in edges(dot) if color == LIGHT.accent} == {"0-1", "1-3"}
    labels = dict(re.findall(r"n(\d+) \[label=<(.*)> tooltip", dot))
    for number in "013":
        assert f'BORDER="3" COLOR="{LIGHT.accent}"' in labels[number]
    for number in "24":
        assert LIGHT.accent not in labels[number]
    assert "<B>no</B>" in labels["3"]
    assert "<B>yes</B>" not in labels["2"]
    assert LIGHT.accent not in tree_dot(mushroom_tree())


def long_tree() -> Tree:
    """One question about twelve categories, eight of them to the left."""
    feature = Feature("city", FeatureKind.CATEGORICAL, tuple(f"town {c}" for c in "abcdefghijkl"))
    root = decision(0, set(range(5)), Leaf(True, 1, 5), Leaf(False, 5, 1), set(range(12)))
    return Tree(root, (feature,))


def test_trees_with_names_of_their_own_differ_in_name_alone():
    tree = long_tree()
    plain, own = tree_dot(tree), tree_dot(tree, on_screen=True)
    assert plain.startswith("digraph tree {\n")
    assert own.split("\n", 1)[1] == plain.split("\n", 1)[1]
    marked = tree_dot(tree, marked=frozenset({1}), on_screen=True)
    names = [re.match(r"digraph (tree_\w+) \{\n", dot)[1] for dot in (own, marked)]
    assert names[0] != names[1] and own == tree_dot(tree, on_screen=True)


def test_long_lists_are_numbered_and_whole_in_the_tooltip_and_in_the_legend_of_files():
    dot = tree_dot(long_tree())
    joined = " ".join(texts(dot))
    assert "is in list 1?" in joined
    assert "yes: town a, town b, town c, ... (5 of 12)" in joined
    assert "town e" not in joined
    assert any("town d or town e" in tip for tip in tooltips(dot))
    legend = "List 1, city: town a, town b, town c, town d or town e (5 of 12)."
    assert legend in " ".join(texts(tree_dot(long_tree(), with_lists=True)))


def test_lists_of_several_questions_have_numbers_of_their_own():
    inner = long_tree().root
    root = replace(long_tree().root, left=replace(inner, split=Split(0, frozenset({1, 2, 3, 4}))))
    tree = Tree(root, long_tree().features)
    shown = texts(tree_dot(tree, with_lists=True))
    assert [text for text in shown if text.startswith("is in")] == [
        "is in list 1?",
        "is in list 2?",
    ]
    assert [text[:13] for text in shown if text.startswith("List")] == [
        "List 1, city:",
        "List 2, city:",
    ]


def test_parts_of_a_picture_are_titled_in_words():
    root = ElementTree.fromstring(tree_svg(tree_dot(mushroom_tree())))
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert "cap size <= 2.5 or missing? (120 training rows)" in titles
    assert not [title for title in titles if re.match(r"n\d|tree$", title or "")]
    assert len(titles) == 1 + 5 + 4  # the drawing, its nodes and its edges


def test_tooltips_hold_the_whole_words():
    tips = tooltips(tree_dot(mushroom_tree()))
    assert tips[0] == "Decision tree for class"
    assert (
        "odor is almond, anise or none? (200 training rows) No training row had odor = spicy "
        "here; the answer is no."
    ) in tips
    assert "odor, yes: almond, anise, none, or a new value (120 training rows)" in tips
    assert "cap size <= 2.5 or missing? (120 training rows)" in tips
    on_screen = tooltips(tree_dot(mushroom_tree(), on_screen=True))
    assert "cap size ≤ 2.5 or missing? (120 training rows)" in on_screen
    assert not [tip for tip in on_screen if "<=" in tip]
    assert (
        "Leaf 1: edible if odor is almond, anise or none and cap size is at most 2.5 (or missing)"
    ) in tips


def test_large_trees_grow_to_the_right_by_default():
    def chain(n: int) -> Tree:
        feature = Feature("x", FeatureKind.NUMERICAL, tuple("abc"), (1.0, 2.0))
        node = Leaf(True, 1, 1)
        for _ in range(n - 1):
            node = decision(0, {0}, Leaf(False, 1, 1), node, {0, 1, 2})
        return Tree(node, (feature,))

    assert "rankdir=TB" in tree_dot(chain(8)) and "rankdir=LR" in tree_dot(chain(9))
    assert "rankdir=TB" in tree_dot(chain(9), direction=Direction.DOWN)
    assert "rankdir=LR" in tree_dot(chain(2), direction=Direction.RIGHT)


def full_tree(depth: int) -> Tree:
    """A balanced tree with long names."""
    values = tuple(f"{'very ' * 3}long category {i}" for i in range(6))
    features = tuple(
        Feature(f"a_measurement_with_quite_a_long_name_{g}", FeatureKind.CATEGORICAL, values)
        for g in range(2**depth)
    )
    numbers = iter(range(2**depth))

    def node(level: int):
        if level == depth:
            return Leaf(level % 2 == 0, 12_345, 54_321)
        return decision(
            next(numbers), {0, 1, 2, 3}, node(level + 1), node(level + 1), set(range(6))
        )

    return Tree(node(0), features)


@pytest.mark.parametrize(("depth", "direction"), [(3, None), (4, None)])
def test_a_tree_of_usual_size_fits_a_page_of_1024_pixels(depth, direction):
    tree = full_tree(depth)
    svg = ElementTree.fromstring(tree_svg(tree_dot(tree, test=test_rows(tree))))
    width = float(svg.attrib["width"].removesuffix("pt")) * 96 / 72
    # The letters, 12 pixels high at full size, stay above 9.
    assert width <= 1024 * 12 / 9


@pytest.mark.parametrize("label", ["no", "no event at all in this year"])
@pytest.mark.parametrize("direction", Direction)
def test_the_estimated_width_is_that_of_the_drawing(label: str, direction: Direction) -> None:
    leaf = Tree(Leaf(False, 4, 1), (), negative_label=label, positive_label="yes", target="event")
    for tree in (leaf, replace(mushroom_tree(), negative_label=label)):
        svg = ElementTree.fromstring(tree_svg(tree_dot(tree, direction=direction)))
        width = float(svg.attrib["width"].removesuffix("pt"))
        assert drawn_width(tree, None, direction) == pytest.approx(width, rel=0.2)


@examples(10)
@given(randoms)
def test_boxes_of_a_level_start_at_the_same_height(random):
    tree, _ = random_tree(random)
    command = graphviz_command()
    if not command.endswith("graphviz-pure"):
        pytest.skip("line heights are graphviz-pure's and the browser's")
    dot = tree_dot(tree, direction=Direction.DOWN)
    plain = subprocess.run([command, "-Tplain"], input=dot.encode(), capture_output=True).stdout
    heights: dict[str, set[float]] = {}
    for line in plain.decode().splitlines():
        if line.startswith("node "):
            _, _, _, y, _, height, *_ = line.split()
            heights.setdefault(y, set()).add(round(float(height) * 72))
    assert all(max(found) - min(found) <= 1 for found in heights.values())


def squeezed(text: str) -> str:
    """Without the blanks at which lines may break."""
    return re.sub(r"\s", "", text)


# --- it is safe -----------------------------------------------------------------------------


@unhurried
@given(randoms)
def test_names_from_files_come_out_as_they_are_and_nothing_else_does(random):
    tree, data = random_tree(random)
    dot = tree_dot(tree, test=data, theme=random.choice((LIGHT, DARK)), with_lists=True)
    assert dot == tree_dot(
        tree, test=data, theme=LIGHT if LIGHT.ink in dot else DARK, with_lists=True
    )
    drawn = squeezed("".join(texts(dot)))
    for node in tree.decisions:
        name = tree.features[node.split.feature].name
        assert squeezed(name) in drawn
    assert not re.search(r"\b(URL|href|IMG|SRC)\s*=", re.sub(r'"(\\.|[^"\\])*"|<[^<]*', "", dot))
    root = ElementTree.fromstring(tree_svg(dot))
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "g", "title", "polygon", "polyline", "path", "text", "a",
        }  # fmt: skip
        assert not any("href" in key for key in element.attrib)


@pytest.mark.parametrize("name", [*ODD_NAMES, "\\N", "\\G\\E\\T\\H\\L", "a\\", "&amp;", "\\\\"])
def test_an_odd_name_is_drawn_letter_by_letter(name):
    feature = Feature(name, FeatureKind.CATEGORICAL, (name, "other"))
    root = decision(0, {0}, Leaf(True, 1, 5), Leaf(False, 5, 1), {0, 1})
    dot = tree_dot(Tree(root, (feature,), name, name, "other"))
    shown = name.replace("\n", " ")
    drawn = squeezed("".join(texts(dot)))
    assert drawn.count(squeezed(shown)) >= 3  # the question, its category and the leaf
    # A tooltip cannot hold a backslash: a sign that looks the same stands in for it.
    tips = [tip.replace("⧵", "\\") for tip in tooltips(dot)]
    assert f"Decision tree for {shown}" in tips
    assert any(tip.startswith(f"{shown}, yes: ") for tip in tips)


@pytest.mark.parametrize("name", ["\u200b", "\xad", "\n"])
def test_a_name_without_a_visible_letter_is_drawn(name):
    feature = Feature(name, FeatureKind.CATEGORICAL, (name, "other"))
    root = decision(0, {0}, Leaf(True, 1, 5), Leaf(False, 5, 1), {0, 1})
    tree = Tree(root, (feature,), name, name, "other")
    ElementTree.fromstring(tree_svg(tree_dot(tree, lit_leaf=0)))


def test_text_direction_controls_are_taken_out():
    tree = replace(mushroom_tree(), positive_label="ed\u202eible")
    assert "\u202e" not in tree_dot(tree)


def test_long_words_are_broken_and_no_letter_is_lost():
    name = "x" * 300
    feature = Feature(name, FeatureKind.CATEGORICAL, ("a", "b"))
    root = decision(0, {0}, Leaf(True, 1, 5), Leaf(False, 5, 1), {0, 1})
    drawn = texts(tree_dot(Tree(root, (feature,))))
    parts = [line for line in drawn if set(line) == {"x"}]
    assert "".join(parts) == name and len(parts) > 5


# --- it is drawn ----------------------------------------------------------------------------


def test_pictures_are_drawn():
    dot = tree_dot(mushroom_tree(), opaque=True)
    png = tree_png(dot)
    assert png.startswith(b"\x89PNG\r\n")
    width = int.from_bytes(png[16:20], "big")
    assert abs(int.from_bytes(tree_png(dot, dpi=96)[16:20], "big") * 2 - width) <= 4
    assert LIGHT.page in tree_svg(dot).decode()
    assert tree_svg(dot) == tree_svg(dot)


def test_drawing_says_what_to_install_where_nothing_can_draw(monkeypatch):
    monkeypatch.setattr(files.shutil, "which", lambda *args, **kwargs: None)
    with pytest.raises(InputError, match="graphviz-pure"):
        tree_svg(tree_dot(mushroom_tree()))


def test_an_installed_dot_is_preferred(monkeypatch):
    monkeypatch.setattr(files.shutil, "which", lambda name, **kwargs: f"bin/{name}")
    assert graphviz_command() == "bin/dot"


def test_broken_source_is_an_error_not_an_empty_picture():
    with pytest.raises(RuntimeError, match="could not draw"):
        tree_svg("digraph {")


def test_drawing_does_not_wait_for_large_libraries():
    code = (
        "import sys; from tests.core.trees import export_tree, mushroom_tree; "
        "export_tree(mushroom_tree(), 'dot'); "
        "print([m for m in ('scipy', 'sklearn', 'plotly', 'streamlit') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_text_can_be_read_on_its_ground():
    """WCAG AA: 4.5 to 1 for text, 3 to 1 for what marks a line."""
    for theme in THEMES.values():
        for ground in (theme.page, theme.node, theme.negative, theme.positive):
            assert contrast(theme.ink, ground) >= 4.5
            assert contrast(theme.muted, ground) >= 4.5
        for ground in (theme.page, theme.positive):
            assert contrast(theme.second, ground) >= 3
        assert contrast(theme.line, theme.page) >= 3
        assert contrast(theme.accent, theme.page) >= 4
        assert contrast(theme.second, theme.page) >= 4.5


def contrast(first: str, second: str) -> float:
    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
