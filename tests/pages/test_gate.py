"""Which requests the gate lets in, judged by their headers alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit import config

from pages.common.gate import identity_of, refuse_address

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
     "http://127.0.0.1:8501", "http://localhost:8501.evil.example", "http://a@localhost:8501"],
)  # fmt: skip
def test_pages_of_other_addresses_are_refused_in_words(origin: str) -> None:
    assert "server.corsAllowedOrigins" in refuse_address({"host": HERE, "origin": origin})


def test_the_identity_is_in_every_piece_of_the_cookie() -> None:
    pieces = {"_streamlit_user": "2", "_streamlit_user_1": "a", "_streamlit_user_2": "b"}
    others = {"_streamlit_user_tokens": "t", "theme": "dark"}
    assert identity_of(pieces | others) == identity_of(pieces)
    assert identity_of(pieces | {"_streamlit_user_2": "c"}) != identity_of(pieces)
    assert identity_of(others) == "" == identity_of({"_streamlit_user": ""})
