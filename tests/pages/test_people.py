"""The person of a session, as far as a test without a browser can see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton
from streamlit.testing.v1 import AppTest

from odt_core.storage import LOCAL_OWNER
from odt_core.storage.text import check_owner
from pages.common.session import LONGEST, owner, owner_of, sign_in_is_on
from pages.frame.sign_in import name_of

SecretsFile = Callable[[str | None], None]


@pytest.fixture
def secrets_file(tmp_path: Path) -> Iterator[SecretsFile]:
    """Writes the only secrets.toml that is looked at, or takes it away."""
    # Streamlit reads secrets once, and has no public way to read them again.
    before = config.get_option("secrets.files")
    file = tmp_path / "secrets.toml"

    def write(text: str | None) -> None:
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text)
        secrets_singleton._reset()
        config.set_option("secrets.files", [str(file)])

    yield write
    config.set_option("secrets.files", before)
    secrets_singleton._reset()


@pytest.mark.parametrize("text", [None, "", "[database]\nuser = 'x'\n"])
def test_without_auth_there_is_one_owner(secrets_file: SecretsFile, text: str | None) -> None:
    secrets_file(text)
    assert not sign_in_is_on()
    assert owner() == LOCAL_OWNER


def test_with_auth_people_must_sign_in(secrets_file: SecretsFile) -> None:
    secrets_file("[auth]\nclient_id = 'x'\n")
    assert sign_in_is_on()


def test_secrets_that_cannot_be_read_do_not_open_the_door(
    secrets_file: SecretsFile, app: AppTest
) -> None:
    secrets_file("[auth\nclient_id = 'x'\n")
    with pytest.raises(FileNotFoundError):
        sign_in_is_on()
    app.run()
    assert app.exception
    assert not app.title and not app.button and not app.file_uploader


def test_a_person_is_issuer_and_subject() -> None:
    claims = {"iss": "https://id.example", "sub": "42", "email": "a@example.org", "name": "A"}
    assert owner_of(claims) == "https://id.example 42"
    assert owner_of({**claims, "email": "b@example.org", "name": "B"}) == owner_of(claims)
    assert owner_of({**claims, "iss": "https://other.example"}) != owner_of(claims)
    assert name_of(claims) == "A" and name_of({"sub": "42"}) == "42"


@pytest.mark.parametrize("claims", [{}, {"sub": "42"}, {"iss": "x"}, {"iss": "x", "sub": ""}])
def test_without_both_nobody_is_known(claims: dict[str, str]) -> None:
    assert owner_of(claims) == ""


@pytest.mark.parametrize("subject", ["  ", "a\0b", "line\nbreak", 42, None, ["a"], {"a": 1}, True])
def test_an_odd_subject_names_nobody(subject: object) -> None:
    assert owner_of({"iss": "https://id.example", "sub": subject}) == ""
    assert owner_of({"iss": subject, "sub": "42"}) == ""


def test_a_long_subject_makes_a_usable_owner() -> None:
    found = owner_of({"iss": "https://id.example", "sub": "x" * 300})
    assert check_owner(found) == found and len(found) <= LONGEST
    assert found != owner_of({"iss": "https://id.example", "sub": "x" * 300 + "y"})
