"""What differs between operating systems: processes with all they start, their memory, file locks.

Everything that Linux, macOS and Windows do differently stands here, and nowhere else
(``tests/core/test_layers.py``).
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
from filelock import FileLock, Timeout

MIB = 2**20
_CGROUP = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_DEATH_SIGNAL_OF_PARENT = 1
"""Linux: ``PR_SET_PDEATHSIG`` of ``prctl``."""


def apart() -> dict[str, Any]:
    """Arguments of `subprocess.Popen` for a process with a group of its own.

    Ctrl-C in the terminal does not reach it, and `end_with_all` ends all that it starts.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_with_all(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started `apart`, and all that it has started."""
    if sys.platform == "win32":
        _end_family(process.pid)
        return
    with contextlib.suppress(ProcessLookupError):  # it has ended already
        os.killpg(process.pid, signal.SIGKILL)


def end_this_with_all() -> None:
    """End this process, and all that it has started if it was started `apart`."""
    if sys.platform == "win32":
        _end_family(os.getpid())
    elif os.getpid() == os.getpgid(0):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def end_with_parent() -> None:
    """Let the system end this process when the *thread* that started it ends, however it ends.

    Only Linux can do that. Elsewhere this process must end when its standard input closes.
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
    """How a process ended, from its exit status.

    Examples
    --------
    >>> ending_words(-9), ending_words(3)
    ('killed by SIGKILL', 'exit status 3')
    """
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit status {code}"


def with_temporary_folder(folder: Path) -> dict[str, str]:
    """The environment of this process, with another folder for temporary files."""
    return {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}


def machine_memory() -> int:
    """Bytes of memory of this machine, or of the container it is used in."""
    found = [int(psutil.virtual_memory().total)]
    for path in _CGROUP:
        with contextlib.suppress(OSError, ValueError):
            found.append(int(path.read_text()))
    return min(found)


def memory_with_all(pid: int) -> int:
    """Bytes of memory that a process and all it has started take now; 0 if it is gone."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        return sum(map(_resident, [process, *process.children(recursive=True)]))
    return 0


def _resident(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def write_c_output_by_line() -> None:
    """Linux: let the C library pass on each line of standard output at once, also to a pipe."""
    if sys.platform == "linux":
        line_buffered = 1
        library = ctypes.CDLL(None)
        library.setvbuf(ctypes.c_void_p.in_dll(library, "stdout"), None, line_buffered, 0)


def flush_c_output() -> None:
    """Push out what the C library still holds back."""
    library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    library.fflush(None)


def _lock_on(path: Path) -> FileLock:
    from filelock import FileLock  # it takes as long to import as all of this program's base

    return FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False)


class LockedFile:
    """A file that this process has locked, until `release` or the process's end.

    The system lets go of the lock however the process ends.

    Parameters
    ----------
    path : Path
        Made if it is missing. A file system without locks leaves it unlocked.

    Raises
    ------
    OSError
        If the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600)
        self._lock = _lock_on(path)
        with contextlib.suppress(OSError, NotImplementedError):
            self._lock.acquire()

    def release(self) -> None:
        """Let others lock the file."""
        self._lock.release()


def is_unlocked(path: Path) -> bool:
    """Whether a file is there, and surely no living process has locked it."""
    if not path.exists():
        return False

    lock = _lock_on(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, NotImplementedError):
        return False
    lock.release()
    return True
