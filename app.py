"""What `streamlit run` starts: the server, whose workers start with it and not with a visitor."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from pages.common.gate import Gate
from pages.common.people import sign_in_is_on
from pages.common.server import health, store, warm_up


@asynccontextmanager
async def serving(_: st.App) -> AsyncIterator[None]:
    """Take up what an earlier server left behind, and warm the workers, while nobody waits.

    The server answers meanwhile; a visitor who comes before the workers waits for the same ones.
    """
    starting = asyncio.create_task(asyncio.to_thread(warm_up))
    try:
        yield
    finally:
        await asyncio.wait([starting])


# The script lies in the folder of the pages: beside a folder called `pages`, Streamlit would look
# for pages in its old way and refuse every address but the root until the first visit.
app = st.App(
    Path(__file__).parent / "pages" / "dashboard.py",
    lifespan=serving,
    routes=[Route("/api/health", health)],
    middleware=[Middleware(Gate, sign_ins=lambda: store().sign_ins, needs_sign_in=sign_in_is_on)],
)
