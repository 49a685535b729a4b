"""A real server, asked by strangers: raw HTTP and WebSocket requests with foreign headers."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser.server import Server
from tests.browser.window import Window


def ask(server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


def shake_hands(server: Server, *, host: str, origin: str | None) -> int:
    """The status with which the server answers a WebSocket from somewhere."""
    address = urlsplit(server.url)
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection = http.client.HTTPConnection(address.netloc, timeout=20)
    connection.connect()
    assert connection.sock is not None
    connection.sock.sendall(
        (
            "GET /_stcore/stream HTTP/1.1\r\n" + lines + "Upgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        ).encode()
    )
    answer = connection.sock.recv(4096).decode("latin-1")
    connection.close()
    return int(answer.split()[1])


def test_a_foreign_name_gets_nothing(server: Server) -> None:
    for path in ("/", "/train", "/_stcore/health", "/_stcore/host-config", "/media/x.csv"):
        answer = ask(server, path, Host="evil.example")
        assert answer.status == 403
        assert "server.allowedHosts" in answer.read().decode()
    assert shake_hands(server, host="evil.example", origin="http://evil.example") == 403


def test_a_page_of_another_address_may_not_connect(server: Server) -> None:
    host = urlsplit(server.url).netloc
    for origin in ("http://evil.example", "http://localhost:1", "null"):
        assert shake_hands(server, host=host, origin=origin) == 403
        assert ask(server, "/_stcore/health", Origin=origin).status == 403
    assert shake_hands(server, host=host, origin=server.url) == 101
    assert ask(server, "/_stcore/health", Origin=server.url).status == 200


def test_refusing_many_strangers_keeps_nobody_waiting(server: Server) -> None:
    host = urlsplit(server.url).netloc
    for number in range(50):
        assert shake_hands(server, host=host, origin=f"http://evil{number}.example") == 403
    with connect(f"ws://{host}/_stcore/stream", origin=server.url, subprotocols=["streamlit"]):
        pass  # type: ignore[unused-ignore]
    with pytest.raises(InvalidStatus):
        connect(f"ws://{host}/_stcore/stream", origin="http://evil.example")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["/", "/train", "/_stcore/health", "/nowhere/at/all.css"])
def test_every_answer_carries_the_headers(server: Server, path: str) -> None:
    headers = ask(server, path).headers
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "default-src 'none'" in policy
    assert "unsafe-eval'" not in policy.replace("wasm-unsafe-eval'", "")
    assert "http" not in policy
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe-inline" not in scripts
    for name in ("Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"):
        assert headers[name] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_what_nobody_uses_is_closed(server: Server) -> None:
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json", "/_stcore/agent/interact"):
        assert ask(server, path).status == 404


def test_a_watchman_hears_how_the_server_is(server: Server) -> None:
    answer = ask(server, "/api/health")
    assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')


def test_another_page_cannot_frame_the_dashboard(window: Window, browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.set_content(f'<iframe src="{window.url}" width="900" height="600"></iframe>')
    frame = page.frames[1]
    frame.wait_for_load_state()
    assert frame.url.startswith("chrome-error:")
    assert frame.locator("[data-testid=stApp]").count() == 0
    page.context.close()
