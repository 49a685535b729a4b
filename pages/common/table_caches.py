"""Caches of tables and of what was computed from them, emptied when a data set is deleted."""

from __future__ import annotations

from typing import Protocol, TypeVar


class _Cached(Protocol):
    def clear(self) -> None: ...


_C = TypeVar("_C", bound=_Cached)
_CACHES: list[_Cached] = []


def table_cache(cached: _C) -> _C:
    """Mark a cached function whose results are made from a table's rows.

    Parameters
    ----------
    cached : cached function
        What `st.cache_resource` returns.
    """
    _CACHES.append(cached)
    return cached


def forget_tables() -> None:
    """Drop tables, and what was computed from them, that this server keeps for all sessions."""
    for cached in _CACHES:
        cached.clear()
