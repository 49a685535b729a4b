"""Go on to the address that was asked for before signing in, which the sign-in forgets.

The browser's window remembers it, in its session storage, from the sign-in page until the person
is back.
"""

from __future__ import annotations

import streamlit as st

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
