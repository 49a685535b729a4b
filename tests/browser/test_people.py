"""Two people who sign in with an identity provider: neither sees anything of the other's."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from odt_core.storage import LOCAL_OWNER, Store
from tests.browser.conftest import free_port, run_dashboard
from tests.browser.identity import ALICE, BOB, Person, Provider, run_provider
from tests.browser.test_runs import SOLVED
from tests.browser.window import BOTH_WIDTHS, SHOTS, Server, Window
from tests.runs import ward

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


@pytest.fixture
def arrive(ward_server: Server, provider: Provider, open_window: Opener) -> Callable[..., Window]:
    """Opens a window of its own, signed in as somebody."""

    def as_person(person: Person, **options: object) -> Window:
        window = open_window(at=ward_server, known=provider.url, **options)
        window.go()
        sign_in(window, person)
        return window

    return as_person


def sign_in(window: Window, person: Person) -> None:
    page = window.page
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=person.subject).click()
    page.wait_for_url(f"{window.url}/**")
    expect(account(page)).to_be_visible()
    window.settle()


def account(page: Page):  # type: ignore[no-untyped-def]
    return page.locator(".st-key-people_account").get_by_role("button").first


def train(window: Window, name: str) -> str:
    """Upload a table and train; the address that shows the tree."""
    page = window.page
    window.upload(name, ward())
    page.get_by_role("button", name="Choose the tree's shape").click()
    page.wait_for_url("**/train*")
    window.settle()
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator(".st-key-train_tree svg g.node").first.wait_for(timeout=SOLVED)
    page.wait_for_url("**/train?data=*&run=*")
    return page.url


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
    alice, bob = arrive(ALICE), arrive(BOB)
    expect(account(alice.page)).to_contain_text("Alice *Ärztin* <b>")
    address = train(alice, "alices-ward.csv")
    alice.shoot("signed-in")

    bob.page.goto(address)
    bob.settle()
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

    page.get_by_role("link", name="Data", exact=True).first.click()
    page.wait_for_url(re.compile(r"/(data)?$"))
    bob.settle()
    own = train(bob, "bobs-ward.csv")
    assert own.split("data=")[1].split("&")[0] == address.split("data=")[1].split("&")[0]
    assert own.split("run=")[1] != address.split("run=")[1]

    alice.page.reload()
    alice.settle()
    alice.page.locator(".st-key-train_tree svg g.node").first.wait_for()
    alice.page.get_by_role("link", name="Runs").first.click()
    alice.page.wait_for_url("**/runs*")
    expect(alice.page.get_by_text("1 run", exact=True)).to_be_visible()

    store = Store(folder=ward_server.data_dir)
    for person, name in ((ALICE, "alices-ward.csv"), (BOB, "bobs-ward.csv")):
        owned = store.datasets.list(f"{provider.url} {person.subject}")
        assert [(record.name, record.n_runs) for record in owned] == [(name, 1)]
    assert store.runs.list(LOCAL_OWNER).total == 0
    store.close()


def test_an_address_is_not_lost_by_signing_in(
    arrive: Callable[..., Window], ward_server: Server, provider: Provider, open_window: Opener
) -> None:
    address = train(arrive(ALICE), "alices-ward.csv")
    later = open_window(at=ward_server, known=provider.url)
    later.page.goto(address)
    later.settle()
    sign_in(later, ALICE)
    later.page.wait_for_url("**/train?data=*&run=*")
    later.page.locator(".st-key-train_tree svg g.node").first.wait_for()
    assert later.page.url == address


def test_signing_out_leaves_nothing_for_the_next(arrive: Callable[..., Window]) -> None:
    window = arrive(ALICE)
    page = window.page
    window.upload("left-behind.csv", ward(40))
    expect(page.get_by_text("left-behind.csv").first).to_be_visible()
    account(page).click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Please sign in")).to_be_visible()
    window.settle()
    sign_in(window, BOB)
    expect(page.get_by_text("left-behind.csv")).to_have_count(0)
    expect(account(page)).to_contain_text("Bob")


@pytest.mark.parametrize(("theme", "widths"), BOTH_WIDTHS)
def test_pictures(arrive: Callable[..., Window], theme: str, widths: tuple[int, int]) -> None:
    window = arrive(BOB, theme=theme, width=widths[0])
    account(window.page).click()
    for width in widths:
        window.widen(width)
        expect(window.page.get_by_role("button", name="Sign out")).to_be_visible()
        window.page.screenshot(path=SHOTS / f"account-{theme}-{width}.png")
