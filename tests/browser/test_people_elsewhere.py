"""People sign in at a dashboard below a path, whose database goes away and comes back."""

from __future__ import annotations

import re
import stat
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from odt_core.storage import LOCAL_OWNER, Store
from tests.browser.identity import ALICE, BOB, Provider, run_provider
from tests.browser.people import account, cookies_of, sign_in, status, train
from tests.browser.server import Server, run_dashboard
from tests.browser.window import Window
from tests.core.storage.postgres import PostgresServer
from tests.ports import free_port

BELOW = "/trees"
MODEL = b'"odt-model"'


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with run_provider() as running:
        yield running


@pytest.fixture(scope="module")
def below(
    provider: Provider, postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A dashboard below a path, with its store in PostgreSQL."""
    folder, port = tmp_path_factory.mktemp("below"), free_port()
    secrets = folder / "secrets.toml"
    secrets.write_text(provider.secrets_toml(f"http://localhost:{port}{BELOW}"))
    secrets.chmod(stat.S_IRUSR)
    postgres.execute("CREATE DATABASE below")
    with run_dashboard(
        folder,
        port=port,
        below=BELOW,
        STREAMLIT_SECRETS_FILES=str(secrets),
        ODT_DATABASE_URL=postgres.url("below"),
    ) as server:
        yield server


@pytest.fixture
def arrive(
    below: Server, provider: Provider, open_window: Callable[..., Window]
) -> Callable[[], Window]:
    """Opens a window that shows the dashboard."""

    def as_anybody() -> Window:
        window = open_window(at=below, known=provider.url)
        window.go()
        return window

    return as_anybody


def content(address: str, cookies: str = "") -> bytes:
    """The body of the server's answer, also of an error."""
    asked = urllib.request.Request(address, headers={"Cookie": cookies})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        return error.read()


def test_below_a_path_the_gate_closes_what_it_closes_elsewhere(
    arrive: Callable[[], Window], below: Server, provider: Provider, postgres: PostgresServer
) -> None:
    window = arrive()
    sign_in(window, ALICE)
    assert f"{BELOW}/train?data=" in train(window, "alices-ward.csv")
    store = Store(postgres.url("below"), below.data_dir)
    (stored,) = store.datasets.list(f"{provider.url} {ALICE.subject}")
    assert (stored.name, stored.n_runs) == ("alices-ward.csv", 1)
    assert store.runs.list(LOCAL_OWNER).total == 0
    store.close()
    cookies, root = cookies_of(window), below.url.removesuffix(BELOW)
    window.page.get_by_role("button", name="Download").click()
    with window.page.expect_download() as download:
        window.page.get_by_role("button", name="Model (JSON)").click()
    path = download.value.url.removeprefix(below.url)
    assert path.startswith("/media/") and MODEL in content(f"{below.url}{path}", cookies)
    for before in ("", "/", "/.", "/x/..", "//", f"/..{BELOW}"):
        assert MODEL not in content(f"{below.url}{before}{path}"), before
        assert MODEL not in content(f"{root}{before}{path}"), before
    assert MODEL not in content(f"{below.url}/%6dedia{path.removeprefix('/media')}")
    assert status(f"{below.url}/_stcore/upload_file/x/y") == 403
    for path in ("/_stcore/metrics", "/%5fstcore/metrics", "/_stcore/agent/x"):
        assert status(f"{below.url}{path}", cookies) == 404
    assert b"<title>" in content(f"{below.url}//_stcore/metrics", cookies)  # the page, as always
    assert status(f"{below.url}/auth/logout", cookies) == 403
    account(window.page).click()
    window.settle()
    window.page.get_by_role("button", name="Sign out").click()
    expect(window.page.get_by_text("Please sign in")).to_be_visible()
    assert status(f"{below.url}/media/0123456789abcdef.csv", cookies) == 403


def test_while_the_database_is_away_nobody_comes_in_and_pages_say_why(
    arrive: Callable[[], Window], below: Server, postgres: PostgresServer
) -> None:
    window = arrive()
    page, context = window.page, window.page.context
    sign_in(window, BOB)
    signed_in, cookies = context.cookies(), cookies_of(window)
    context.clear_cookies()
    window.go()
    postgres.stop()
    try:
        for path in ("", "/media/0123456789abcdef.csv", "/_stcore/upload_file/x/y"):
            assert status(f"{below.url}{path}", cookies) == 503
        assert b"cannot be reached" in content(below.url, cookies)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name=BOB.subject).click()
        expect(page.get_by_text(re.compile("cannot be reached"))).to_be_visible()
        assert postgres.password not in page.content()
        assert postgres.password.encode() not in content(below.url, cookies)
    finally:
        postgres.start()
    window.errors.clear()  # a page that is refused says so on the console
    window.go()
    sign_in(window, BOB)
    context.clear_cookies()
    context.add_cookies(signed_in)  # type: ignore[arg-type]
    window.go()
    expect(account(page)).to_be_visible()
