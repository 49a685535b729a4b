"""The sign-in of the session's person, if people sign in (docs/people.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import streamlit as st

from pages.common.markup import plain, shorten
from pages.common.server import store
from pages.common.session import owner, sign_in_is_on
from pages.frame.gate import TOKEN, identity_of

_OWNER = "people_owner"


def name_of(claims: Mapping[str, Any]) -> str:
    """Return the person's name; plain text."""
    return str(claims.get("name") or claims.get("email") or claims.get("sub") or "")


def require_sign_in() -> None:
    """Continue the script only for the session's own person. For another person, start again."""
    if not sign_in_is_on():
        return
    if not is_signed_in():
        signed_out = _OWNER in st.session_state
        if signed_out:
            _forget_session()
        # the address of a person who signed out is not for the next person
        _draw_sign_in(remembers_address=not signed_out)
    mine = owner()
    if not mine:
        _draw_unusable()
    if st.session_state.get(_OWNER, mine) != mine:
        _forget_session()
    st.session_state[_OWNER] = mine


def is_signed_in() -> bool:
    """Whether the session's person has signed in and not signed out.

    Streamlit trusts the browser's cookie until it expires. The store knows whether the sign-in is
    still valid.
    """
    if not st.user.is_logged_in:
        return False
    cookies = st.context.cookies.to_dict()
    return store().sign_ins.is_valid(cookies.get(TOKEN, ""), identity_of(cookies))


def draw_account() -> None:
    """Draw the signed-in person's name and the sign-out button, if people sign in."""
    if not sign_in_is_on() or not is_signed_in():
        return
    _RETURN(key="returning_return", height=0)
    claims = st.user.to_dict()
    name, address = name_of(claims), str(claims.get("email") or "")
    with st.popover(plain(shorten(name, 24)), key="people_account"):
        st.markdown(f"Signed in as **{plain(shorten(name, 80))}**")
        if address and address != name:
            st.caption(plain(shorten(address, 120)))
        st.caption("Nobody else who signs in here sees your data sets and runs.")
        # a callback ends the sign-in before the script draws anything else
        st.button("Sign out", key="people_sign_out", width="stretch", on_click=st.logout)


def _forget_session() -> None:
    for key in list(st.session_state):
        del st.session_state[key]


def _draw_sign_in(*, remembers_address: bool) -> NoReturn:
    if remembers_address:
        _REMEMBER(key="returning_remember", height=0)
    _, middle, _ = st.columns([1, 2, 1])
    with middle, st.container(border=True, key="people_sign_in"):
        st.title("Optimal decision trees", anchor=False)
        st.markdown("Please sign in. Each person has separate data sets and runs.")
        for provider in _providers():
            label = "Sign in" if provider is None else f"Sign in with {plain(provider)}"
            if st.button(label, key=f"people_sign_in_{provider}", type="primary"):
                st.login() if provider is None else st.login(provider)
    st.stop()


def _providers() -> list[str | None]:
    """Names of the providers in secrets.toml; None for the provider without a name."""
    section = st.secrets["auth"]
    named: list[str | None] = [
        str(name) for name, value in section.items() if isinstance(value, Mapping)
    ]
    return ([None] if "client_id" in section else []) + named or [None]


def _draw_unusable() -> NoReturn:
    st.error("This sign-in gives no usable identity: sign in with another account.")
    st.button("Sign out", key="people_sign_out", on_click=st.logout)
    st.stop()


# On the sign-in page: store the address, if it has parameters.
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
# After the sign-in: go to the stored address.
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
