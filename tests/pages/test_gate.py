"""Which requests the gate lets in, and for how long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit import config

from odt_core.storage import StorageError
from pages.frame import gate
from pages.frame.gate import TOKEN, Gate, comes_from_own_page, identity_of, refuse_address

HERE = "localhost:8501"


@pytest.fixture(autouse=True)
def _names() -> Iterator[None]:
    options = ("server.allowedHosts", "server.corsAllowedOrigins")
    before = {name: config.get_option(name) for name in options}
    config.set_option("server.allowedHosts", ["localhost", "127.0.0.1", "::1", "*.example.org"])
    config.set_option("server.corsAllowedOrigins", ["https://front.example.com"])
    yield
    for name, value in before.items():
        config.set_option(name, value)


@pytest.mark.parametrize(
    "host",
    [HERE, "LOCALHOST:8501", "localhost", "localhost.", "127.0.0.1:1", "[::1]:8501",
     "trees.example.org"],
)  # fmt: skip
def test_known_names_are_answered(host: str) -> None:
    assert refuse_address({"host": host}) == ""


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:8501", "localhost.evil.example", "localhost@evil.example",
     "localhost:8501@evil.example", "localhost:x", "localhost:99999", "localhost/evil", "a b",
     "localhost#evil", "127.0.0.1.evil.example", "xexample.org", "[::1", "0.0.0.0:8501"],
)  # fmt: skip
def test_other_names_are_refused_in_words(host: str) -> None:
    assert "server.allowedHosts" in refuse_address({"host": host})


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8501", HERE),
        ("http://LOCALHOST:8501", HERE),
        ("https://trees.example.org", "trees.example.org"),
        ("https://front.example.com", "127.0.0.1:8501"),
    ],
)
def test_our_own_pages_are_answered(origin: str, host: str) -> None:
    assert refuse_address({"host": host, "origin": origin}) == ""


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://localhost:9000", "http://localhost", "null", "", "file://",
     "http://127.0.0.1:8501", "http://localhost:8501.evil.example", "http://a@localhost:8501",
     "http://[", "http://localhost:8501/x", "ftp://localhost:8501"],
)  # fmt: skip
def test_pages_of_other_addresses_are_refused_in_words(origin: str) -> None:
    assert "server.corsAllowedOrigins" in refuse_address({"host": HERE, "origin": origin})


@pytest.mark.parametrize(
    ("headers", "own"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),  # typed, or a bookmark
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site", "referer": f"http://{HERE}/"}, False),
        ({"referer": f"http://{HERE}/runs?data=1"}, True),
        ({"referer": "https://front.example.com/"}, True),
        ({"referer": "http://localhost:9000/"}, False),
        ({"referer": f"http://evil.example/http://{HERE}/"}, False),
        ({"referer": "http://["}, False),
        ({}, False),
    ],
)
def test_only_our_own_pages_sign_out(headers: dict[str, str], own: bool) -> None:
    assert comes_from_own_page({"host": HERE} | headers) is own


def test_the_identity_is_in_every_piece_of_the_cookie() -> None:
    pieces = {"_streamlit_user": "2", "_streamlit_user_1": "a", "_streamlit_user_2": "b"}
    others = {"_streamlit_user_tokens": "t", "theme": "dark"}
    assert identity_of(pieces | others) == identity_of(pieces)
    assert identity_of(pieces | {"_streamlit_user_2": "c"}) != identity_of(pieces)
    assert identity_of(others) == "" == identity_of({"_streamlit_user": ""})


# ---- an open page, whose sign-in ends ----


def away() -> bool:
    raise StorageError("The database is away.")


@pytest.mark.parametrize("still_valid", [lambda: False, away], ids=["ended elsewhere", "away"])
@pytest.mark.parametrize("chatty", [False, True], ids=["silent", "chatty"])
def test_an_open_page_is_closed_when_its_sign_in_is_no_longer_known(
    chatty: bool, still_valid: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "CHECK_SECONDS", 0.05)
    sent: list[Message] = []
    answers = iter([True])

    class SignIns:
        def is_valid(self, token: str, identity: str) -> bool:
            return next(answers, None) or still_valid()

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        """Answer every question until the other end is gone, as Streamlit does."""
        while (await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "bytes": b"secret"})
        await send({"type": "websocket.send", "bytes": b"too late"})

    async def receive() -> Message:
        await asyncio.sleep(0.01 if chatty else 3600)
        return {"type": "websocket.receive", "bytes": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    cookies = f"{TOKEN}=t; _streamlit_user=u".encode()
    headers = [(b"host", HERE.encode()), (b"cookie", cookies)]
    scope: dict[str, Any] = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    guarded = Gate(page, lambda: SignIns(), lambda: True)  # type: ignore[arg-type,return-value]
    # in a thread of its own, since a browser of other tests may have a loop in this one
    with ThreadPoolExecutor(1) as thread:
        visit = asyncio.wait_for(guarded(scope, receive, send), timeout=5)
        thread.submit(asyncio.run, visit).result()
    assert sent[-1] == {"type": "websocket.close", "code": 1008}
    assert {"type": "websocket.send", "bytes": b"too late"} not in sent


# ---- a stranger's page ----


@pytest.mark.parametrize("protocols", [["streamlit", "x"], ["streamlit", "x", "earlier-session"]])
def test_only_a_page_that_was_open_before_gets_a_run_from_the_gate(protocols: list[str]) -> None:
    """A run of the gate names no page. On an opened page it would replace the address."""
    got: list[Message] = []
    handshake: Message = {"type": "websocket.connect"}
    own: Message = {"type": "websocket.receive", "bytes": b"run the page of the address"}
    messages = iter([handshake, own])

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        assert len(scope["subprotocols"]) == 2  # a stranger continues no session
        got.extend([await receive(), await receive()])

    async def receive() -> Message:
        return next(messages)

    async def send(message: Message) -> None:
        raise AssertionError(message)

    headers = [(b"host", HERE.encode())]
    scope: dict[str, Any] = {
        "type": "websocket", "path": "/_stcore/stream", "headers": headers,
        "subprotocols": protocols,
    }  # fmt: skip
    guarded = Gate(page, lambda: None, lambda: True)  # type: ignore[arg-type,return-value]
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, guarded(scope, receive, send)).result()
    run = {"type": "websocket.receive", "bytes": gate.RUN}
    assert got == [handshake, run if len(protocols) > 2 else own]
