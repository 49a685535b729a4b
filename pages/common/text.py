"""Text that came from a file must not be read as Markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:])")


def plain(text: str) -> str:
    """`text` with every Markdown sign escaped, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
