"""Objects that all sessions of a server share."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from odt_core.jobs import JobManager
from odt_core.storage import StorageError, Store, open_store
from pages.common.markup import plain


@st.cache_resource(show_spinner=False)
def store() -> Store:
    """The store of data sets and runs. If nothing can be written, it is in memory."""
    return open_store()


@st.cache_resource(show_spinner=False)
def job_manager() -> JobManager:
    """The manager of the warm workers, as many as cores."""
    return JobManager(store(), n_workers=os.cpu_count() or 1)


async def health(_: Request) -> Response:
    """Report to monitoring whether the server can store results, without names."""
    problem = await asyncio.to_thread(lambda: store().problem or job_manager().problem)
    return JSONResponse({"status": "degraded" if problem else "ok"}, 503 if problem else 200)


def warm_up() -> None:
    """Start the workers, and import modules for the first table and the first tree."""
    job_manager()
    freeze_loaded_objects()


def freeze_loaded_objects() -> None:
    """Import large libraries of the pages, and exclude all loaded modules from garbage collection.

    Streamlit collects garbage after each run of a script, before the output is sent. With all
    modules this would take 0.1 to 0.2 s of each step.
    """
    for module in ("sklearn.utils", "plotly.graph_objects"):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()


@contextmanager
def show_store_errors() -> Iterator[None]:
    """Draw an error of the store instead of the part inside; a context manager and a decorator."""
    try:
        yield
    except StorageError as error:
        st.error(f"Stored data and runs cannot be shown now. {plain(str(error))}")
