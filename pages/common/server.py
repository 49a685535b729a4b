"""What all sessions of one server share."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from odt_core.jobs import JobManager
from odt_core.storage import Store, open_store


@st.cache_resource(show_spinner=False)
def store() -> Store:
    """Data sets and runs; in memory, with a word on why, where nothing can be written."""
    return open_store()


@st.cache_resource(show_spinner=False)
def job_manager() -> JobManager:
    """The warm workers: as many as there are cores."""
    return JobManager(store(), n_workers=os.cpu_count() or 1)


async def health(_: Request) -> Response:
    """Whether the server can keep what is trained: for whoever watches it, without names."""
    problem = await asyncio.to_thread(lambda: store().problem or job_manager().problem)
    return JSONResponse({"status": "degraded" if problem else "ok"}, 503 if problem else 200)


def warm_up() -> None:
    """Start the workers, and import what the first table and the first tree will need."""
    job_manager()
    keep_what_is_loaded()


def keep_what_is_loaded() -> None:
    """Import what pages will need, and take it out of what garbage collection looks through.

    Streamlit collects garbage after each run of a script, while what the run has drawn still waits
    to be sent: 0.1 to 0.2 s of each step if it looks at all that is loaded.
    """
    for module in ("sklearn.utils", "plotly.graph_objects"):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
