"""Rates in training against rates on held-out rows: the figure of the paper's section 5.8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from odt_core.confusion import Confusion
from odt_core.evaluation.rates import Rate
from odt_core.figures.chart import Chart
from odt_core.figures.layout import PERCENT, add_line, faded, lay_out, new_figure
from odt_core.figures.roc import Counts, lay_out_plane, mark_in_plane, rate_bars
from odt_core.render import LIGHT, Theme
from odt_core.studies import CurveRow, Sweep
from odt_core.words import percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

LATEST_START = 0.96
"""Start of the axes. If an axis started later, it would have ticks beyond 100%."""
HEIGHT = 380
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
DASHES = ("solid", "dash", "dot", "dashdot")


def sweep_chart(
    rows: Sequence[CurveRow],
    rate: Sweep,
    *,
    titles: Mapping[str, str] | None = None,
    tree: Counts | None = None,
    theme: Theme = LIGHT,
) -> Chart:
    """Draw mean test rates over mean training rates, a band over repeats, and the diagonal.

    Parameters
    ----------
    rows : sequence of CurveRow
        The curves' table. The custom data of a point are the places of its shape among the shapes
        and of its floor among the shape's rows.
    rate : Sweep
        The rate to draw, which need not have the floors.
    titles : mapping of str to str, optional
        Titles of shapes by name. A shape without a title keeps its name.
    tree : (Confusion, Confusion or None), optional
        The counts of a single tree to mark, with the 95% interval of its test rate.
    theme : Theme
        The colours.
    """
    figure = new_figure()
    pair = None if tree is None else _rates_of(tree, rate)
    trains = [row.train(rate).mean for row in rows]
    lows = [*trains, *(row.test(rate).low for row in rows)]
    if pair is not None:
        lows += [x for x in (pair[0].value, pair[1].low) if x is not None]
        trains += [pair[0].value or 0.0]
    low = min(lows, default=0.0)
    room = max(0.01, 0.05 * (1 - low))
    start, end = max(min(low - room, LATEST_START), -0.02), 1.004 + room / 8
    colors = (theme.second, theme.accent, theme.ink, theme.muted)
    for index, (title, some) in enumerate(_by_shape(rows, titles)):
        _add_shape(figure, some, title, rate, index, colors[index % len(colors)])
    ends = [start, 1]
    add_line(figure, ends, ends, "test = training", theme.muted, width=1.2, dash="dot")
    if pair is not None:
        _mark(figure, *pair, theme)
    train = sorted(trains) or [0.0, 1.0]
    width = max(0.01, 0.06 * (train[-1] - train[0]))
    lay_out(
        figure,
        theme,
        x={
            "title": f"{rate.word} in training, mean",
            "range": [min(train[0] - width, LATEST_START), min(train[-1] + width, 1 + 0.004)],
            "tickformat": PERCENT,
        },
        y={"title": f"{rate.word} in test", "range": [start, end], "tickformat": PERCENT},
        height=HEIGHT,
    )
    return Chart(figure, _alt_text(rows, rate, titles), theme)


def _by_shape(
    rows: Sequence[CurveRow], titles: Mapping[str, str] | None
) -> list[tuple[str, list[CurveRow]]]:
    """The title and the rows of each shape."""
    names = dict.fromkeys(row.topology for row in rows)
    return [
        ((titles or {}).get(name, name), [row for row in rows if row.topology == name])
        for name in names
    ]


def _rates_of(tree: Counts, rate: Sweep) -> tuple[Rate, Rate] | None:
    """A tree's rate in training and in test; None if one of them is not defined."""

    def of(counts: Confusion) -> Rate:
        if rate is Sweep.TPR:
            return Rate(counts.tp, counts.n_positive)
        return Rate(counts.tn, counts.n_negative)

    if tree[1] is None:
        return None
    train, test = of(tree[0]), of(tree[1])
    return (train, test) if train.n and test.n else None


def _mark(figure: go.Figure, train: Rate, test: Rate, theme: Theme) -> None:
    """Draw a single tree as a large ringed diamond, with the interval of its test rate."""
    assert train.value is not None and test.value is not None
    figure.add_scatter(
        x=[train.value],
        y=[test.value],
        mode="markers",
        marker={
            "size": 15,
            "symbol": "diamond",
            "color": theme.page,
            "line": {"color": theme.ink, "width": 3},
        },
        error_y=rate_bars(test, theme.ink),
        cliponaxis=False,
        name="chosen",
        showlegend=False,
        text=[
            f"the tree beside, current split<br>training {percent_words(train.value)} "
            f"({train.successes}/{train.n})<br>test {percent_words(test.value)} "
            f"({test.successes}/{test.n})"
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_shape(
    figure: go.Figure, rows: Sequence[CurveRow], title: str, rate: Sweep, index: int, color: str
) -> None:
    places = sorted(range(len(rows)), key=lambda place: rows[place].train(rate).mean)
    ordered = [rows[place] for place in places]
    x = [row.train(rate).mean for row in ordered]
    tests = [row.test(rate) for row in ordered]
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*(test.high for test in tests), *(test.low for test in reversed(tests))],
        mode="lines",
        fill="toself",
        fillcolor=faded(color, 0.14),
        line={"width": 0, "color": faded(color, 0.14)},
        name=f"{title}, 10th to 90th percentile",
        showlegend=False,
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x,
        y=[test.mean for test in tests],
        mode="lines+markers",
        cliponaxis=False,  # so that a mark at 100% is not cut
        name=title,
        line={"color": color, "width": 2, "dash": DASHES[index % len(DASHES)]},
        marker={"size": 8, "symbol": SYMBOLS[index % len(SYMBOLS)], "color": color},
        customdata=[[index, place] for place in places],
        text=[
            f"{title}, floor {_floor(row)}<br>training {percent_words(row.train(rate).mean)}"
            f"<br>test {percent_words(test.mean)} "
            f"({percent_words(test.low)} to {percent_words(test.high)})"
            for row, test in zip(ordered, tests, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _floor(row: CurveRow) -> str:
    return f"{100 * float(row.level):g}%"


def sweep_plane_chart(
    rows: Sequence[CurveRow],
    *,
    titles: Mapping[str, str] | None = None,
    tree: Counts | None = None,
    theme: Theme = LIGHT,
) -> Chart:
    """Draw the same means in the ROC plane: training filled, test hollow. See `sweep_chart`."""
    figure = new_figure()
    colors = (theme.second, theme.accent, theme.ink, theme.muted)
    for index, (title, some) in enumerate(_by_shape(rows, titles)):
        for spread, word, dash in (
            (CurveRow.train, "training", "solid"),
            (CurveRow.test, "test", "dot"),
        ):
            points = sorted(
                (1 - spread(row, Sweep.TNR).mean, spread(row, Sweep.TPR).mean, row.level, place)
                for place, row in enumerate(some)
            )
            color = colors[index % len(colors)]
            figure.add_scatter(
                x=[x for x, _, _, _ in points],
                y=[y for _, y, _, _ in points],
                mode="lines+markers",
                name=f"{title}, {word}",
                line={"color": color, "width": 1.6, "dash": dash},
                marker={
                    "size": 8,
                    "symbol": SYMBOLS[index % len(SYMBOLS)],
                    "color": color if word == "training" else theme.page,
                    "line": {"color": color, "width": 1.6},
                },
                customdata=[[index, place] for _, _, _, place in points],
                text=[
                    f"{title}, {word}, floor {_floor(some[place])}<br>sensitivity "
                    f"{percent_words(y)}<br>specificity {percent_words(1 - x)}"
                    for x, y, _, place in points
                ],
                hovertemplate="%{text}<extra></extra>",
            )
    if tree is not None:
        mark_in_plane(figure, tree, theme, theme.ink, "chosen")
    lay_out_plane(figure, theme, height=HEIGHT, mean=True)
    texts = " ".join(_alt_text(rows, rate, titles) for rate in Sweep)
    return Chart(figure, f"ROC plane of the means over splits. {texts}", theme)


def _alt_text(rows: Sequence[CurveRow], rate: Sweep, titles: Mapping[str, str] | None) -> str:
    """Describe the figure in one sentence for each shape."""
    parts = []
    for title, some in _by_shape(rows, titles):
        gaps = [row.train(rate).mean - row.test(rate).mean for row in some]
        worst = some[gaps.index(max(gaps))]
        parts.append(
            f"{title}: test {rate.word} is {100 * sum(gaps) / len(gaps):.1f} points below training "
            f"on average, at most {100 * max(gaps):.1f} (at a floor of {_floor(worst)})."
        )
    return f"Training against test {rate.word}. " + " ".join(parts)
