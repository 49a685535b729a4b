"""Data sets, runs and the queue in one database: SQLite in a file, or PostgreSQL.

`Store` is the way in. It takes and returns frozen records; see docs/storage.md.
"""

from odt_core.software import software_versions
from odt_core.storage.errors import NotFoundError, StorageError
from odt_core.storage.recorder import Recorder
from odt_core.storage.records import (
    LOCAL_OWNER,
    ClaimedRun,
    DatasetRecord,
    Deleted,
    Ending,
    Headline,
    KeyMetrics,
    MemberCounts,
    NewRun,
    Progress,
    RunQuery,
    RunRecord,
    RunStatus,
    RunSummary,
    SortKey,
)
from odt_core.storage.runfile import MOST_POINTS, RunFile, RunPart, check_form
from odt_core.storage.sign_ins import SignIns
from odt_core.storage.store import Store, has_store, open_store

__all__ = [
    "MOST_POINTS",
    "LOCAL_OWNER",
    "ClaimedRun",
    "DatasetRecord",
    "Deleted",
    "Ending",
    "Headline",
    "KeyMetrics",
    "MemberCounts",
    "NewRun",
    "NotFoundError",
    "Progress",
    "Recorder",
    "RunFile",
    "check_form",
    "RunPart",
    "RunQuery",
    "RunRecord",
    "RunStatus",
    "RunSummary",
    "SignIns",
    "SortKey",
    "StorageError",
    "Store",
    "has_store",
    "open_store",
    "software_versions",
]
