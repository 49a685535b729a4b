"""Moments in words."""

from __future__ import annotations

from datetime import datetime

from odt_core.words import count_words


def ago_words(moment: datetime, now: datetime) -> str:
    """How long ago something was.

    Examples
    --------
    >>> from datetime import timedelta
    >>> now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    >>> [ago_words(now - timedelta(seconds=s), now) for s in (5, 200, 7300, 90_000, 900_000)]
    ['just now', '3 minutes ago', '2 hours ago', 'yesterday', '10 days ago']
    """
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{count_words(int(seconds // 60), 'minute')} ago"
    if seconds < 86_400:
        return f"{count_words(int(seconds // 3600), 'hour')} ago"
    days = int(seconds // 86_400)
    return "yesterday" if days == 1 else f"{days:,} days ago"
