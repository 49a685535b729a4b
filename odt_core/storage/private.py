"""Private folders, which nobody else on the machine can read: data may be about patients."""

from __future__ import annotations

from pathlib import Path


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, for this user only.

    Raises
    ------
    OSError
        If it cannot be created.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
