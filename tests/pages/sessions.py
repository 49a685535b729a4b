"""The work and the words of a session of the dashboard."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from odt_core.data import SAMPLES, ReadOptions, SplitSpec, read_table
from odt_core.jobs import Batch, Job
from odt_core.storage import LOCAL_OWNER
from pages.common.server import store
from pages.common.session import Dataset, Work
from tests.waiting import wait_until

WORK = "odt_work"
SECONDS = 120.0


def work(app: AppTest) -> Work:
    found = app.session_state[WORK]
    assert isinstance(found, Work)
    return found


def triage_work(train_size: str, job: Job | None = None) -> Work:
    """Work on the triage sample, which is stored."""
    content = SAMPLES["triage"].csv()
    table = read_table(content, ReadOptions(), name="triage.csv")
    sha256 = store().datasets.put(LOCAL_OWNER, content, "triage.csv").sha256
    return Work(
        dataset=Dataset(table, sha256, ReadOptions()),
        schema=SAMPLES["triage"].schema(),
        split=SplitSpec.parse(train_size),
        job=job,
    )


def said(app: AppTest) -> str:
    """The page's Markdown as plain text."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info)
    return " ".join(str(e.value) for kind in kinds for e in kind).replace("\\", "")


def wait_for(app: AppTest, find: Callable[[Work], Job | Batch | None]) -> None:
    """Wait until a session's job is over, and draw the page again."""

    def is_over() -> bool:
        found = find(work(app))
        return found is not None and found.is_over

    wait_until(is_over)
    app.run()
    assert not app.exception


def run_until(app: AppTest, is_so: Callable[[], object], complaint: str) -> None:
    """Draw the page again and again, as its fragments do by themselves in a browser."""

    def run() -> object:
        app.run()
        assert not app.exception
        return is_so()

    if not is_so():
        wait_until(run, complaint=complaint)
