"""Processor time, which other programs on a busy machine do not lengthen.

A solve on one thread takes at most as much processor time as wall-clock time. So a limit of two
seconds is kept if the processors worked on the solve for little more than two seconds.
"""

from __future__ import annotations

import os


def cpu_seconds() -> float:
    """Seconds that processors worked for this process, and for children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
