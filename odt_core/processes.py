"""Differences between operating systems: process groups, memory and file locks.

Only this module has code for single systems (``tests/core/test_layers.py`` checks it).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from filelock import FileLock

MIB = 2**20
_CGROUP = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_DEATH_SIGNAL_OF_PARENT = 1
"""Linux: ``PR_SET_PDEATHSIG`` of ``prctl``."""


def apart() -> dict[str, Any]:
    """Return arguments of `subprocess.Popen` for a process with its own group.

    Ctrl-C in the terminal does not reach it, and `end_with_all` ends it with its children.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_with_all(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started `apart`, with its children."""
    if sys.platform == "win32":
        _end_family(process.pid)
        return
    with contextlib.suppress(ProcessLookupError):  # it has already ended
        os.killpg(process.pid, signal.SIGKILL)


def end_this_with_all() -> None:
    """End this process, with its children if it was started `apart`."""
    if sys.platform == "win32":
        _end_family(os.getpid())
    elif os.getpid() == os.getpgid(0):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def end_with_parent() -> None:
    """Let the system end this process when the *thread* that started it ends.

    Only Linux can do this. On other systems the process must end when its standard input closes.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_DEATH_SIGNAL_OF_PARENT, signal.SIGKILL)


def _end_family(pid: int) -> None:
    """End a process's children and then the process."""
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        for process in [*first.children(recursive=True), first]:
            with contextlib.suppress(psutil.Error):
                process.kill()


def ending_words(code: int) -> str:
    """Describe the end of a process by its exit status.

    Examples
    --------
    >>> ending_words(-9), ending_words(3)
    ('killed by SIGKILL', 'exit status 3')
    """
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit status {code}"


def with_temporary_folder(folder: Path) -> dict[str, str]:
    """Return this process's environment with another folder for temporary files."""
    return {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}


def with_this_package() -> dict[str, str]:
    """Return this process's environment, in which Python finds our package from any folder."""
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def machine_memory() -> int:
    """Return the memory of this machine or container, in bytes."""
    found = [int(psutil.virtual_memory().total)]
    for path in _CGROUP:
        with contextlib.suppress(OSError, ValueError):
            found.append(int(path.read_text()))
    return min(found)


def memory_with_all(pid: int) -> int:
    """Return the memory of a process and its children, in bytes; 0 if it has ended."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        return sum(map(_resident, [process, *process.children(recursive=True)]))
    return 0


def _resident(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def write_c_output_by_line() -> None:
    """On Linux, let the C library write each line of standard output at once, even to a pipe."""
    if sys.platform == "linux":
        line_buffered = 1
        library = ctypes.CDLL(None)
        library.setvbuf(ctypes.c_void_p.in_dll(library, "stdout"), None, line_buffered, 0)


def flush_c_output() -> None:
    """Flush the output of the C library."""
    library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    library.fflush(None)


def _lock_on(path: Path) -> FileLock:
    from filelock import FileLock  # slow to import

    return FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False)


class LockedFile:
    """A file that this process locks until `release` or the end of the process.

    The system releases the lock whenever the process ends.

    Parameters
    ----------
    path : Path
        The file, which is made if it is missing. It stays unlocked on a file system without locks.

    Raises
    ------
    OSError
        If the file cannot be created.
    """

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600)
        self._lock = _lock_on(path)
        with contextlib.suppress(OSError, NotImplementedError):
            self._lock.acquire()

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()


def is_unlocked(path: Path) -> bool:
    """Whether a file exists and is certainly not locked by a living process."""
    if not path.exists():
        return False
    from filelock import Timeout

    lock = _lock_on(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, NotImplementedError):
        return False
    lock.release()
    return True
