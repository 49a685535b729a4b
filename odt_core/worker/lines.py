"""The lines in which a worker or a table reader and its manager exchange messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def to_line(message: Mapping[str, Any]) -> bytes:
    """Write a message as one line of JSON."""
    return json.dumps(message, ensure_ascii=True, allow_nan=False).encode() + b"\n"
