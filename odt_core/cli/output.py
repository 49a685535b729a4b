"""Write an answer to a file or to standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from odt_core.errors import InputError


def write_output(target: str | None, content: bytes, *, option: str = "--output") -> None:
    """Write `content` to a file, or to standard output if there is no name.

    Parameters
    ----------
    target : str, optional
        The file.
    content : bytes
        What to write.
    option : str
        Where the file was named, for the message.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    if target is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        if not content.endswith(b"\n"):
            sys.stdout.buffer.write(b"\n")
        sys.stdout.flush()
        return
    try:
        Path(target).write_bytes(content)
    except OSError as error:
        raise InputError(
            f"{option}: the file {target!r} cannot be written ({error.strerror}): choose another."
        ) from error
