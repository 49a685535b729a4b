"""Two people who sign in with an identity provider: neither sees anything of the other's."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from odt_core.storage import LOCAL_OWNER, Store
from pages.frame.gate import TOKEN
from tests.browser.identity import ALICE, BOB, NOBODY, Person, Provider, run_provider
from tests.browser.people import account, cookies_of, sign_in, status
from tests.browser.server import Server, run_dashboard
from tests.browser.window import LOOKS, Look, Window
from tests.ports import free_port
from tests.runs import Maker

Opener = Callable[..., Window]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with run_provider() as running:
        yield running


@pytest.fixture(scope="module")
def ward_server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A dashboard with ``[auth]`` in its secrets."""
    folder, port = tmp_path_factory.mktemp("people"), free_port()
    secrets = folder / "secrets.toml"
    secrets.write_text(provider.secrets_toml(f"http://localhost:{port}"))
    secrets.chmod(stat.S_IRUSR)
    with run_dashboard(folder, port=port, STREAMLIT_SECRETS_FILES=str(secrets)) as server:
        yield server


@pytest.fixture(scope="module")
def signed_in() -> dict[Person, Any]:
    """The cookies of people whose sign-in no test ends."""
    return {}


@pytest.fixture
def arrive(
    ward_server: Server, provider: Provider, open_window: Opener, signed_in: dict[Person, Any]
) -> Callable[..., Window]:
    """Opens a page in a window of its own, signed in; `anew` if the test ends the sign-in."""

    def as_person(
        person: Person, path: str = "", *, anew: bool = False, **options: object
    ) -> Window:
        window = open_window(at=ward_server, known=provider.url, **options)
        context = window.page.context
        if not anew and person in signed_in:
            context.add_cookies(signed_in[person])
            window.go(path)
            expect(account(window.page)).to_be_visible()
            return window
        window.go(path)
        page = path.partition("?")[0]  # the address of what is another person's does not stay
        sign_in(window, person, f"{window.url}/{page}*" if page else "")
        if not anew:
            signed_in[person] = context.cookies()
        return window

    return as_person


@pytest.fixture
def cookies(
    arrive: Callable[..., Window], signed_in: dict[Person, Any]
) -> Callable[[Person], list[Any]]:
    """The cookies of somebody who is signed in."""

    def of(person: Person) -> list[Any]:
        if person not in signed_in:
            arrive(person)
        return list(signed_in[person])

    return of


def trained_by(person: Person, server: Server, provider: Provider, name: str) -> str:
    """The address, on the server, of a tree that a person trained before."""
    store = Store(folder=server.data_dir)
    run = Maker(store, f"{provider.url} {person.subject}", name=name).done()
    store.close()
    return f"train?data={run.dataset}&run={run.id}"


def see_tree(window: Window) -> None:
    window.page.locator(".st-key-train_tree svg g.node:visible").first.wait_for()


def test_nobody_sees_anything_before_signing_in(
    ward_server: Server, provider: Provider, open_window: Opener
) -> None:
    window = open_window(at=ward_server, known=provider.url)
    for path in ("", "runs", "train"):
        window.go(path)
        page = window.page
        expect(page.get_by_text("Please sign in")).to_be_visible()
        expect(page.get_by_role("link", name="Runs")).to_have_count(0)
        expect(page.get_by_text("Upload")).to_have_count(0)
    window.shoot("sign-in")


def test_two_people_see_their_own_only_even_by_address(
    arrive: Callable[..., Window], ward_server: Server, provider: Provider
) -> None:
    address = trained_by(ALICE, ward_server, provider, "alices-ward.csv")
    alice = arrive(ALICE, address)
    expect(account(alice.page)).to_contain_text("Alice *Ärztin* <b>")
    see_tree(alice)
    alice.shoot("signed-in")

    bob = arrive(BOB, address)
    page = bob.page
    expect(page.get_by_text(re.compile("There is no such run here"))).to_be_visible()
    expect(page.get_by_text("alices-ward.csv")).to_have_count(0)
    expect(page.locator(".st-key-train_tree")).to_have_count(0)
    bob.shoot("not-yours")
    page.get_by_role("link", name="See your runs").click()
    page.wait_for_url("**/runs*")
    expect(page.get_by_text("No runs yet")).to_be_visible()
    page.get_by_role("button", name="Stored data").click()
    expect(page.get_by_text("No data set is stored.")).to_be_visible()
    page.keyboard.press("Escape")

    own = trained_by(BOB, ward_server, provider, "bobs-ward.csv")
    assert own.split("data=")[1].split("&")[0] == address.split("data=")[1].split("&")[0]
    assert own.split("run=")[1] != address.split("run=")[1]

    alice.page.get_by_role("link", name="Runs").first.click()
    alice.page.wait_for_url("**/runs*")
    expect(alice.page.get_by_text("1 run", exact=True)).to_be_visible()

    store = Store(folder=ward_server.data_dir)
    for person, name in ((ALICE, "alices-ward.csv"), (BOB, "bobs-ward.csv")):
        owned = store.datasets.list(f"{provider.url} {person.subject}")
        assert [(record.name, record.n_runs) for record in owned] == [(name, 1)]
    assert store.runs.list(LOCAL_OWNER).total == 0
    store.close()


def test_signing_in_keeps_the_address_and_signing_out_leaves_nothing_for_the_next(
    ward_server: Server, provider: Provider, open_window: Opener
) -> None:
    name = "left-behind.csv"
    address = f"{ward_server.url}/{trained_by(ALICE, ward_server, provider, name)}"
    window = open_window(at=ward_server, known=provider.url)
    page = window.page
    page.goto(address)
    window.settle()
    sign_in(window, ALICE, address)
    see_tree(window)
    assert page.url == address
    expect(page.get_by_text(name).first).to_be_visible()
    account(page).click()
    network = page.context.new_cdp_session(page)
    limits = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    # the old page asks to sign in before a slow network brings the new page
    network.send("Network.emulateNetworkConditions", {**limits, "latency": 1000})
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{window.url}/")
    expect(page.get_by_text("Please sign in")).to_be_visible()
    network.send("Network.emulateNetworkConditions", {**limits, "latency": 0})
    window.settle()
    assert page.evaluate("sessionStorage.length") == 0
    sign_in(window, BOB)
    expect(page.get_by_text(name)).to_have_count(0)
    expect(account(page)).to_contain_text("Bob")


@pytest.mark.parametrize("look", LOOKS)
def test_it_looks_right(arrive: Callable[..., Window], look: Look) -> None:
    window = arrive(BOB)
    account(window.page).click()
    for theme, width in look:
        window.dress(theme, width)
        expect(window.page.get_by_role("button", name="Sign out")).to_be_visible()
        window.shoot(f"account-{theme}-{width}", whole=False)


def test_signing_out_ends_every_tab_every_copied_cookie_and_every_open_connection(
    arrive: Callable[..., Window], ward_server: Server, provider: Provider, open_window: Opener
) -> None:
    window = arrive(ALICE, anew=True)
    first = window.page
    second = first.context.new_page()
    second.goto(window.url)
    expect(account(second)).to_be_visible()
    thief = open_window(at=ward_server, known=provider.url)
    thief.page.context.add_cookies(first.context.cookies())  # type: ignore[arg-type]
    thief.go()
    expect(account(thief.page)).to_be_visible()  # before Alice signs out, the copy works

    address = ward_server.url.replace("http", "ws") + "/_stcore/stream"
    stolen = {"Cookie": cookies_of(window)}
    origin = Origin(ward_server.url)
    with connect(address, origin=origin, additional_headers=stolen) as connection:
        account(first).click()
        out = first.get_by_role("button", name="Sign out")
        expect(out).to_be_visible()
        window.settle()
        out.click()
        for page in (first, second, thief.page):
            expect(page.get_by_text("Please sign in")).to_be_visible()
        with pytest.raises(ConnectionClosed):
            while True:
                connection.recv(timeout=20)
    thief.go("runs")
    expect(thief.page.get_by_text("Please sign in")).to_be_visible()


def test_a_foreign_page_signs_nobody_out(
    arrive: Callable[..., Window], ward_server: Server, provider: Provider
) -> None:
    window = arrive(ALICE)
    out = f"{ward_server.url}/auth/logout"
    foreign = window.page.context.new_page()
    foreign.goto(f"{provider.url}/jwks")  # on another port: the browser sends all cookies along
    with foreign.expect_event("requestfailed", lambda asked: asked.url == out):
        foreign.evaluate("out => { new Image().src = out }", out)
    with foreign.expect_response(out) as answer:
        foreign.evaluate("out => { location.href = out }", out)
    assert answer.value.status == 403
    assert status(out, cookies_of(window)) == 403
    window.page.reload()
    expect(account(window.page)).to_be_visible()
    window.errors[:] = [error for error in window.errors if "403" not in error]


def test_a_token_opens_nothing_with_another_persons_cookie(
    cookies: Callable[[Person], list[Any]],
    ward_server: Server,
    provider: Provider,
    open_window: Opener,
) -> None:
    bobs = [each for each in cookies(BOB) if each["name"] == TOKEN]
    alices = [each for each in cookies(ALICE) if each["name"] != TOKEN]
    mixed = open_window(at=ward_server, known=provider.url)
    mixed.page.context.add_cookies(alices + bobs)
    mixed.go()
    expect(mixed.page.get_by_text("Please sign in")).to_be_visible()


def test_downloads_and_uploads_need_the_sign_in(
    arrive: Callable[..., Window], ward_server: Server
) -> None:
    window = arrive(BOB)
    cookies = cookies_of(window)
    for path in ("/media/0123456789abcdef.csv", "/_stcore/upload_file/x/y"):
        assert status(f"{ward_server.url}{path}") == 403
        assert status(f"{ward_server.url}{path}", "odt_sign_in=x; _streamlit_user=y") == 403
        assert status(f"{ward_server.url}{path}", cookies) != 403
    assert status(f"{ward_server.url}/_stcore/metrics", cookies) == 404


def test_a_sign_in_without_a_subject_is_refused_in_words(
    ward_server: Server, provider: Provider, open_window: Opener
) -> None:
    window = open_window(at=ward_server, known=provider.url)
    window.go()
    page = window.page
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=NOBODY.name).click()
    page.wait_for_url(f"{window.url}/**")
    expect(page.get_by_text("no usable identity")).to_be_visible()
    expect(page.get_by_role("link", name="Runs")).to_have_count(0)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Please sign in")).to_be_visible()
