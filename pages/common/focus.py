"""The keyboard's focus is not lost with what had it.

A browser gives the focus of an element that goes away, or is disabled, to the whole page: who
works with the keyboard would begin at its top again. Here it comes back to the same control as
soon as that can be used. If the control is gone for good, the heading above its place gets the
focus. On another page the page's title gets it.
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
  let place = null, path = "", above = ""
  const keyOf = (element) => [...(element.closest("[class*=st-key-]")?.classList ?? [])]
    .find((name) => name.startsWith("st-key-"))
  document.addEventListener("focusin", (event) => {
    place = keyOf(event.target)
    path = location.pathname
    above = [...document.querySelectorAll("h1, h2, h3")].filter((heading) =>
      heading.compareDocumentPosition(event.target) & Node.DOCUMENT_POSITION_FOLLOWING
    ).pop()?.textContent
  })
  // who presses on nothing wants the focus nowhere
  document.addEventListener("pointerdown", () => { place = null }, { capture: true })
  const focusOn = (heading) => {
    if (!heading) return
    heading.tabIndex = -1
    heading.style.outline = "none"
    heading.focus({ preventScroll: true })
    place = null
  }
  const isDrawn = () => document.querySelector("[data-test-script-state=notRunning]")
  const bringBack = () => {
    if (!place || document.activeElement !== document.body) return
    if (location.pathname !== path) {
      focusOn(document.querySelector("[data-stale=false] h1"))
    } else {
      const control = "button, input, textarea, select, [tabindex]"
      const found = [...document.querySelectorAll(`.${CSS.escape(place)} :is(${control})`)]
      found.find((each) => !each.disabled)?.focus({ preventScroll: true })
      if (found.length || !isDrawn()) return
      const headings = [...document.querySelectorAll("h1, h2, h3")]
      focusOn(headings.find((each) => each.textContent === above) ?? headings[0])
    }
  }
  // what Tab leaves changes before the next control has the focus, so that is waited for
  new MutationObserver(() => setTimeout(bringBack)).observe(document.body, {
    subtree: true, childList: true, attributes: true,
    attributeFilter: ["disabled", "data-stale", "data-test-script-state"],
  })
}
""",
)


def keep_focus() -> None:
    """Once on each page, where an element without height does not show."""
    _KEEP(key="focus_keep", height=0)
