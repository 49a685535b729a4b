"""Ids, tokens and words from outside may be any text, also such as a database does not take."""

from __future__ import annotations

import pytest

from odt_core.storage import NotFoundError, RunQuery, Store
from tests.core.storage.helpers import OWNER, queue_run

# Ids are hexadecimal digits, and a search looks in them, too: what has no NUL left must not be one.
ODD = ["", "\0", "x\0y", "\ud800", "x" * 1_000_000, "%", "_", "'; DROP TABLE runs; --", "\u202e"]


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:20]))
def test_odd_text_names_nothing_and_finds_nothing(store: Store, text: str) -> None:
    run = queue_run(store)
    for ask in (
        lambda: store.runs.get(OWNER, text),
        lambda: store.runs.summary(OWNER, text),
        lambda: store.studies.members(OWNER, text),
        lambda: store.datasets.get(OWNER, text),
        lambda: store.datasets.path(OWNER, text),
    ):
        with pytest.raises(NotFoundError):
            ask()
    assert store.runs.present(OWNER, [text, run.id]).keys() == {run.id}
    assert not store.sign_ins.is_valid(text, text)
    store.sign_ins.end(text)
    nothing_asked = not text.strip("\0")
    assert store.runs.list(OWNER, RunQuery(search=text)).total == nothing_asked
    assert store.runs.list(OWNER, RunQuery(search="zq " * 100_000)).total == 0
    assert store.runs.list(OWNER).total == 1
