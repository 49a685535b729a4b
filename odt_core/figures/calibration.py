"""Calibration of a tree's leaves: the risk in training against the risk in new rows."""

from __future__ import annotations

from odt_core.evaluation import Calibration
from odt_core.figures.chart import Chart
from odt_core.figures.layout import PERCENT, add_line, error_bars, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.words import percent_words

HEIGHT = 340


def calibration_chart(calibration: Calibration, *, theme: Theme = LIGHT) -> Chart:
    """Draw one dot for each leaf: expected risk on x, observed risk with its interval on y.

    Parameters
    ----------
    calibration : Calibration
        The leaves. Leaves that no new row reached are left out.
    theme : Theme
        The colours.
    """
    figure = new_figure()
    add_line(figure, [0, 1], [0, 1], "as expected", theme.muted, width=1.5, dash="dash")
    leaves = [leaf for leaf in calibration.leaves if leaf.observed.n]
    observed = [leaf.observed for leaf in leaves]
    figure.add_scatter(
        x=[leaf.train.value for leaf in leaves],
        y=[rate.value for rate in observed],
        mode="markers+text",
        name="leaf, with its number",
        text=[str(leaf.number) for leaf in leaves],
        textposition="middle right",
        marker={"color": theme.second, "size": 10},
        error_y=error_bars(
            theme.second,
            above=[(rate.high or 0.0) - (rate.value or 0.0) for rate in observed],
            below=[(rate.value or 0.0) - (rate.low or 0.0) for rate in observed],
            thickness=1.6,
            width=0,
        ),
        customdata=[[rate.successes, rate.n] for rate in observed],
        hovertemplate="leaf %{text}: expected %{x:.1%}, observed %{y:.1%} "
        "(%{customdata[0]} of %{customdata[1]})<extra></extra>",
    )
    lay_out(
        figure,
        theme,
        x={"title": "risk in training (expected)", "tickformat": PERCENT, "range": [-0.03, 1.08]},
        y={"title": "observed risk", "tickformat": PERCENT, "range": [-0.03, 1.05]},
        height=HEIGHT,
    )
    return Chart(figure, _alt_text(calibration), theme)


def _alt_text(calibration: Calibration) -> str:
    """List each leaf with its expected and observed risk."""
    parts = [
        f"leaf {leaf.number}: expected {percent_words(leaf.train.value)}, observed "
        f"{percent_words(leaf.observed.value)}"
        for leaf in calibration.leaves
        if leaf.train.value is not None and leaf.observed.value is not None
    ]
    return f"Expected and observed risk in the leaves. {'; '.join(parts)}."
