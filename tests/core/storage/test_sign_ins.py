"""Sign-ins, which the server can end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from odt_core.storage import Store
from odt_core.storage.database import Database


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()


def test_a_token_is_valid_with_its_identity_until_it_is_ended(store: Store) -> None:
    token = store.sign_ins.begin("alice")
    assert store.sign_ins.is_valid(token, "alice")
    assert not store.sign_ins.is_valid(token, "bob")
    assert not store.sign_ins.is_valid("", "alice")
    store.sign_ins.end(token)
    assert not store.sign_ins.is_valid(token, "alice")
    store.sign_ins.end(token)


def test_each_sign_in_ends_by_itself(store: Store) -> None:
    first, second = store.sign_ins.begin("alice"), store.sign_ins.begin("alice")
    assert first != second and len(first) == 43
    store.sign_ins.end(first)
    assert store.sign_ins.is_valid(second, "alice")


def test_a_second_server_hears_of_an_end(open_store: Callable[..., Store]) -> None:
    here, there = open_store(), open_store("elsewhere")
    token = here.sign_ins.begin("alice")
    assert there.sign_ins.is_valid(token, "alice")
    there.sign_ins.end(token)
    assert not here.sign_ins.is_valid(token, "alice")


def test_after_a_month_it_is_over_and_the_row_goes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = datetime.now(UTC) + timedelta(days=30, minutes=1)
    token = store.sign_ins.begin("alice")
    monkeypatch.setattr(Database, "now", lambda *_: later)
    assert not store.sign_ins.is_valid(token, "alice")
    store.tidy()
    with store.database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM sign_ins")).scalar() == 0


def test_the_database_does_not_hold_the_token(store: Store) -> None:
    token = store.sign_ins.begin("alice")
    with store.database.read() as connection:
        row = connection.execute(text("SELECT token, identity FROM sign_ins")).one()
    assert token not in row and "alice" not in row
