"""Figures of stability: every count is drawn, and the words beside say the same."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from odt_core.figures import (
    FigureFormat,
    asked_chart,
    chart_file,
    cuts_chart,
    instability_chart,
)
from odt_core.render import DARK
from tests.core.study_results import column, stability


def test_bars_add_up_to_the_refits_that_ask() -> None:
    found = stability([column("age <b>", 9, 4), column("b" * 40, 5, 0), column("c", 0, 0)])
    chart = asked_chart(found, theme=DARK)
    first, later = chart.figure.data
    assert list(first.x) == [4, 0] and list(later.x) == [5, 5]
    assert list(chart.figure.layout.xaxis.range) == [0, 10]
    names = list(chart.figure.layout.yaxis.ticktext)
    assert names[0] == "age &lt;b&gt;" and "b…b" in names[1]
    assert "age <b> in 9 (first in 4)" in chart.alt


def test_each_column_has_a_panel_with_a_stem_for_each_cut() -> None:
    columns = [column("age", 9, 4, [(3.0, 2), (5.5, 7)]), column("size", 4, 0, [(1.0, 4)])]
    chart = cuts_chart(stability([*columns, column("sex", 1, 1)]))
    figure = chart.figure
    stems = [trace for trace in figure.data if trace.mode == "lines"]
    assert [trace.y for trace in stems] == [(0, 2, None, 0, 7, None), (0, 4, None)]
    assert figure.layout.xaxis.range[0] < 3 and figure.layout.xaxis.range[1] > 5.5
    low, high = figure.layout.xaxis2.range
    assert low < 1 < high, "a single cut has room around"
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert "age from 3 to 5.5, most often at 5.5 (7)" in chart.alt


def test_circles_show_rows_by_their_areas() -> None:
    chart = instability_chart(stability(changed=([0] * 100, [3] * 25)), ("well <b>", "ill <b>"))
    (trace,) = chart.figure.data
    assert list(trace.x) == [0.0, 0.325] and list(trace.y) == [0, 1]
    assert trace.marker.size[0] == 2 * trace.marker.size[1]
    assert "in 0% of resamples" in trace.text[0] and "about 32% of" in trace.text[1]
    assert trace.text[0].startswith("1: ill &lt;b&gt; (100%)<br>100 rows")
    assert "2: well <b> (0%): 25 rows, 32% on average" in chart.alt


@pytest.mark.parametrize("kind", [FigureFormat.SVG, FigureFormat.PNG])
def test_the_figures_are_files_too(kind: FigureFormat) -> None:
    columns = [
        column("a < b", 9, 4, [(1.0, 3), (2.5, 1)]),
        column("cost in $ or $$", 2, 0, [(7.0, 4)]),
    ]
    found = stability(columns, ([0] * 40, [5] * 2))
    charts = {
        "a < b": asked_chart(found),
        "cost in $ or $$": cuts_chart(found),
        "2: well (0%)": instability_chart(found, ("well", "ill")),
    }
    for words, chart in charts.items():
        content = chart_file(chart, kind)
        if kind is FigureFormat.SVG:
            texts = ["".join(each.itertext()) for each in ElementTree.fromstring(content).iter()]
            assert words in [text.strip() for text in texts]
        else:
            assert content.startswith(b"\x89PNG")
