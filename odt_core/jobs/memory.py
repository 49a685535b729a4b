"""How much memory a worker may take, and how much it takes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

from odt_core.errors import InputError

MIB = 2**20
SHARE = 0.8
"""Of the machine's memory, for all workers together; the server and the system have the rest."""
LEAST = 1024 * MIB
"""A worker's limit where the machine's share would be less."""
AT_REST = 512 * MIB
"""What a worker may take before it has done anything; the least that the setting may be."""
_CGROUP = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def worker_memory(n_workers: int) -> int:
    """Bytes that one worker may take: ``ODT_WORKER_MEMORY`` (in MiB), else a share of all.

    Raises
    ------
    InputError
        If the setting is not a whole number, or less than a worker needs at rest.
    """
    text = os.environ.get("ODT_WORKER_MEMORY", "").strip()
    if not text:
        return share_of_memory(n_workers)
    if not (text.isascii() and text.isdecimal() and int(text) * MIB >= AT_REST):
        raise InputError(
            f"ODT_WORKER_MEMORY is {text!r}: give a whole number of MiB, at least "
            f"{AT_REST // MIB}, which a worker needs at rest, or leave it out."
        )
    return int(text) * MIB


def share_of_memory(n_workers: int) -> int:
    """Bytes that one of several workers may take of this machine's memory."""
    return max(int(SHARE * machine_memory() / n_workers), LEAST)


def machine_memory() -> int:
    """Bytes of memory of this machine, or of the container it is used in."""
    found = [int(psutil.virtual_memory().total)]
    for path in _CGROUP:
        with suppress(OSError, ValueError):
            found.append(int(path.read_text()))
    return min(found)


def taken(pid: int) -> int:
    """Bytes of memory that a process and all it has started take now; 0 if it is gone."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return sum(map(_resident, [process, *process.children(recursive=True)]))
    return 0


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0
