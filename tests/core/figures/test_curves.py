"""Figures of frontiers, curves and net benefit: what they draw, say, and how they become files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from fractions import Fraction

import pytest

from odt_core.confusion import Confusion
from odt_core.evaluation import DecisionCurve
from odt_core.figures import (
    FigureFormat,
    benefit_chart,
    chart_file,
    roc_chart,
    sweep_chart,
    sweep_plane_chart,
)
from odt_core.figures.layout import CLEAR
from odt_core.render import DARK, LIGHT
from odt_core.studies import Sweep
from tests.core.study_results import curve_row, frontier

POINTS = [
    (Confusion(tp=20, fp=12, tn=28, fn=0), Confusion(tp=9, fp=5, tn=9, fn=1)),
    (Confusion(tp=18, fp=4, tn=36, fn=2), Confusion(tp=8, fp=2, tn=12, fn=2)),
    (Confusion(tp=12, fp=0, tn=40, fn=8), Confusion(tp=5, fp=0, tn=14, fn=5)),
]
ROWS = [
    curve_row("depth-2", "0.95", 0.96, 0.93, 0.9, 0.97),
    curve_row("depth-2", "1", 1, 0.97, 0.9, 1),
    curve_row("depth-3", "0.95", 0.95, 0.9, 0.8, 0.95),
    curve_row("depth-3", "1", 1, 0.95, 0.9, 1),
]
TITLES = {"depth-2": "Depth-2", "depth-3": "Depth-3"}
CURVES = [("this tree", DecisionCurve((0.1, 0.2, 0.3), (0.3, 0.28, 0.2), (0.26, 0.16, 0.05)))]


def test_the_roc_plane_holds_every_point_in_training_and_test() -> None:
    view = frontier(POINTS, unproved=(1,), bound=[(0, 8), (2, 3), (9, 0)])
    chart = roc_chart(view, chosen=1, compared=0)
    figure = chart.figure
    train, test, limit = figure.data[:3]
    assert list(train.x) == [12 / 40, 4 / 40, 0] and list(train.y) == [1, 0.9, 0.6]
    assert list(test.y) == [0.9, 0.8, 0.5] and list(test.customdata) == [0, 1, 2]
    assert train.marker.color[1] != train.marker.color[0], "an unproved point is hollow"
    assert list(limit.y) == [1, 0.9, 0.55]
    assert "sensitivity 90.0% (18/20)" in chart.alt


def test_the_roc_plane_is_whole_with_the_line_of_chance_and_nothing_clipped() -> None:
    corners = [
        (Confusion(tp=20, fp=40, tn=0, fn=0), Confusion(tp=10, fp=14, tn=0, fn=0)),
        *POINTS,
        (Confusion(tp=0, fp=0, tn=40, fn=20), Confusion(tp=0, fp=0, tn=14, fn=10)),
    ]
    for chart in (roc_chart(frontier(corners), chosen=0), sweep_plane_chart(ROWS)):
        figure = chart.figure
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            start, end = axis.range
            assert start < 0 and end > 1 and axis.dtick == 0.2, "a tick at every 20%"
        chance = next(trace for trace in figure.data if trace.name == "chance")
        assert list(chance.x) == list(chance.y) == [0, 1]


@pytest.mark.parametrize(
    ("floor", "sweep", "x", "y"),
    [
        (Fraction("0.95"), Sweep.TPR, None, [0.95, 0.95]),
        (Fraction("0.75"), Sweep.TNR, [0.25, 0.25], None),
    ],
)
def test_the_floor_is_a_line_across_the_roc_plane(floor: Fraction, sweep: Sweep, x, y) -> None:  # type: ignore[no-untyped-def]
    figure = roc_chart(frontier(POINTS), chosen=1, floor=floor, sweep=sweep).figure
    line = next(trace for trace in figure.data if trace.name.startswith("floor"))
    assert line.name == f"floor {float(100 * floor):g}%"
    assert list(line.x) == (x or list(figure.layout.xaxis.range))
    assert list(line.y) == (y or list(figure.layout.yaxis.range))
    assert list(figure.data[0].customdata) == [0, 1, 2], "the points stay the first trace"


def test_the_legend_of_a_file_reads_along_its_rows_as_on_screen() -> None:
    chart = sweep_plane_chart(ROWS, titles=TITLES)
    svg = chart_file(chart, FigureFormat.SVG).decode()
    named = [trace.name for trace in chart.figure.data if trace.showlegend is not False]
    places = [svg.index(f">{name}</text>") for name in named]
    order = sorted(range(4), key=lambda i: places[i])
    assert order == [0, 2, 1, 3], "two columns of two: the first holds both trainings"


@pytest.mark.parametrize("low", [0.8171, 0.5, 0.93, 0.991])
def test_no_tick_of_a_file_is_rounded_to_another_value(low: float) -> None:
    """A tick at 97.5% must not say 98%: ticks and their labels are evenly spaced."""
    counts = Confusion(tp=round(10_000 * low), fp=0, tn=500, fn=10_000 - round(10_000 * low))
    view = frontier([(Confusion(10_000, 300, 200, 0), None), (counts, None)])
    svg = chart_file(roc_chart(view), FigureFormat.SVG).decode()
    ticks = re.findall(r'id="ytick_\d+">.*?>([\d.]+)%</text>', svg, re.DOTALL)
    said = [float(text) for text in ticks]
    steps = {round(b - a, 6) for a, b in zip(said, said[1:], strict=False)}
    assert len(said) > 2 and len(steps) == 1, said


def test_the_sweep_draws_a_band_a_line_for_each_shape_and_the_diagonal() -> None:
    chart = sweep_chart(ROWS, Sweep.TPR, titles=TITLES)
    figure = chart.figure
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == [
        "Depth-2", "Depth-3", "test = training",
    ]  # fmt: skip
    band, line = figure.data[:2]
    assert list(band.y) == [0.97, 1, 0.9, 0.9] and list(line.y) == [0.93, 0.97]
    assert "Depth-3: test sensitivity is 5.0 points below training on average" in chart.alt
    plane = sweep_plane_chart(ROWS, titles=TITLES).figure
    assert [trace.name for trace in plane.data if trace.showlegend is not False] == [
        "Depth-2, training", "Depth-2, test", "Depth-3, training", "Depth-3, test",
    ]  # fmt: skip


def test_each_point_of_the_curves_says_which_shape_and_floor_it_is() -> None:
    mixed = [
        curve_row("depth-2", "1", 1, 0.9, 0.9, 1),
        curve_row("depth-2", "0.9", 0.9, 1, 1, 1),
    ]
    line = sweep_chart(mixed, Sweep.TPR).figure.data[1]
    assert [list(place) for place in line.customdata] == [[0, 1], [0, 0]], "drawn by training"
    train = sweep_plane_chart(mixed).figure.data[0]
    assert [i for i, _ in train.customdata] == [0, 0]
    assert [mixed[j].train_tpr.mean for _, j in train.customdata] == list(train.y)


@pytest.mark.parametrize(
    ("rate", "pair"), [(Sweep.TPR, (18 / 20, 8 / 10)), (Sweep.TNR, (36 / 40, 12 / 14))]
)
def test_a_single_tree_is_marked_among_the_curves(rate: Sweep, pair: tuple[float, float]) -> None:
    figure = sweep_chart(ROWS, rate, tree=POINTS[1]).figure
    mark = figure.data[-1]
    assert (mark.x[0], mark.y[0]) == pair and "current split" in mark.text[0]
    low, high = figure.layout.yaxis.range
    assert low < pair[1] - mark.error_y.arrayminus[0] and pair[1] < high
    start, end = figure.layout.xaxis.range
    assert start < pair[0] < end
    ring, diamond = sweep_plane_chart(ROWS, tree=POINTS[1]).figure.data[-3:-1]
    assert ring.y[0] == 18 / 20 and diamond.y[0] == 8 / 10


def test_a_tree_without_test_rows_is_not_marked_among_the_curves() -> None:
    figure = sweep_chart(ROWS, Sweep.TPR, tree=(POINTS[1][0], None)).figure
    names = [trace.name for trace in figure.data]
    assert "chosen" not in names


def test_where_all_is_perfect_no_axis_has_room_for_ticks_past_100_percent() -> None:
    perfect = [curve_row("depth-2", "1", 1, 1, 1, 1)]
    layout = sweep_chart(perfect, Sweep.TPR).figure.layout
    for start, end in (layout.xaxis.range, layout.yaxis.range):
        assert end > 1 and end - 1 < (end - start) / 8, "ticks are at most that dense"


def test_net_benefit_says_where_the_tree_is_better_than_both() -> None:
    assert "this tree: better than both from 10% to 30%" in benefit_chart(CURVES).alt
    figure = benefit_chart(CURVES, threshold=0.2).figure
    traces = {trace.name: trace for trace in figure.data}
    assert {"treat all", "treat none", "this tree"} <= set(traces)
    assert traces["this tree"].line.shape is None, "between thresholds it falls, without steps"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("which", ["roc", "sweep", "plane", "benefit"])
def test_files_are_made_without_a_network_or_a_browser(theme, which: str) -> None:  # type: ignore[no-untyped-def]
    chart = {
        "roc": lambda: roc_chart(frontier(POINTS), chosen=1, theme=theme),
        "sweep": lambda: sweep_chart(ROWS, Sweep.TPR, theme=theme),
        "plane": lambda: sweep_plane_chart(ROWS, theme=theme),
        "benefit": lambda: benefit_chart(CURVES, theme=theme),
    }[which]()
    chart = replace(chart, alt="what <it> shows")
    svg = chart_file(chart, FigureFormat.SVG)
    assert ElementTree.fromstring(svg).tag.endswith("svg") and theme.page.encode() in svg
    assert chart_file(chart, FigureFormat.PNG).startswith(b"\x89PNG")
    page = chart_file(chart, FigureFormat.HTML).decode()
    assert "what &lt;it&gt; shows" in page and 'src="http' not in page
    assert f'"paper_bgcolor":"{theme.page}"' in page
    assert len(page) > 1_000_000, "plotly.js is inside"
    assert chart.figure.layout.paper_bgcolor == CLEAR, "only the file has a page behind it"
