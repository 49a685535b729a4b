"""The gate: checks of each request before Streamlit gets it.

SECURITY.md lists the guarantees and the test of each.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState

from odt_core.errors import InputError
from odt_core.storage import SignIns

log = logging.getLogger("pages.frame.gate")


def _inline_scripts() -> str:
    """Policy sources for the scripts inside Streamlit's own page, by their digests."""
    page = Path(st.__file__).with_name("static") / "index.html"
    scripts = re.findall(r"<script>(.*?)</script>", page.read_text("utf-8"), re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


# Streamlit uses inline styles, loads scripts of components from blobs, and draws trees with
# WebAssembly. Plotly makes images as blobs.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' blob: 'wasm-unsafe-eval' {_inline_scripts()}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "media-src 'self' blob:",
        "manifest-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CLOSED = ("/_stcore/metrics", "/_stcore/agent")
"""Parts of Streamlit that the dashboard does not use. They are closed."""
FOR_THE_SIGNED_IN = ("/media", "/_stcore/upload_file")
"""Downloads and uploads."""
TOKEN = "odt_sign_in"
IDENTITY = re.compile(r"_streamlit_user(_\d+)?")
"""Names of Streamlit's cookies for the signed-in person. A long cookie has several parts."""
# Normally only the browser sends this message, so Streamlit has no public way to make it.
RUN = BackMsg(rerun_script=ClientState()).SerializeToString()
"""The browser's message that runs the page's script."""
CLOSE: Message = {"type": "websocket.close", "code": 1008}
"""Ends a WebSocket for a policy reason. A WebSocket that is not accepted yet gets status 403."""
CHECK_SECONDS = 2.0
"""Seconds between two checks whether another server has ended the sign-in of an open page."""


@dataclass
class Gate:
    """ASGI middleware that passes only requests to a known name, from our pages, by known people.

    Attributes
    ----------
    app : ASGIApp
        Streamlit.
    sign_ins : callable
        Returns the store's sign-ins; called on first use.
    needs_sign_in : callable
        Returns whether people must sign in.
    """

    app: ASGIApp
    sign_ins: Callable[[], SignIns]
    needs_sign_in: Callable[[], bool]
    _open: dict[str, set[asyncio.Event]] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        send = _changing(send, lambda headers: headers.update(HEADERS))
        request = HTTPConnection(scope)
        refusal = refuse_address(request.headers)
        if refusal:
            await _refuse(scope, receive, send, 403, refusal)
            return
        path = _path(scope)
        if _is_below(path, CLOSED):
            await _refuse(scope, receive, send, 404, "Not found.")
            return
        scope = _as_same_origin(scope, request.headers)
        if not self.needs_sign_in():
            await self.app(scope, receive, send)
            return
        try:
            await self._pass_person(path, scope, receive, send)
        except InputError as error:  # without the store, no sign-in can be checked
            await _refuse(scope, receive, send, 503, str(error))

    async def _pass_person(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        request = HTTPConnection(scope)
        cookies = request.cookies
        token, identity = cookies.get(TOKEN, ""), identity_of(cookies)
        if path == "/oauth2callback":
            await self.app(scope, receive, self._starting(send, scope))
            return
        if path == "/auth/logout":
            if not comes_from_own_page(request.headers):
                words = "Sign out on a page of the dashboard itself."
                await _refuse(scope, receive, send, 403, words)
                return
            await self._end(token)
            await self.app(scope, receive, _changing(send, _drop_token))
            return
        valid = bool(token and identity) and await self._is_valid(token, identity)
        if not valid:
            if _is_below(path, FOR_THE_SIGNED_IN):
                await _refuse(scope, receive, send, 403, "Please sign in first.")
                return
            if _names_session(scope):
                receive = _with_run(receive)
            scope = _as_stranger(scope)
        if scope["type"] == "websocket" and valid:
            await self._keep_open(token, identity, scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _is_valid(self, token: str, identity: str) -> bool:
        return await asyncio.to_thread(lambda: self.sign_ins().is_valid(token, identity))

    async def _end(self, token: str) -> None:
        """End a sign-in on this server at once. Other servers notice within `CHECK_SECONDS`."""
        if token:
            await asyncio.to_thread(lambda: self.sign_ins().end(token))
            for ended in self._open.get(token, ()):
                ended.set()

    def _starting(self, send: Send, scope: Scope) -> Send:
        """Add a token to an answer that sets the cookies of a person."""

        async def start(message: Message) -> None:
            if message["type"] == "http.response.start":
                identity = identity_of(_cookies_set(message))
                if identity:
                    token = await asyncio.to_thread(lambda: self.sign_ins().begin(identity))
                    secure = "; Secure" if scope.get("scheme") == "https" else ""
                    MutableHeaders(scope=message).append(
                        "set-cookie", f"{TOKEN}={token}; Path=/; HttpOnly; SameSite=lax{secure}"
                    )
            await send(message)

        return start

    async def _keep_open(
        self, token: str, identity: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve an open page until its sign-in ends. Then the browser connects without a sign-in.

        After the end no message passes in either direction, because the fragments of a page run
        without the script that requires a sign-in.
        """
        ended = asyncio.Event()
        self._open.setdefault(token, set()).add(ended)
        ending = asyncio.ensure_future(ended.wait())
        watching = asyncio.ensure_future(self._watch(token, identity, ended))
        incoming: asyncio.Future[Message] | None = None

        async def receive_while_valid() -> Message:
            nonlocal incoming
            incoming = incoming or asyncio.ensure_future(receive())
            await asyncio.wait((incoming, ending), return_when=asyncio.FIRST_COMPLETED)
            if ended.is_set():
                await send(CLOSE)
                return {"type": "websocket.disconnect", "code": CLOSE["code"]}
            message = await incoming
            incoming = None
            return message

        async def send_while_valid(message: Message) -> None:
            if not ended.is_set():
                await send(message)

        try:
            await self.app(scope, receive_while_valid, send_while_valid)
        finally:
            for task in (ending, watching, incoming):
                if task is not None:
                    task.cancel()
            self._open[token].discard(ended)
            if not self._open[token]:
                del self._open[token]

    async def _watch(self, token: str, identity: str, ended: asyncio.Event) -> None:
        """Set `ended` if another server ended the sign-in, or the store cannot be read."""
        while not ended.is_set():
            await asyncio.sleep(CHECK_SECONDS)
            try:
                if not await self._is_valid(token, identity):
                    ended.set()
            except InputError as error:
                log.warning("a page is closed until its sign-in can be checked: %s", error)
                ended.set()


def refuse_address(headers: Mapping[str, str]) -> str:
    """Return why the Host or Origin of a request is refused; empty if the request may pass."""
    host = headers.get("host", "")
    if not _is_known_host(host):
        return (
            f"The dashboard does not answer to the name {host[:80]!r}. Its administrator lists its "
            "names in the setting server.allowedHosts."
        )
    origin = headers.get("origin")
    if origin is None or _is_own(origin, host):
        return ""
    return (
        f"The dashboard does not answer to pages of {origin[:80]!r}. Its administrator lists other "
        "addresses of the dashboard in the setting server.corsAllowedOrigins."
    )


def comes_from_own_page(headers: Mapping[str, str]) -> bool:
    """Whether a request came from a page of the dashboard, or from a typed address.

    A foreign page can send any browser to an address, even with a picture. Browsers report this in
    a header. Without HTTPS and under another name than localhost, they at least report the origin.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    try:
        parts = urlsplit(headers.get("referer", ""))
    except ValueError:
        return False
    return _is_own(f"{parts.scheme}://{parts.netloc}", headers.get("host", ""))


def _is_own(origin: str, host: str) -> bool:
    """Whether an origin is an address of the dashboard."""
    own = (f"http://{host}".lower(), f"https://{host}".lower())
    return origin.lower() in own or origin in _listed("server.corsAllowedOrigins")


def identity_of(cookies: Mapping[str, str]) -> str:
    """Return the cookies of a person as one text; empty without such cookies."""
    return "\n".join(
        f"{name}={value}"
        for name, value in sorted(cookies.items())
        if value and IDENTITY.fullmatch(name)
    )


def _is_known_host(host: str) -> bool:
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises ValueError if the port is not a number
    except ValueError:
        return False
    if parts.netloc != host or parts.username is not None:
        return False
    name = (parts.hostname or "").rstrip(".")
    return any(
        name == known or known == "*" or (known.startswith("*.") and name.endswith(known[1:]))
        for known in (each.strip().lower().rstrip(".") for each in _listed("server.allowedHosts"))
    )


def _listed(option: str) -> list[str]:
    return list(st.get_option(option) or ())


def _path(scope: Scope) -> str:
    """The path below the setting server.baseUrlPath."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    path = str(scope["path"])
    return path[len(base) + 1 :] if base and path.startswith(f"/{base}/") else path


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _as_same_origin(scope: Scope, headers: Mapping[str, str]) -> Scope:
    """Return the request with the host of its page.

    Streamlit compares the two. If they differ, it asks the internet for its own address.
    """
    origin = headers.get("origin")
    if origin is None:
        return scope
    host = urlsplit(origin).netloc.encode("latin-1")
    rest = [(name, value) for name, value in scope["headers"] if name != b"host"]
    return {**scope, "headers": [(b"host", host), *rest]}


def _names_session(scope: Scope) -> bool:
    """Whether a WebSocket comes from a page that was open before: its third protocol says which."""
    return len(scope.get("subprotocols", ())) > 2


def _as_stranger(scope: Scope) -> Scope:
    """Return the request without the cookies of a person and without an earlier session.

    Streamlit would continue the earlier session with the person who was signed in there.
    """
    headers: list[tuple[bytes, bytes]] = []
    for name, value in scope["headers"]:
        if name == b"cookie":
            kept = (
                f"{cookie}={text}"
                for cookie, text in cookie_parser(value.decode("latin-1")).items()
                if not cookie.startswith("_streamlit_user")
            )
            value = "; ".join(kept).encode("latin-1")
        elif name == b"sec-websocket-protocol":
            value = b",".join(value.split(b",")[:2])
        headers.append((name, value))
    changed = {**scope, "headers": headers}
    if "subprotocols" in scope:
        changed["subprotocols"] = list(scope["subprotocols"])[:2]
    return changed


def _with_run(receive: Receive) -> Receive:
    """Add a message after the handshake that runs the page's script.

    A browser that returns after the end of its sign-in shows the old page and sends no such
    message. A page that is opened sends its own, which names the page.
    """
    n_received = 0

    async def receive_or_run() -> Message:
        nonlocal n_received
        n_received += 1
        if n_received == 2:
            return {"type": "websocket.receive", "bytes": RUN}
        return await receive()

    return receive_or_run


def _cookies_set(message: Message) -> dict[str, str]:
    """Return the cookies that an answer sets."""
    found: dict[str, str] = {}
    for name, value in message.get("headers", ()):
        if name.lower() == b"set-cookie":
            found.update(cookie_parser(value.decode("latin-1").split(";")[0]))
    return {name: value for name, value in found.items() if value}


def _changing(send: Send, change: Callable[[MutableHeaders], None]) -> Send:
    """Change the headers of an answer."""

    async def changed(message: Message) -> None:
        if message["type"] == "http.response.start":
            change(MutableHeaders(scope=message))
        await send(message)

    return changed


def _drop_token(headers: MutableHeaders) -> None:
    headers.append("set-cookie", f"{TOKEN}=; Path=/; Max-Age=0; HttpOnly; SameSite=lax")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, words: str) -> None:
    """Answer with a status and a sentence, or close the WebSocket."""
    if scope["type"] == "websocket":
        await receive()  # the handshake
        await send(CLOSE)
        return
    await PlainTextResponse(words, status)(scope, receive, send)
