"""An HTML page in one file that asks no server and runs no script but its own."""

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
from odt_core.words import printable

_SVG = re.compile(r"<svg\b.*</svg>", re.DOTALL)
_SIZE = re.compile(r'<svg width="([\d.]+)pt" height="([\d.]+)pt"')


def escaped(text: str) -> str:
    """Text from a file, inside an element or a quoted attribute, on one line."""
    return html.escape(" ".join(printable(text).split()), quote=True)


def json_block(name: str, record: Any) -> str:
    """A JSON value that the page's script reads, and that no browser takes for markup.

    Parameters
    ----------
    name : str
        The block's id.
    record : Any
        Plain data.
    """
    text = json.dumps(record, ensure_ascii=True, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>'


def local_file(name: str) -> str:
    """The text of a style or script beside this module."""
    return files("odt_core.reports").joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Page:
    """A page before it is written.

    Attributes
    ----------
    title : str
        Plain text.
    body : str
        HTML.
    styles : tuple of str
        Files beside this module, such as ``sheet.css``.
    script : str
        The file of its script; empty for none.
    has_pictures : bool
        Whether it holds pictures, as ``data:`` addresses.
    """

    title: str
    body: str
    styles: tuple[str, ...]
    script: str = ""
    has_pictures: bool = False

    def to_bytes(self) -> bytes:
        """The file: its policy forbids every script and style but these, and every request."""
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


def inline_svg(svg: bytes, label: str, *, width: float, height: float, most: float = 1.6) -> str:
    """A drawing as a part of a page, as large as its place allows.

    Parameters
    ----------
    svg : bytes
        What `odt_core.render.tree_svg` gave.
    label : str
        What it shows, for screen readers; plain text.
    width, height : float
        The place, in points.
    most : float
        How often its own size it may become at most.
    """
    text = _drawing(svg)
    size = _SIZE.match(text)
    assert size is not None
    own_width, own_height = float(size[1]), float(size[2])
    scale = min(most, width / own_width, height / own_height)
    return sized_svg(
        svg,
        f'role="img" aria-label="{escaped(label)}" '
        f'width="{own_width * scale:.1f}pt" height="{own_height * scale:.1f}pt"',
    )


def sized_svg(svg: bytes, attributes: str) -> str:
    """A drawing of `odt_core.render.tree_svg` with other attributes in place of its size."""
    text = _drawing(svg)
    size = _SIZE.match(text)
    assert size is not None
    return f"<svg {attributes}{text[size.end() :]}"


def _drawing(svg: bytes) -> str:
    """The drawing without the declarations of a file."""
    found = _SVG.search(svg.decode())
    assert found is not None
    return found.group()
