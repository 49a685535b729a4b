"""An identity provider for tests: OpenID Connect on loopback, with people who need no password."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "optimal-trees", "not-a-secret"


@dataclass(frozen=True)
class Person:
    """Somebody whom the provider knows."""

    subject: str
    name: str
    email: str


ALICE = Person("a-1", "Alice *Ärztin* <b>", "alice@example.org")
BOB = Person("b-2", "Bob", "bob@example.org")
NOBODY = Person("", "nobody at all", "nobody@example.org")
PEOPLE = {person.subject: person for person in (ALICE, BOB, NOBODY)}


class Provider(ThreadingHTTPServer):
    """The provider, with its codes and the people they are for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key = RSAKey.generate_key(2048, {"kid": "test", "use": "sig", "alg": "RS256"})
        self.codes: dict[str, tuple[Person, str | None]] = {}

    @property
    def url(self) -> str:
        """Its issuer."""
        return f"http://localhost:{self.server_port}"

    def secrets_toml(self, dashboard: str) -> str:
        """The content of the dashboard's secrets.toml."""
        return (
            "[auth]\n"
            f'redirect_uri = "{dashboard}/oauth2callback"\n'
            f'cookie_secret = "{secrets.token_hex(32)}"\n'
            f'client_id = "{CLIENT}"\n'
            f'client_secret = "{SECRET}"\n'
            f'server_metadata_url = "{self.url}/.well-known/openid-configuration"\n'
        )


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """The provider's description, its keys, and the page where a person signs in."""
        address = urlparse(self.path)
        if address.path == "/.well-known/openid-configuration":
            self._send(self._description())
        elif address.path == "/jwks":
            self._send({"keys": [self.server.key.as_dict(private=False)]})
        elif address.path == "/authorize":
            self._choose(parse_qs(address.query))
        elif address.path == "/signed-in":
            self._let_in(parse_qs(address.query, keep_blank_values=True))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        """A code for a signed identity."""
        length = int(self.headers.get("Content-Length", 0))
        asked = parse_qs(self.rfile.read(length).decode())
        found = self.server.codes.pop(asked.get("code", [""])[0], None)
        if urlparse(self.path).path != "/token" or found is None:
            self.send_error(400)
            return
        person, nonce = found
        now = int(time.time())
        claims = {
            "iss": self.server.url,
            "sub": person.subject,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "name": person.name,
            "email": person.email,
        } | ({"nonce": nonce} if nonce else {})
        token = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.server.key)
        self._send({"access_token": "x", "token_type": "Bearer", "id_token": token})

    def _description(self) -> dict[str, Any]:
        url = self.server.url
        return {
            "issuer": url,
            "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token",
            "jwks_uri": f"{url}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def _choose(self, query: dict[str, list[str]]) -> None:
        """A page with a link for each person."""
        kept = {
            name: query[name][0] for name in ("redirect_uri", "state", "nonce") if name in query
        }
        addresses = {subject: urlencode({**kept, "as": subject}) for subject in PEOPLE}
        names = {subject: escape(subject or PEOPLE[subject].name) for subject in PEOPLE}
        links = "".join(
            f'<p><a href="/signed-in?{address}">{names[subject]}</a></p>'
            for subject, address in addresses.items()
        )
        self._reply(200, "text/html", f"<h1>Who are you?</h1>{links}".encode())

    def _let_in(self, query: dict[str, list[str]]) -> None:
        code = secrets.token_hex(8)
        self.server.codes[code] = (PEOPLE[query["as"][0]], query.get("nonce", [None])[0])
        answer = urlencode({"code": code, "state": query["state"][0]})
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri'][0]}?{answer}")
        self.end_headers()

    def _send(self, content: dict[str, Any]) -> None:
        self._reply(200, "application/json", json.dumps(content).encode())

    def _reply(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def run_provider() -> Iterator[Provider]:
    """A provider that lives as long as the context."""
    provider = Provider()
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        provider.shutdown()
        provider.server_close()
