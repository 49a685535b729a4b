"""What all sessions of one server share."""

from __future__ import annotations

import importlib
import os
import threading

import streamlit as st

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


@st.cache_resource(show_spinner=False)
def import_ahead() -> None:
    """Import what the first table will need while the user is still choosing one."""
    threading.Thread(target=importlib.import_module, args=("sklearn.utils",), daemon=True).start()
