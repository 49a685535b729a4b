"""The one-page summary: tree, 2x2 table, rates and ROC point on one picture.

It has the parts of the summary of the R package FFTrees [1]_. matplotlib draws everything except
the tree, which Graphviz draws.

References
----------
.. [1] N. D. Phillips, H. Neth, J. K. Woike, W. Gaissmaier, FFTrees: A toolbox to create, visualize,
   and evaluate fast-and-frugal decision trees. Judgment and Decision Making 12, 2017, 344-368.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from odt_core import MADE_BY
from odt_core.evaluation import Metrics, ReportedRate
from odt_core.figures import FigureFormat
from odt_core.render import LIGHT, tree_dot, tree_png, tree_summary, tree_svg
from odt_core.render.text import wrap
from odt_core.reports.derivation import Derivation
from odt_core.reports.page import escaped, sized_svg
from odt_core.reports.statements import Statements
from odt_core.words import count_words, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 11.69, 8.27
"""A4 landscape, in inches."""
DPI, PNG_DPI = 72, 200
"""Points in an inch, and a resolution that is sharp in documents."""
TREE = (0.04, 0.42, 0.92, 0.46)
"""The tree's place: left, bottom, width and height as shares of the page."""
RATES = (
    ReportedRate.SENSITIVITY,
    ReportedRate.SPECIFICITY,
    ReportedRate.ACCURACY,
    ReportedRate.BALANCED_ACCURACY,
    ReportedRate.PPV,
    ReportedRate.NPV,
)
TITLE = 0.39
"""The height of the panels' titles, as a share of the page."""
SMALL, NORMAL, LARGE = 9, 10, 16
"""Font sizes, in points."""

_SVG_START = re.compile(r"<svg\b")


def summary(derivation: Derivation, statements: Statements, kind: FigureFormat) -> bytes:
    """Write the summary as an SVG or PNG file.

    Parameters
    ----------
    derivation : Derivation
        The tree with its training.
    statements : Statements
        The author's statements.
    kind : FigureFormat
        SVG or PNG.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    title = tree_summary(derivation.tree)
    dot = tree_dot(derivation.tree, test=derivation.test_leaves, with_lists=True, opaque=True)
    out = io.BytesIO()
    # an SVG keeps text as text, so that the reader's fonts show every script
    with mpl.rc_context({"svg.fonttype": "none", "font.family": "sans-serif"}):
        page = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor=LIGHT.page)
        _head(page, derivation, statements)
        _counts(page, derivation)
        _levels(page, derivation)
        _roc(page, derivation)
        page.text(0.04, 0.025, f"Written by {MADE_BY}", fontsize=SMALL, color=LIGHT.muted)
        if kind is FigureFormat.PNG:
            _draw_tree(page, tree_png(dot, PNG_DPI))
            page.savefig(out, format="png", dpi=PNG_DPI, metadata={"Software": MADE_BY})
            return out.getvalue()
        metadata = {"Title": title, "Date": None, "Creator": MADE_BY}
        page.savefig(out, format="svg", metadata=metadata)
    return _with_tree(out.getvalue().decode(), tree_svg(dot), title).encode()


def _draw_tree(page: Figure, png: bytes) -> None:
    """Draw the tree as large as its place allows."""
    from matplotlib.image import imread

    axes = page.add_axes(TREE)
    axes.imshow(imread(io.BytesIO(png)), interpolation="lanczos")
    axes.axis("off")


def _with_tree(svg: str, tree: bytes, title: str) -> str:
    """Insert the tree's drawing into the page."""
    left, bottom, width, height = TREE
    place = (
        f'x="{left * WIDTH * DPI:.1f}" y="{(1 - bottom - height) * HEIGHT * DPI:.1f}" '
        f'width="{width * WIDTH * DPI:.1f}" height="{height * HEIGHT * DPI:.1f}"'
    )
    drawn = sized_svg(tree, place)
    start = f'<svg role="img" aria-label="{escaped(title)}"'
    named = _SVG_START.sub(lambda _: start, svg, count=1)  # a title may have backslashes
    end = named.rindex("</svg>")
    return f"{named[:end]}{drawn}\n{named[end:]}"


def _head(page: Figure, derivation: Derivation, statements: Statements) -> None:
    tree, train = derivation.tree, derivation.train.confusion
    title = (
        f"{printable(tree.target)}: {printable(tree.positive_label)} or "
        f"{printable(tree.negative_label)}?"
    )
    found = derivation.verdict.text
    stated = f"Stage: {statements.stage}"
    stated += f"; {printable(statements.author)}" if statements.author else ""
    rows = f"Found on {count_words(train.n, 'training row')}"
    rows += f" of {printable(derivation.data.name)}" if derivation.data.name else ""
    _text(page, 0.04, 0.955, wrap(title, LARGE, 520, bold=True)[0], LARGE, bold=True)
    _text(page, 0.96, 0.96, stated, NORMAL, align="right")
    lines = wrap(f"{rows}. {found}", NORMAL, 660)[:2]
    for place, line in enumerate(lines):
        _text(page, 0.04, 0.922 - 0.026 * place, line, NORMAL)


def _text(
    page: Figure, x: float, y: float, text: str, size: float, *, bold: bool = False,
    align: str = "left",
) -> None:  # fmt: skip
    page.text(
        x, y, text, fontsize=size, color=LIGHT.ink, weight="bold" if bold else "normal",
        ha=align, va="center", parse_math=False,
    )  # fmt: skip


def _shown(derivation: Derivation) -> tuple[str, Metrics]:
    """The rows to judge by: test rows if there are any, or training rows."""
    if derivation.test is not None:
        return "Test", derivation.test
    return "Training", derivation.train


def _panel(page: Figure, left: float, width: float, title: str) -> Any:
    _text(page, left, TITLE, title, NORMAL, bold=True)
    axes = page.add_axes((left, 0.1, width, 0.25))
    axes.set_facecolor(LIGHT.page)
    for side in axes.spines.values():
        side.set_color(LIGHT.grid)
    axes.tick_params(colors=LIGHT.ink, labelsize=SMALL)
    return axes


def _counts(page: Figure, derivation: Derivation) -> None:
    """Draw the 2x2 table, positive class first, with tinted right answers."""
    name, found = _shown(derivation)
    counts, tree = found.confusion, derivation.tree
    axes = _panel(page, 0.13, 0.17, f"{name}: {count_words(counts.n, 'row')}")
    axes.set(xlim=(0, 2), ylim=(0, 2))
    axes.axis("off")
    classes = [_short(tree.positive_label), _short(tree.negative_label)]
    for column, label in enumerate(classes):
        axes.text(column + 0.5, 2.06, f"is {label}", ha="center", va="bottom", fontsize=SMALL,
                  color=LIGHT.muted, parse_math=False)  # fmt: skip
    cells = (
        (0, 1, counts.tp, "hits"),
        (1, 1, counts.fp, "false alarms"),
        (0, 0, counts.fn, "misses"),
        (1, 0, counts.tn, "correct rejections"),
    )
    for column, row, count, words in cells:
        right = column != row
        axes.fill_between([column, column + 1], row, row + 1, linewidth=1, edgecolor=LIGHT.line,
                          facecolor="#e4eff1" if right else LIGHT.page)  # fmt: skip
        axes.text(column + 0.5, row + 0.58, f"{count:,}", ha="center", va="center", fontsize=14,
                  color=LIGHT.ink)  # fmt: skip
        axes.text(column + 0.5, row + 0.24, words, ha="center", va="center", fontsize=7.5,
                  color=LIGHT.muted)  # fmt: skip
    for row, label in ((1, classes[0]), (0, classes[1])):
        axes.text(-0.06, row + 0.5, f"tree says\n{label}", ha="right", va="center", fontsize=SMALL,
                  color=LIGHT.muted, parse_math=False)  # fmt: skip


def _short(name: str) -> str:
    lines = wrap(printable(name), SMALL, 62)
    return lines[0] if len(lines) == 1 else f"{lines[0]}…"


def _levels(page: Figure, derivation: Derivation) -> None:
    """Draw each rate as a bar, its interval as a line, and the training rate as a mark."""
    name, found = _shown(derivation)
    training = "; diamond: training" if derivation.test is not None else ""
    axes = _panel(page, 0.48, 0.18, f"{name}, 95% intervals{training}")
    for place, rate in enumerate(reversed(RATES)):
        shown, trained = rate.rate(found), rate.rate(derivation.train).value
        if shown.value is not None:
            axes.barh(place, shown.value, height=0.55, color=LIGHT.positive)
        if shown.low is not None and shown.high is not None:
            axes.plot([shown.low, shown.high], [place, place], color=LIGHT.second, linewidth=2)
        if derivation.test is not None and trained is not None:
            axes.plot([trained], [place], "D", color=LIGHT.accent, markersize=4)
        words = rate.words(found)
        axes.text(1.03, place, "–" if words is None else words.value, va="center",
                  fontsize=SMALL, color=LIGHT.ink)  # fmt: skip
    axes.set(xlim=(0, 1), ylim=(-0.6, len(RATES) - 0.4))
    axes.set_yticks(range(len(RATES)), [rate.value for rate in reversed(RATES)])
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])


def _roc(page: Figure, derivation: Derivation) -> None:
    """Draw the tree's point in the ROC plane, with the frontier of its shape."""
    axes = _panel(page, 0.78, 0.18, "ROC")
    axes.plot([0, 1], [0, 1], color=LIGHT.grid, linewidth=1)
    frontier = derivation.evidence.frontier
    if frontier is not None and frontier.points:
        x = [1 - float(point.train.tnr) for point in frontier.points]
        y = [float(point.train.tpr) for point in frontier.points]
        name = "frontier" if frontier.bound is None else "best found"
        axes.plot(x, y, "o-", drawstyle="steps-pre", color=LIGHT.line, markersize=2.5, linewidth=1,
                  label=f"training, {name}")  # fmt: skip
    for name, found, color, mark in (
        ("training", derivation.train, LIGHT.accent, "D"),
        ("test", derivation.test, LIGHT.second, "o"),
    ):
        if found is None:
            continue
        sensitivity, specificity = found.sensitivity.value, found.specificity.value
        if sensitivity is not None and specificity is not None:
            axes.plot(
                [1 - specificity], [sensitivity], mark, color=color, label=f"this tree, {name}"
            )
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.set_xticks([0, 0.5, 1], ["100%", "50%", "0%"])
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_xlabel("specificity", fontsize=SMALL, color=LIGHT.ink)
    axes.set_ylabel("sensitivity", fontsize=SMALL, color=LIGHT.ink)
    axes.legend(loc="lower right", frameon=False, fontsize=SMALL, labelcolor=LIGHT.ink)
