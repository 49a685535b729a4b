"""Who is using the dashboard."""

from __future__ import annotations

from odt_core.storage import LOCAL_OWNER


def owner() -> str:
    """Whose data sets and runs these are: everybody's, where nobody signs in."""
    return LOCAL_OWNER
