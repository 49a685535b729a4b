"""What a session of the dashboard knows and says."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from odt_core.jobs import Batch, Job
from pages.common.session import Work

WORK = "odt_work"
SECONDS = 120.0


def work(app: AppTest) -> Work:
    found = app.session_state[WORK]
    assert isinstance(found, Work)
    return found


def said(app: AppTest) -> str:
    """What is said in Markdown, as plain text."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info)
    return " ".join(str(e.value) for kind in kinds for e in kind).replace("\\", "")


def wait_for(app: AppTest, find: Callable[[Work], Job | Batch | None]) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        found = find(work(app))
        if found is not None and found.is_over:
            break
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)
    app.run()
    assert not app.exception
