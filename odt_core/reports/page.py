"""An HTML page in one file, without requests to servers and without foreign scripts."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from odt_core import MADE_BY
from odt_core.figures import Chart, FigureFormat, chart_file
from odt_core.words import printable

MOST_ENLARGED = 1.6
"""The largest factor by which a drawing is enlarged."""

_SVG = re.compile(r"<svg\b.*</svg>", re.DOTALL)
_SIZE = re.compile(r'<svg width="([\d.]+)pt" height="([\d.]+)pt"')


def escaped(text: str) -> str:
    """Escape text from a file for an element or a quoted attribute, on one line."""
    return html.escape(" ".join(printable(text).split()), quote=True)


def json_block(name: str, record: Any) -> str:
    """Write a JSON value for the page's script, safe from being read as markup.

    Parameters
    ----------
    name : str
        The block's id.
    record : Any
        The data.
    """
    text = json.dumps(record, ensure_ascii=True, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>'


def local_file(name: str) -> str:
    """Read a style or script beside this module."""
    return files("odt_core.reports").joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Page:
    """The parts of a page.

    Attributes
    ----------
    title : str
        The title; plain text.
    body : str
        The body as HTML.
    styles : tuple of str
        Style files beside this module, such as ``sheet.css``.
    script : str
        The script file; empty for none.
    has_pictures : bool
        Whether it has pictures, as ``data:`` addresses.
    """

    title: str
    body: str
    styles: tuple[str, ...]
    script: str = ""
    has_pictures: bool = False

    def to_bytes(self) -> bytes:
        """Write the file. Its policy forbids all other scripts and styles, and all requests."""
        style = "\n".join(local_file(name) for name in self.styles)
        script = local_file(self.script) if self.script else ""
        policy = "; ".join(
            [
                "default-src 'none'",
                f"style-src {_hash(style)}",
                f"script-src {_hash(script)}" if script else "script-src 'none'",
                *(["img-src data:"] if self.has_pictures else []),
                "base-uri 'none'",
                "form-action 'none'",
            ]
        )
        ran = f"<script>{script}</script>" if script else ""
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="generator" content="{MADE_BY}">\n'
            f"<title>{escaped(self.title)}</title>\n<style>{style}</style>\n</head>\n"
            f"<body>\n{self.body}\n{ran}\n</body>\n</html>\n"
        ).encode()


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def inline_svg(svg: bytes, label: str, *, width: float, height: float) -> str:
    """Write a drawing as a part of a page, as large as its place allows.

    Parameters
    ----------
    svg : bytes
        The drawing of `odt_core.render.tree_svg`.
    label : str
        The text for screen readers; plain text.
    width, height : float
        The size of the place, in points.
    """
    own_width, own_height = own_size(svg)
    scale = min(MOST_ENLARGED, width / own_width, height / own_height)
    return sized_svg(
        svg,
        f'role="img" aria-label="{escaped(label)}" '
        f'width="{own_width * scale:.1f}pt" height="{own_height * scale:.1f}pt"',
    )


def own_size(svg: bytes) -> tuple[float, float]:
    """Read the width and height of a drawing of `odt_core.render.tree_svg`, in points."""
    size = _SIZE.match(_drawing(svg))
    assert size is not None
    return float(size[1]), float(size[2])


def sized_svg(svg: bytes, attributes: str) -> str:
    """Replace the size of a drawing of `odt_core.render.tree_svg` by other attributes."""
    text = _drawing(svg)
    size = _SIZE.match(text)
    assert size is not None
    return f"<svg {attributes}{text[size.end() :]}"


def _drawing(svg: bytes) -> str:
    """The drawing without the declarations of a file."""
    found = _SVG.search(svg.decode())
    assert found is not None
    return found.group()


def chart_html(chart: Chart, caption: str) -> str:
    """Write a chart as a part of a page, which needs ``Page(has_pictures=True)``.

    Parameters
    ----------
    chart : Chart
        The chart.
    caption : str
        The explanation below the figure; plain text.
    """
    svg = chart_file(chart, FigureFormat.SVG)
    data = base64.b64encode(svg).decode()
    return (
        f'<figure class="chart"><img alt="{escaped(chart.alt)}" '
        f'src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )
