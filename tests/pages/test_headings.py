"""The headings of every page: a screen reader's user moves from one to the next."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.topology import Topology
from pages.common.session import Place
from tests.runs import Maker

ROOT = Path(__file__).resolve().parents[2]


def levels(app: AppTest) -> list[int]:
    """The levels of the headings, in the order of the page."""
    found: list[int] = []
    for element in app.main:
        if element.type in ("title", "header", "subheader"):
            found.append(int(element.proto.tag[1:]))
        elif element.type == "html":
            found += [int(level) for level in re.findall(r"<h([1-6])", element.proto.body)]
        elif element.type == "markdown":
            found += [len(signs) for signs in re.findall(r"^(#+) ", element.value, re.MULTILINE)]
    return found


@pytest.mark.parametrize("given", ["data", "run"])
def test_no_heading_skips_a_level(given: str, maker: Maker) -> None:
    run = maker.done(topology=Topology.parse("depth-2"))
    app = AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=60)
    app.query_params[given] = run.id if given == "run" else run.dataset
    app.run()
    for place in Place:
        app.switch_page(place).run()
        assert not app.exception
        found = levels(app)
        steps = [after - before for before, after in zip(found, found[1:], strict=False)]
        assert found[0] == 1 and all(step <= 1 for step in steps), (place.name, found)
