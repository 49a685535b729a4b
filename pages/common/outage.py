"""What is shown in place of something stored while the database does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from odt_core.storage import StorageError
from pages.common.text import plain


@contextmanager
def said_if_store_is_away() -> Iterator[None]:
    """Say why what is drawn here, or by the decorated function, cannot be shown now."""
    try:
        yield
    except StorageError as error:
        st.error(f"What is stored cannot be shown now. {plain(str(error))}")
