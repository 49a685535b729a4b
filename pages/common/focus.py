"""The keyboard's focus is not lost with what had it.

A browser gives the focus of an element that goes away, or is disabled, to the whole page: who
works with the keyboard would begin at its top again. Here it comes back to the same control as
soon as that can be used, and on another page it goes to the page's title.
"""

from __future__ import annotations

import streamlit as st

_KEEP = st.components.v2.component(
    "odt_keep_focus",
    html="<span></span>",
    js="""
export default function () {
  if (window.odtKeepsFocus) return
  window.odtKeepsFocus = true
  let place = null, path = ""
  const keyOf = (element) => [...(element.closest("[class*=st-key-]")?.classList ?? [])]
    .find((name) => name.startsWith("st-key-"))
  document.addEventListener("focusin", (event) => {
    place = keyOf(event.target)
    path = location.pathname
  })
  // who presses on nothing wants the focus nowhere
  document.addEventListener("pointerdown", () => { place = null }, { capture: true })
  const bringBack = () => {
    if (!place || document.activeElement !== document.body) return
    if (location.pathname !== path) {
      const title = document.querySelector("[data-stale=false] h1")
      if (!title) return
      title.tabIndex = -1
      title.style.outline = "none"
      title.focus({ preventScroll: true })
      place = null
    } else {
      const control = "button, input, textarea, select, [tabindex]"
      const found = [...document.querySelectorAll(`.${CSS.escape(place)} :is(${control})`)]
      found.find((each) => !each.disabled)?.focus({ preventScroll: true })
    }
  }
  // what Tab leaves changes before the next control has the focus, so that is waited for
  new MutationObserver(() => setTimeout(bringBack)).observe(document.body, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["disabled", "data-stale"],
  })
}
""",
)


def keep_focus() -> None:
    """Once on each page, where an element without height does not show."""
    _KEEP(key="focus_keep", height=0)
