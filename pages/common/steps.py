"""One press of the browser's Back button for one step of the navigation.

A link of the navigation leads to a bare address, and what is current is added to it only when the
page has run. Streamlit makes a step of the browser's history of each; here the second takes the
place of the first.
"""

from __future__ import annotations

import streamlit as st

_JOIN = st.components.v2.component(
    "odt_join_steps",
    html="<span></span>",
    js="""
export default function () {
  if (history.odtJoinsSteps) return
  history.odtJoinsSteps = true
  const push = history.pushState.bind(history)
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href)
    const completes = !location.search && next.pathname === location.pathname
    if (completes) history.replaceState(state, title, url)
    else push(state, title, url)
  }
}
""",
)


def join_steps() -> None:
    """Once on each page, where an element without height does not show."""
    _JOIN(key="steps_join", height=0)
