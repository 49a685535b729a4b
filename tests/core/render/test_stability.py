"""Figures of stability: every count is drawn, and the words beside say the same."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from odt_core.render import (
    DARK,
    AskedColumn,
    CutColumn,
    FigureFormat,
    RowCircle,
    asked_alt_text,
    asked_figure,
    cuts_alt_text,
    cuts_figure,
    figure_file,
    instability_alt_text,
    instability_figure,
)


def test_bars_add_up_to_the_refits_that_ask() -> None:
    columns = [AskedColumn("age <b>", 9, 4), AskedColumn("b" * 40, 5, 0)]
    figure = asked_figure(columns, 10, theme=DARK)
    first, later = figure.data
    assert list(first.x) == [4, 0] and list(later.x) == [5, 5]
    assert list(figure.layout.xaxis.range) == [0, 10]
    names = list(figure.layout.yaxis.ticktext)
    assert names[0] == "age &lt;b&gt;" and names[1].endswith("…")
    assert "age <b> in 9 (first in 4)" in asked_alt_text(columns, 10)


def test_each_column_has_a_panel_with_a_stem_for_each_cut() -> None:
    columns = [CutColumn("age", (3.0, 5.5), (2, 7)), CutColumn("size", (1.0,), (4,))]
    figure = cuts_figure(columns)
    stems = [trace for trace in figure.data if trace.mode == "lines"]
    assert [trace.y for trace in stems] == [(0, 2, None, 0, 7, None), (0, 4, None)]
    assert figure.layout.xaxis.range[0] < 3 and figure.layout.xaxis.range[1] > 5.5
    low, high = figure.layout.xaxis2.range
    assert low < 1 < high, "a single cut has room around"
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert "age from 3 to 5.5, most often at 5.5 (7)" in cuts_alt_text(columns)


def test_circles_show_rows_by_their_areas() -> None:
    leaves = ["1: ill", "2: well"]
    circles = [RowCircle("1: ill", 0.0, 100), RowCircle("2: well", 0.275, 25)]
    figure = instability_figure(circles, leaves)
    (trace,) = figure.data
    assert list(trace.x) == [0.0, 0.275] and list(trace.y) == [0, 1]
    assert trace.marker.size[0] == 2 * trace.marker.size[1]
    assert "in 0% of resamples" in trace.text[0] and "about 28% of" in trace.text[1]
    assert "2: well: 25 rows, 28% on average" in instability_alt_text(
        circles, ["1: ill", "2: well"]
    )


@pytest.mark.parametrize("kind", [FigureFormat.SVG, FigureFormat.PNG])
def test_the_figures_are_files_too(kind: FigureFormat) -> None:
    cuts = [CutColumn("a & b", (1.0, 2.5), (3, 1)), CutColumn("cost in $ or $$", (7.0,), (4,))]
    asked = [AskedColumn("a < b", 9, 4), AskedColumn("c", 2, 0)]
    circles = [RowCircle("1: ill, 90% are", 0.0, 40), RowCircle("2: not ill, 5% are", 0.5, 2)]
    leaves = [circle.leaf for circle in circles]
    figures = {
        "a < b": asked_figure(asked, 10, opaque=True),
        "cost in $ or $$": cuts_figure(cuts, opaque=True),
        "2: not ill, 5% are": instability_figure(circles, leaves, opaque=True),
    }
    for words, figure in figures.items():
        content = figure_file(figure, kind, "stability")
        if kind is FigureFormat.SVG:
            texts = ["".join(each.itertext()) for each in ElementTree.fromstring(content).iter()]
            assert words in [text.strip() for text in texts]
        else:
            assert content.startswith(b"\x89PNG")
