"""The versions of the software behind an answer."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from odt_core import __version__

PACKAGES = (
    "cbcbox",
    "charset-normalizer",
    "clevercsv",
    "highsbox",
    "mip",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "scikit-learn",
    "scipy",
)
"""Packages that can change a tree or a number."""


@cache
def _found() -> tuple[tuple[str, str], ...]:
    pairs = [("odt-studio", __version__), ("python", platform.python_version())]
    for name in PACKAGES:
        try:
            pairs.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(pairs)


def software_versions() -> dict[str, str]:
    """Return the installed versions by package."""
    return dict(_found())
