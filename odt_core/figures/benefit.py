"""Decision curves: net benefit over the threshold probability."""

from __future__ import annotations

from collections.abc import Sequence

from odt_core.evaluation.decision_curve import DecisionCurve
from odt_core.figures.chart import Chart
from odt_core.figures.layout import PERCENT, add_line, lay_out, new_figure
from odt_core.render import LIGHT, Theme

HEIGHT = 320


def benefit_chart(
    curves: Sequence[tuple[str, DecisionCurve]],
    *,
    threshold: float | None = None,
    theme: Theme = LIGHT,
) -> Chart:
    """Draw the net benefit of trees, of treating everyone, and of treating no one.

    Parameters
    ----------
    curves : sequence of (str, DecisionCurve)
        A name and a curve for each tree; all on the same rows.
    threshold : float, optional
        A threshold probability to mark.
    theme : Theme
        The colours.
    """
    figure = new_figure()
    first = curves[0][1]
    x = list(first.thresholds)
    everyone = list(first.treat_all)
    figure.add_scatter(
        x=x, y=everyone, mode="lines", name="treat all",
        line={"color": theme.muted, "width": 1.5, "dash": "dash"},
        hovertemplate="treat all: %{y:.3f}<extra></extra>",
    )  # fmt: skip
    add_line(figure, [x[0], x[-1]], [0, 0], "treat none", theme.muted, width=1.5, dash="dot")
    for (name, curve), color in zip(curves, (theme.accent, theme.second, theme.ink), strict=False):
        figure.add_scatter(
            x=list(curve.thresholds), y=list(curve.tree), mode="lines", name=name,
            line={"color": color, "width": 2.2},
            hovertemplate=f"{name}: %{{y:.3f}} at %{{x:.0%}}<extra></extra>",
        )  # fmt: skip
    top = max(max(curve.tree) for _, curve in curves)
    top = max(top, everyone[0], 0.01)
    if threshold is not None:
        ends = [-0.15 * top, 1.08 * top]
        add_line(figure, [threshold] * 2, ends, "threshold", theme.line, in_legend=False, width=1)
    lay_out(
        figure,
        theme,
        x={"title": "threshold probability", "tickformat": PERCENT, "range": [0, 1]},
        y={"title": "net benefit", "range": [-0.15 * top, 1.08 * top]},
        height=HEIGHT,
    )
    return Chart(figure, _alt_text(curves), theme)


def _alt_text(curves: Sequence[tuple[str, DecisionCurve]]) -> str:
    """Say at which thresholds each tree is better than treating everyone and no one."""
    parts = []
    for name, curve in curves:
        better = [
            pt
            for pt, tree, everyone in zip(
                curve.thresholds, curve.tree, curve.treat_all, strict=True
            )
            if tree > max(everyone, 0) + 1e-12
        ]
        where = (
            f"better than both from {100 * better[0]:.0f}% to {100 * better[-1]:.0f}%"
            if better
            else "nowhere better than both"
        )
        parts.append(f"{name}: {where}")
    return f"Decision curve against treating all and none. {'; '.join(parts)}."
