"""Models for sheets, and what a test reads from an HTML file."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from odt_core.data import Encoder, Table, read_table
from odt_core.export import Model
from odt_core.problem import Feature, FeatureKind
from odt_core.tree import Decision, Leaf, Tree
from tests.core.trees import decision, default_column

ATTACK = '</script><img src=x onerror="window.hit=1"> & "quotes"'


def model_of(tree: Tree) -> Model:
    """A model without facts about its training."""
    encoder = Encoder(tuple(map(default_column, tree.features)))
    return Model(tree, {}, encoder.to_json())


def ward_table() -> Table:
    """Patients older than 50 or in much pain are ill. Two of 122 rows have no outcome."""
    rows = [
        (age, pain, "yes" if age > 50 or pain == "much" else "no")
        for age in range(31, 71)
        for pain in ("none", "some", "much")
    ]
    lines = ["age,pain,ill", *(",".join(map(str, row)) for row in rows), "40,none,", "41,some,"]
    return read_table("\n".join(lines).encode(), name="ward.csv")


def hostile_tree() -> Tree:
    """A tree whose every name tries to become markup."""
    color = Feature(f"color {ATTACK}", FeatureKind.CATEGORICAL, (f"a {ATTACK}", "<!--<script>"))
    size = Feature(f"size {ATTACK}", FeatureKind.NUMERICAL, ("low", "high"), (0.5,))
    inner = decision(1, {0}, Leaf(True, 2, 30), Leaf(False, 20, 1), {0, 1})
    root = decision(0, {0}, inner, Leaf(False, 40, 3), {0, 1})
    return Tree(root, (color, size), f"target {ATTACK}", f"yes {ATTACK}", f"no {ATTACK}")


def wordy_tree(depth: int, letters: int, n_values: int) -> Tree:
    """A full tree whose every question is about another column.

    Parameters
    ----------
    depth : int
        Levels of questions; every other column is numerical.
    letters : int
        The length of each name.
    n_values : int
        Categories of a column, of which a question asks about half.
    """

    def named(text: str) -> str:
        return f"{text} as it was noted by the nurse on duty at the time of admission to the ward"[
            :letters
        ].strip()

    features: list[Feature] = []

    def grow(level: int) -> Decision | Leaf:
        if level == depth:
            return Leaf(len(features) % 3 == 0, 40, 30)
        g = len(features)
        if g % 2:
            features.append(
                Feature(named(f"measure {g}"), FeatureKind.NUMERICAL, ("low", "high"), (0.5,))
            )
            left = {0}
        else:
            values = tuple(named(f"kind {g}.{value}") for value in range(n_values))
            features.append(Feature(named(f"column {g}"), FeatureKind.CATEGORICAL, values))
            left = set(range(n_values // 2))
        observed = set(range(features[g].n_values))
        return decision(g, left, grow(level + 1), grow(level + 1), observed)

    root = grow(0)
    classes = named("readmitted"), named("not readmitted")
    return Tree(root, tuple(features), named("outcome"), *classes)


class ReadPage(HTMLParser):
    """The parts of a page that a test asks for."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self._texts: list[str] = []
        self._open = ""
        self.feed(content.decode())

    @property
    def text(self) -> str:
        """What a reader sees, blanks and lines as one blank."""
        return " ".join(" ".join(self._texts).split())

    @property
    def policy(self) -> str:
        """The content security policy."""
        return next(
            str(attributes["content"])
            for tag, attributes in self.tags
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        )

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self._open = tag
        if tag == "script":
            self.scripts.append((dict(attributes), ""))

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "script":
            self.scripts[-1] = (self.scripts[-1][0], data)
        elif self._open == "style":
            self.styles.append(data)
        else:
            self._texts.append(data)


def assert_self_contained(content: bytes) -> ReadPage:
    """The page needs no server, and runs only the scripts and styles that its policy allows."""
    page = ReadPage(content)
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "base")
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        for name in ("src", "href", "xlink:href", "action"):
            assert str(attributes.get(name, "data:")).startswith("data:")
    ran = [text for attributes, text in page.scripts if "type" not in attributes]
    allowed = re.findall(r"'(sha256-[^']+)'", page.policy)
    assert allowed == [hash_of(text) for text in (*page.styles, *ran)]
    assert page.policy.startswith("default-src 'none'; ")
    assert "url(" not in "".join(page.styles) and "@import" not in "".join(page.styles)
    return page


def hash_of(text: str) -> str:
    """A text's hash as a policy writes it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
