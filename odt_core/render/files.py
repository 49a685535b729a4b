"""DOT source as picture files, by an installed ``dot`` or by the graphviz-pure wheel."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sysconfig
import zlib

from odt_core import MADE_BY
from odt_core.errors import InputError

PNG_DPI = 192
"""Resolution of PNG files: twice that of a screen, so that they are sharp in documents."""

PNG_HEADER = 33
"""Length of a PNG file's signature and first chunk in bytes; other chunks may follow."""

TIMEOUT = 60.0
"""Seconds after which a drawing is given up."""


_TITLE = re.compile(r'<title>[^<]*</title>(\s*<g id="a_[^"]*">\s*<a xlink:title="([^"]*)")')


def tree_svg(dot: str) -> bytes:
    """Draw DOT source as SVG.

    The text of a tooltip becomes the title of its part and replaces Graphviz's ``n0``. Viewers show
    titles on hover, and screen readers read them.

    Raises
    ------
    InputError
        If no Graphviz is installed.
    """
    svg = _TITLE.sub(r"<title>\2</title>\1", _draw(dot, "-Tsvg").decode())
    return svg.replace("<svg", f"<!-- {MADE_BY} -->\n<svg", 1).encode()


def tree_png(dot: str, dpi: int = PNG_DPI) -> bytes:
    """Draw DOT source as PNG.

    The graphviz-pure wheel has fonts for Latin, Greek and Cyrillic letters only. Names in other
    scripts need an installed ``dot``, or an SVG, which uses the reader's own fonts.

    Raises
    ------
    InputError
        If no Graphviz is installed.
    """
    return _with_software(_draw(dot, "-Tpng", f"-Gdpi={dpi}"))


def _with_software(png: bytes) -> bytes:
    """Add the program's name to a picture, as the PNG standard's text ``Software``."""
    text = b"tEXtSoftware\0" + MADE_BY.encode("latin-1")
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    return png[:PNG_HEADER] + chunk + png[PNG_HEADER:]


def graphviz_command() -> str:
    """Find the path of the Graphviz program.

    Raises
    ------
    InputError
        If there is none.
    """
    scripts = sysconfig.get_path("scripts")
    found = (
        shutil.which("dot")
        or shutil.which("graphviz-pure", path=scripts)
        or shutil.which("graphviz-pure")
    )
    if found is None:
        raise InputError(
            "Pictures need Graphviz: install the package graphviz-pure (it is in "
            "requirements.txt), or choose the format dot."
        )
    return found


def _draw(dot: str, *arguments: str) -> bytes:
    command = graphviz_command()
    done = subprocess.run(
        [command, *arguments], input=dot.encode(), capture_output=True, timeout=TIMEOUT, check=False
    )
    if done.returncode != 0 or not done.stdout:
        reason = done.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"{command} could not draw the tree: {reason}")
    return done.stdout
