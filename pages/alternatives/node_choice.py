"""A drawn tree in which the user chooses a question by a click or by the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from odt_core.tree import Decision, Tree
from pages.common.layout import current_theme

# The viewer of drawings has no events, so this script listens at the drawing's frame. It marks the
# chosen question in the browser, because a new drawing would lose the keyboard's focus.
_CHOICE = st.components.v2.component(
    "odt_node_choice",
    html="<span></span>",
    js="""
const PART = "g.node"

export default function ({ data, parentElement, setTriggerValue }) {
  const page = parentElement.ownerDocument
  const frame = () => page.querySelector(`.st-key-${data.frame}`)
  // Graphviz numbers the parts of a drawing in the order node, left subtree, right subtree
  const questionOf = (part) => data.numbers.indexOf(Number(part.id.replace("node", "")) - 1)
  // a button's name must contain its visible text: the answer that leads to it, and the question,
  // which may show only the number of a list whose categories the name has
  const bare = (words) => words.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, " ").trim()
  const nameWithShown = (part) => {
    const texts = [...part.querySelectorAll("text")]
    const words = (some) => some.map((text) => text.textContent).join(" ")
    const shown = words(texts)
    const has = (name) => bare(name).includes(bare(shown))
    const name = part.getAttribute("aria-label")
    if (!name || has(name)) return
    const lead = words(texts.slice(0, texts.findIndex((text) => text.hasAttribute("font-weight"))))
    const led = lead ? `${lead}: ${name}` : name
    part.setAttribute("aria-label", has(led) ? led : `${shown}: ${name}`)
  }
  const mark = () => {
    for (const part of frame()?.querySelectorAll(PART) ?? []) {
      const question = questionOf(part)
      if (question < 0) {
        // the viewer reuses parts of the last drawing, in which this part may have been a question
        if (part.hasAttribute("aria-pressed")) {
          part.removeAttribute("aria-pressed")
          part.setAttribute("role", "img")
        }
        continue
      }
      nameWithShown(part)
      const pressed = String(question === data.chosen)
      const isButton = part.getAttribute("role") === "button"
      if (isButton && part.getAttribute("aria-pressed") === pressed) continue
      part.setAttribute("role", "button")
      part.setAttribute("aria-pressed", pressed)
      if (question === data.chosen) {
        for (const other of part.closest("svg").querySelectorAll(PART))
          other.setAttribute("tabindex", other === part ? "0" : "-1")
      }
    }
  }
  const choose = (event) => {
    const part = event.target.closest?.(`.st-key-${data.frame} ${PART}`)
    if (!part || questionOf(part) < 0) return
    if (event.type === "keydown") {
      if (event.key !== "Enter" && event.key !== " ") return
      event.preventDefault()
    }
    setTriggerValue("chosen", questionOf(part))
  }
  const observer = new MutationObserver(mark)
  observer.observe(page.body, { childList: true, subtree: true })
  mark()
  for (const kind of ["click", "keydown"]) page.addEventListener(kind, choose)
  return () => {
    observer.disconnect()
    for (const kind of ["click", "keydown"]) page.removeEventListener(kind, choose)
  }
}
""",
)


def let_choose(tree: Tree, frame: str, chosen: int, on_choice: Callable[[int], None]) -> None:
    """Let the user choose a question in a drawing, and mark the chosen question.

    Parameters
    ----------
    tree : Tree
        The drawn tree.
    frame : str
        The key of the drawing's frame (see `draw_tree`).
    chosen : int
        Index of the chosen question in `Tree.decisions`.
    on_choice : callable
        Called with the index of the question that the user chooses.
    """
    theme = current_theme()
    node = f".st-key-{frame} g.node"
    st.html(
        f"<style>{node}[role=button] {{ cursor: pointer; }} "
        f"{node}[role=button]:hover :is(path, polygon) {{ stroke: {theme.accent}; }} "
        f"{node}[aria-pressed=true] :is(path, polygon) "
        f"{{ stroke: {theme.accent}; stroke-width: 3px; }}"
        "</style>"
    )
    key = f"{frame}_choice"
    numbers = [at for at, node in enumerate(tree.walk()) if isinstance(node, Decision)]
    _CHOICE(
        key=key,
        height=0,
        data={"frame": frame, "numbers": numbers, "chosen": chosen},
        on_chosen_change=partial(_tell, key, on_choice),
    )


def _tell(key: str, on_choice: Callable[[int], None]) -> None:
    """Pass the browser's choice on, if it is a number. A browser can send anything."""
    chosen = getattr(st.session_state.get(key), "chosen", None)
    if isinstance(chosen, int):
        on_choice(chosen)
