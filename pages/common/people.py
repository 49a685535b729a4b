"""Who is at the other end: one person on this machine, or people who have signed in.

Without an ``[auth]`` section in secrets.toml there is one owner of everything. With one, nobody
sees anything before signing in, and then only their own: see docs/people.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

from odt_core.storage import LOCAL_OWNER
from pages.common.gate import TOKEN, identity_of
from pages.common.server import store
from pages.common.text import plain, shorten

_OWNER = "people_owner"
LONGEST = 255
"""Characters of an owner's id that the store takes."""


def sign_in_is_on() -> bool:
    """Whether people must sign in.

    A secrets.toml that is there but cannot be read raises: it may well hold an ``[auth]`` section,
    and everybody's runs would lie open if it were taken for none.
    """
    if not any(Path(path).exists() for path in st.get_option("secrets.files")):
        return False
    return "auth" in st.secrets


def owner() -> str:
    """The id of the person whose session this is, as the store knows it."""
    return owner_of(st.user.to_dict()) if sign_in_is_on() else LOCAL_OWNER


def owner_of(claims: Mapping[str, Any]) -> str:
    """The id of the person whom a sign-in names: issuer and subject, which never change.

    An address or a name may change hands. Without an issuer and a subject that are printable
    text, nobody is known: the answer is empty.
    """
    issuer, subject = claims.get("iss"), claims.get("sub")
    for claim in (issuer, subject):
        if not isinstance(claim, str) or not claim.strip() or not claim.isprintable():
            return ""
    found = f"{issuer} {subject}"
    if len(found) <= LONGEST:
        return found
    return f"sha256 {hashlib.sha256(found.encode('utf-8', 'replace')).hexdigest()}"


def name_of(claims: Mapping[str, Any]) -> str:
    """What to call the person: plain text."""
    return str(claims.get("name") or claims.get("email") or claims.get("sub") or "")


def require_sign_in() -> None:
    """Let the script go on only for a person whose session this is.

    A session that changes hands, however that came about, begins anew.
    """
    if not sign_in_is_on():
        return
    if not is_signed_in():
        if _OWNER in st.session_state:
            _forget_session()
        _draw_sign_in()
    mine = owner()
    if not mine:
        _draw_unusable()
    if st.session_state.get(_OWNER, mine) != mine:
        _forget_session()
    st.session_state[_OWNER] = mine


def is_signed_in() -> bool:
    """Whether the person of this session has signed in, and not signed out since.

    Streamlit keeps who signed in for as long as the browser's cookie is good; the store knows
    whether that still holds.
    """
    if not st.user.is_logged_in:
        return False
    cookies = st.context.cookies.to_dict()
    return store().sign_ins.is_valid(cookies.get(TOKEN, ""), identity_of(cookies))


def draw_account() -> None:
    """The signed-in person's name, with the way out; nothing where nobody signs in."""
    if not sign_in_is_on() or not is_signed_in():
        return
    return_to_address()
    claims = st.user.to_dict()
    name, address = name_of(claims), str(claims.get("email") or "")
    with st.popover(plain(shorten(name, 24)), key="people_account"):
        st.markdown(f"Signed in as **{plain(shorten(name, 80))}**")
        if address and address != name:
            st.caption(plain(shorten(address, 120)))
        st.caption("Your data sets and runs are seen by nobody else who signs in here.")
        # before the script, whose end another question of the page may not await
        st.button("Sign out", key="people_sign_out", width="stretch", on_click=st.logout)


def _forget_session() -> None:
    for key in list(st.session_state):
        del st.session_state[key]


def _draw_sign_in() -> NoReturn:
    remember_address()
    _, middle, _ = st.columns([1, 2, 1])
    with middle, st.container(border=True, key="people_sign_in"):
        st.title("Optimal decision trees", anchor=False)
        st.markdown("Please sign in: data sets and runs are kept apart for each person.")
        for provider in _providers():
            label = "Sign in" if provider is None else f"Sign in with {plain(provider)}"
            if st.button(label, key=f"people_sign_in_{provider}", type="primary"):
                st.login() if provider is None else st.login(provider)
    st.stop()


def _providers() -> list[str | None]:
    """Names of the providers in secrets.toml; None for the one without a name."""
    section = st.secrets["auth"]
    named: list[str | None] = [
        str(name) for name, value in section.items() if isinstance(value, Mapping)
    ]
    return ([None] if "client_id" in section else []) + named or [None]


def _draw_unusable() -> NoReturn:
    st.error("This sign-in gives no usable identity: sign in in another way.")
    st.button("Sign out", key="people_sign_out", on_click=st.logout)
    st.stop()


_REMEMBER = st.components.v2.component(
    "odt_remember_address",
    html="<span></span>",
    js="""
export default function () {
  if (location.search) {
    sessionStorage.setItem("odt_address", location.pathname + location.search)
  }
}
""",
)
_RETURN = st.components.v2.component(
    "odt_return_to_address",
    html="<span></span>",
    js="""
export default function () {
  const asked = sessionStorage.getItem("odt_address")
  sessionStorage.removeItem("odt_address")
  if (asked && !location.search) location.replace(asked)
}
""",
)


def remember_address() -> None:
    """On the sign-in page: keep the address, if it names anything."""
    _REMEMBER(key="returning_remember", height=0)


def return_to_address() -> None:
    """Once signed in: go where the person wanted to go."""
    _RETURN(key="returning_return", height=0)
