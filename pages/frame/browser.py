"""Scripts in the browser: focus, history, menu, and drawings for screen readers.

Only Streamlit's own attributes say whether a part is old and whether the script still runs.
"""

from __future__ import annotations

import streamlit as st

# A link changes the path, and then the page writes its parameters. Streamlit pushes a step onto the
# browser's history for each and has no option to replace one. Without `joinSteps`, Back would need
# two clicks. In a narrow window the navigation is a menu over the page. Streamlit leaves it open
# when a page is chosen, also on the new page, and has no option to close it.
_HELP = st.components.v2.component(
    "odt_help_browser",
    html="<span></span>",
    js="""
function keepFocus() {
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
  // a click on an empty place removes the focus on purpose
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
  // on Tab, the old control changes before the next control has the focus, so wait for it
  new MutationObserver(() => setTimeout(bringBack)).observe(document.body, {
    subtree: true, childList: true, attributes: true,
    attributeFilter: ["disabled", "data-stale", "data-test-script-state"],
  })
}

function joinSteps() {
  const push = history.pushState.bind(history)
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href)
    const completes = !location.search && next.pathname === location.pathname
    if (completes) history.replaceState(state, title, url)
    else push(state, title, url)
  }
}

function closeMenu({ target }) {
  if (!target.closest("[data-testid=stSidebarNavLink]")) return
  document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click()
}

export default function () {
  if (window.odtHelps) return
  window.odtHelps = true
  keepFocus()
  joinSteps()
  document.addEventListener("click", closeMenu)
}
""",
)


def help_browser() -> None:
    """Keep the focus when the page is drawn again, and mend the history and the narrow menu.

    Each change of the address becomes one step of the history. The menu of a narrow window closes
    when a page is chosen. Call it once on each page.
    """
    _HELP(key="browser_help", height=0)


# Graphviz names the parts of a drawing n0 and n1, and puts their texts where only some screen
# readers find them. The viewer has no option for this, so the script changes the finished drawing.
_READER = st.components.v2.component(
    "odt_drawing_reader",
    html="<span></span>",
    js="""
const PARTS = ".stGraphVizChart g.node"
const XLINK = "http://www.w3.org/1999/xlink"

function name(part) {
  const link = part.querySelector("a")
  const words = link && link.getAttributeNS(XLINK, "title")
  if (!words) return false
  // the viewer attaches its data to this text node, and needs them to draw the next tree
  part.querySelector("title").firstChild.nodeValue = words
  link.removeAttributeNS(XLINK, "title")
  return words
}

function prepare(page) {
  for (const part of page.querySelectorAll(".stGraphVizChart g.edge, .stGraphVizChart g.graph"))
    name(part)
  for (const part of page.querySelectorAll(PARTS)) {
    const words = name(part)
    if (!words) continue
    const isFirst = part === part.closest("svg").querySelector("g.node")
    part.setAttribute("tabindex", isFirst ? "0" : "-1")
    part.setAttribute("role", "img")
    part.setAttribute("aria-label", words)
  }
}

function makeTip(page) {
  const tip = page.createElement("div")
  tip.setAttribute("role", "tooltip")
  tip.className = "odt-tip"
  const paper = getComputedStyle(page.querySelector(".stApp"))
  Object.assign(tip.style, {
    position: "fixed", zIndex: 1000100, maxWidth: "min(34rem, 92vw)", maxHeight: "40vh",
    overflow: "auto", padding: ".5rem .7rem", borderRadius: ".4rem", border: "1px solid",
    font: paper.font, fontSize: ".9rem", color: paper.color, background: paper.backgroundColor,
  })
  page.body.append(tip)
  return tip
}

function place(tip, part) {
  const box = part.getBoundingClientRect()
  const room = window.innerHeight - box.bottom
  tip.style.left = `${Math.max(4, Math.min(box.left, window.innerWidth - tip.offsetWidth - 4))}px`
  tip.style.top = room > tip.offsetHeight + 8
    ? `${box.bottom + 6}px` : `${Math.max(4, box.top - tip.offsetHeight - 6)}px`
}

export default function ({ parentElement }) {
  const page = parentElement.ownerDocument
  let tip = null
  const hide = () => { if (tip) tip.remove(); tip = null }
  const show = ({ target }) => {
    hide()
    const part = target.closest && target.closest(PARTS)
    if (!part) return
    tip = makeTip(page)
    tip.textContent = part.getAttribute("aria-label")
    place(tip, part)
  }
  const step = (event) => {
    if (event.key === "Escape") return hide()
    const part = event.target.closest && event.target.closest(PARTS)
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!part || !by) return
    const parts = [...part.closest("svg").querySelectorAll("g.node")]
    const next = parts[parts.indexOf(part) + by]
    event.preventDefault()
    if (!next) return
    part.setAttribute("tabindex", "-1")
    next.setAttribute("tabindex", "0")
    next.focus()
  }
  const observer = new MutationObserver(() => prepare(page))
  observer.observe(page.body, { childList: true, subtree: true })
  prepare(page)
  const listeners = [["focusin", show], ["focusout", hide], ["keydown", step]]
  for (const [kind, listener] of listeners) page.addEventListener(kind, listener)
  // the page may be drawn again while a part has the focus
  show({ target: page.activeElement || page.body })
  return () => {
    observer.disconnect()
    hide()
    for (const [kind, listener] of listeners) page.removeEventListener(kind, listener)
  }
}
""",
)


def read_drawings() -> None:
    """Make every drawing on the page readable part by part.

    The first question can get the focus. The arrow keys move between parts. The text of the part in
    focus appears beside it.
    """
    _READER(key="drawing_reader", height=0)
