"""The figure of what columns are worth."""

from __future__ import annotations

from odt_core.figures import columns_chart
from odt_core.render import LIGHT
from tests.core.study_results import alternatives


def test_the_figure_has_both_parts_with_what_is_not_proved_hollow() -> None:
    figure = columns_chart(alternatives(3.0, 3.0, 4.0, None, 5.0)).figure
    names = [trace.name for trace in figure.data]
    assert names == ["trees that ask about it", "best tree without it", "best found, not proved"]
    proved, found = figure.data[1:]
    assert list(proved.x) == [3.0, 5.0] and list(found.x) == [4.0]
    assert proved.marker.color == LIGHT.accent and found.marker.color == LIGHT.page
    assert all("<b>" not in text for text in figure.layout.yaxis.ticktext)
    low, high = figure.layout.xaxis2.range
    assert low < 3 and high > 5


def test_the_alternative_text_says_the_same() -> None:
    text = columns_chart(alternatives(3.0, 3.0, 4.0, None)).alt
    assert "the best tree has 3 errors" in text
    assert "the best without it has 4 errors, not proved" in text
