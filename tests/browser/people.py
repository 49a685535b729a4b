"""What people do in browser tests: they sign in and train, and a thief copies their cookies."""

from __future__ import annotations

import urllib.error
import urllib.request

from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import SOLVED
from tests.browser.identity import Person
from tests.browser.window import Window
from tests.runs import ward


def sign_in(window: Window, person: Person, address: str = "") -> None:
    """Sign in, and wait for the page at this address or, without one, for the first page."""
    page = window.page
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=person.subject).click()
    page.wait_for_url(address or f"{window.url}/")
    expect(account(page)).to_be_visible()
    window.settle()


def account(page: Page) -> Locator:
    return page.locator(".st-key-people_account").get_by_role("button").first


def train(window: Window, name: str) -> str:
    """Upload a table and train; the address that shows the tree."""
    page = window.page
    window.upload(name, ward())
    page.get_by_role("button", name="Choose the tree's shape").click()
    page.wait_for_url("**/train*")
    window.settle()
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator(".st-key-train_tree svg g.node:visible").first.wait_for(timeout=SOLVED)
    page.wait_for_url("**/train?data=*&run=*")
    # the page is drawn once more when CBC has confirmed the tree, and closes what is open
    expect(page.get_by_role("button", name="Download")).to_be_visible(timeout=SOLVED)
    window.until_still()
    return page.url


def cookies_of(window: Window) -> str:
    """The window's cookies, as a thief would copy them."""
    found = window.page.context.cookies()
    return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in found)


def status(address: str, cookies: str = "") -> int:
    asked = urllib.request.Request(address, headers={"Cookie": cookies} if cookies else {})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
