"""The server that `streamlit run` starts. Its workers start before the first visitor comes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from pages.common.server import health, store, warm_up
from pages.common.session import sign_in_is_on
from pages.frame.gate import Gate


@asynccontextmanager
async def serving(_: st.App) -> AsyncIterator[None]:
    """Continue the work of an earlier server, and warm the workers.

    The server answers during this. An early visitor waits for the same workers.
    """
    starting = asyncio.create_task(asyncio.to_thread(warm_up))
    try:
        yield
    finally:
        await asyncio.wait([starting])


# The script is in the folder of the pages. Beside a folder called `pages`, Streamlit would use its
# old mechanism for pages, and refuse every address except the root until the first visit.
app = st.App(
    Path(__file__).parent / "pages" / "dashboard.py",
    lifespan=serving,
    routes=[Route("/api/health", health)],
    middleware=[Middleware(Gate, sign_ins=lambda: store().sign_ins, needs_sign_in=sign_in_is_on)],
)
