"""Waits for conditions, never for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Most seconds to wait for something that takes a second or two on an idle machine."""


def wait_until(
    is_so: Callable[[], object], seconds: float = PATIENCE, complaint: str = "did not happen"
) -> float:
    """Wait until a condition holds, and return the seconds that it took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < seconds, f"{complaint} in {seconds:.0f} s"
        time.sleep(0.01)
    return time.monotonic() - began
