"""Values that no specification and no model may hold, and how they get into one."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

WRONG: tuple[Any, ...] = (
    "1/0", "0/0", None, -1, 1e308, 10**30, [], {}, "x", True, "nan", [[]], {"a": 1}, 0, "1/3",
    float("inf"), float("nan"), "\x00", "9" * 5000,
)  # fmt: skip
GONE = object()
Path_ = tuple[Any, ...]


def paths(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Where a value's parts are; of a list only the first two."""
    if path:
        yield path
    if isinstance(value, dict):
        for name in value:
            yield from paths(value[name], (*path, name))
    elif isinstance(value, list):
        for index in range(min(len(value), 2)):
            yield from paths(value[index], (*path, index))


def changed(value: Any, path: Path_, wrong: Any) -> Any:
    """A copy that differs at a path. It shares all other parts with the original."""
    step, *rest = path
    value = copy.copy(value)
    if rest:
        value[step] = changed(value[step], tuple(rest), wrong)
    elif wrong is GONE:
        del value[step]
    else:
        value[step] = wrong
    return value
