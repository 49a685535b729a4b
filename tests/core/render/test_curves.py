"""Figures of frontiers, curves and net benefit: what they draw, say, and how they become files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from odt_core.confusion import Confusion
from odt_core.evaluation import DecisionCurve
from odt_core.render import (
    DARK,
    LIGHT,
    FigureFormat,
    RocFloor,
    RocPoint,
    SweepPoint,
    SweepSeries,
    benefit_alt_text,
    benefit_figure,
    figure_file,
    roc_alt_text,
    roc_figure,
    sweep_alt_text,
    sweep_figure,
    sweep_roc_figure,
)

POINTS = [
    RocPoint(Confusion(tp=20, fp=12, tn=28, fn=0), Confusion(tp=9, fp=5, tn=9, fn=1)),
    RocPoint(Confusion(tp=18, fp=4, tn=36, fn=2), Confusion(tp=8, fp=2, tn=12, fn=2), False),
    RocPoint(Confusion(tp=12, fp=0, tn=40, fn=8), Confusion(tp=5, fp=0, tn=14, fn=5)),
]
SERIES = [
    SweepSeries(
        "Depth 2", (SweepPoint(0.95, 0.96, 0.93, 0.9, 0.97), SweepPoint(1, 1, 0.97, 0.9, 1))
    ),
    SweepSeries(
        "Depth 3", (SweepPoint(0.95, 0.95, 0.9, 0.8, 0.95), SweepPoint(1, 1, 0.95, 0.9, 1))
    ),
]
CURVES = [("this tree", DecisionCurve((0.1, 0.2, 0.3), (0.3, 0.28, 0.2), (0.26, 0.16, 0.05)))]


def test_the_roc_plane_holds_every_point_in_training_and_test() -> None:
    figure = roc_figure(POINTS, chosen=1, compared=0, bound=[(0, 8), (2, 3), (9, 0)])
    train, test, limit = figure.data[:3]
    assert list(train.x) == [12 / 40, 4 / 40, 0] and list(train.y) == [1, 0.9, 0.6]
    assert list(test.y) == [0.9, 0.8, 0.5] and list(test.customdata) == [0, 1, 2]
    assert train.marker.color[1] != train.marker.color[0], "an unproved point is hollow"
    assert list(limit.y) == [1, 0.9, 0.55]
    assert "sensitivity 90.0% (18/20)" in roc_alt_text(POINTS, 1)


def test_what_is_marked_and_test_intervals_lie_within_the_roc_plane() -> None:
    far = RocPoint(Confusion(tp=4, fp=0, tn=40, fn=16), Confusion(tp=2, fp=0, tn=14, fn=8))
    points = [*POINTS, far]
    for chosen in range(len(points)):
        figure = roc_figure(points, chosen=chosen)
        (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
        ring, diamond = figure.data[-2:]
        assert left < ring.x[0] < right and low < ring.y[0] < high
        assert diamond.x[0] + diamond.error_x.array[0] < right
        assert diamond.y[0] - diamond.error_y.arrayminus[0] > low
    assert roc_figure(points, chosen=0).layout.yaxis.range[0] > 0.1, "only what matters is shown"


@pytest.mark.parametrize(
    ("floor", "x", "y"),
    [
        (RocFloor(0.95), None, [0.95, 0.95]),
        (RocFloor(0.75, on_sensitivity=False), [0.25, 0.25], None),
    ],
)
def test_the_floor_is_a_line_across_the_roc_plane(floor: RocFloor, x, y) -> None:  # type: ignore[no-untyped-def]
    figure = roc_figure(POINTS, chosen=1, floor=floor)
    line = next(trace for trace in figure.data if trace.name.startswith("floor"))
    assert line.name == f"floor {100 * floor.level:g}%"
    assert list(line.x) == (x or list(figure.layout.xaxis.range))
    assert list(line.y) == (y or list(figure.layout.yaxis.range))
    assert list(figure.data[0].customdata) == [0, 1, 2], "the points stay the first trace"


def test_the_legend_of_a_file_reads_along_its_rows_as_on_screen() -> None:
    figure = sweep_roc_figure(SERIES, SERIES, opaque=True)
    svg = figure_file(figure, FigureFormat.SVG, "plane").decode()
    places = [svg.index(f"<!-- {trace.name} -->") for trace in figure.data]
    order = sorted(range(4), key=lambda i: places[i])
    assert order == [0, 2, 1, 3], "two columns of two: the first holds both trainings"


@pytest.mark.parametrize("low", [0.8171, 0.5, 0.93, 0.991])
def test_no_tick_of_a_file_is_rounded_to_another_value(low: float) -> None:
    """A tick at 97.5% must not say 98%: ticks are evenly spaced, and so is what they say."""
    counts = Confusion(tp=round(10_000 * low), fp=0, tn=500, fn=10_000 - round(10_000 * low))
    points = [RocPoint(Confusion(10_000, 300, 200, 0), None), RocPoint(counts, None)]
    svg = figure_file(roc_figure(points, opaque=True), FigureFormat.SVG, "").decode()
    ticks = re.findall(r'id="ytick_\d+">.*?<!-- ([\d.]+)% -->', svg, re.DOTALL)
    said = [float(text) for text in ticks]
    steps = {round(b - a, 6) for a, b in zip(said, said[1:], strict=False)}
    assert len(said) > 2 and len(steps) == 1, said


def test_the_sweep_draws_a_band_a_line_for_each_shape_and_the_diagonal() -> None:
    figure = sweep_figure(SERIES, "sensitivity")
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == [
        "Depth 2", "Depth 3", "test = training",
    ]  # fmt: skip
    band, line = figure.data[:2]
    assert list(band.y) == [0.97, 1, 0.9, 0.9] and list(line.y) == [0.93, 0.97]
    words = sweep_alt_text(SERIES, "sensitivity")
    assert "Depth 3: test sensitivity is 5.0 points below training on average" in words
    plane = sweep_roc_figure(SERIES, SERIES)
    assert len(plane.data) == 4


def test_where_all_is_perfect_no_axis_has_room_for_ticks_past_100_percent() -> None:
    perfect = [SweepSeries("Depth 2", (SweepPoint(1, 1, 1, 1, 1),))]
    layout = sweep_figure(perfect, "sensitivity").layout
    for start, end in (layout.xaxis.range, layout.yaxis.range):
        assert end > 1 and end - 1 < (end - start) / 8, "ticks are at most that dense"


def test_net_benefit_says_where_the_tree_is_better_than_both() -> None:
    assert "this tree: better than both from 10% to 30%" in benefit_alt_text(CURVES)
    figure = benefit_figure(CURVES, threshold=0.2)
    traces = {trace.name: trace for trace in figure.data}
    assert {"treat all", "treat none", "this tree"} <= set(traces)
    assert traces["this tree"].line.shape is None, "between thresholds it falls, without steps"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("which", ["roc", "sweep", "plane", "benefit"])
def test_files_are_made_without_a_network_or_a_browser(theme, which: str) -> None:  # type: ignore[no-untyped-def]
    figure = {
        "roc": lambda: roc_figure(POINTS, chosen=1, theme=theme, opaque=True),
        "sweep": lambda: sweep_figure(SERIES, "sensitivity", theme=theme, opaque=True),
        "plane": lambda: sweep_roc_figure(SERIES, SERIES, theme=theme, opaque=True),
        "benefit": lambda: benefit_figure(CURVES, theme=theme, opaque=True),
    }[which]()
    svg = ElementTree.fromstring(figure_file(figure, FigureFormat.SVG, "what it shows"))
    assert svg.tag.endswith("svg")
    assert figure_file(figure, FigureFormat.PNG).startswith(b"\x89PNG")
    page = figure_file(figure, FigureFormat.HTML, "what <it> shows").decode()
    assert "what &lt;it&gt; shows" in page and 'src="http' not in page
    assert len(page) > 1_000_000, "plotly.js is inside"
