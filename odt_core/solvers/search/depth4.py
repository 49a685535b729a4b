"""Four levels: the root's splits in Python, each side solved by the three-level kernels."""
from __future__ import annotations


def solve_deep(run, root):  # type: ignore[no-untyped-def]
    raise NotImplementedError
