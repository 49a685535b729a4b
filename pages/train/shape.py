"""The choice of the tree's shape from pictures."""

from __future__ import annotations

import streamlit as st

from odt_core.studies.path import DEFAULT_QUESTIONS
from odt_core.topology import MAX_NODES, PRESETS, AnyShape, Shape, Topology
from odt_core.words import count_words
from pages.common.drawings import shape_uri
from pages.common.settings import ANY, DEFAULT_SHAPE, OWN, SHAPE_NAMES, TrainKey
from pages.common.widgets import start_value

# One radio group in the form of cards, so that arrow keys and screen readers work as usual.
_STYLE = """<style>
.st-key-train_shape [role=radiogroup] {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(max(4.6rem, 30%), 1fr)); gap: .4rem;
}
.st-key-train_shape [role=radiogroup] > div { width: 100%; }
.st-key-train_shape [role=radiogroup] > div:last-child { grid-column: 1 / -1; }
.st-key-train_shape [role=radiogroup] label {
  width: 100%; height: 100%; margin: 0; padding: .35rem .1rem .25rem; justify-content: center;
  border: 1px solid color-mix(in srgb, currentColor 22%, transparent); border-radius: .4rem;
  cursor: pointer;
}
.st-key-train_shape [role=radiogroup] label:hover { border-color: #23879a; }
.st-key-train_shape [role=radiogroup] label:has(input:checked) {
  border-color: #23879a; box-shadow: inset 0 0 0 1px #23879a;
  background: color-mix(in srgb, #23879a 12%, transparent);
}
.st-key-train_shape [role=radiogroup] label:has(input:focus-visible) {
  outline: 2px solid #23879a; outline-offset: 2px;
}
.st-key-train_shape [role=radiogroup] label > div { width: 100%; gap: 0; }
.st-key-train_shape [role=radiogroup] label > div > div:first-child { display: none; }
.st-key-train_shape [role=radiogroup] label > div > div { margin: 0; padding: 0; width: 100%; }
.st-key-train_shape [role=radiogroup] p {
  display: flex; flex-direction: column; align-items: center; gap: .15rem;
  font-size: .8rem; line-height: 1.2; text-align: center;
}
.st-key-train_shape [role=radiogroup] img {
  height: 3rem; max-height: none; width: 100%; object-fit: contain;
}
</style>"""


def choose_shape() -> Shape:
    """Draw the cards, a text field for an own shape, and a number for any shape.

    Raises
    ------
    InputError
        If the text is not a shape.
    """
    st.html(_STYLE)
    chosen = st.radio(
        "Shape of the tree",
        [*PRESETS, OWN, ANY],
        format_func=_card,
        key=start_value(TrainKey.SHAPE, DEFAULT_SHAPE),
        persist_state="session",
        width="stretch",
        help="The order of the questions. Train finds the best tree *of this shape*. Questions "
        "that do not help vanish. In a chain of cues every question can decide a case at once.",
    )
    if chosen == ANY:
        return _choose_any()
    text = PRESETS.get(chosen, "")
    if chosen == OWN:
        text = st.text_input(
            "Shape as text",
            key=start_value(TrainKey.OWN_SHAPE, PRESETS["depth-2.5"]),
            persist_state="session",
            max_chars=200,
            help="A leaf is `.` and a question is `(left right)`, at most four levels deep: "
            "`((. .)(. .))` is depth-2.",
        )
    topology = Topology.parse(text)
    if chosen == OWN:
        st.image(shape_uri(topology), width=160, alt=f"The shape {topology.text}")
    st.caption(shape_words(topology))
    return topology


def _choose_any() -> AnyShape:
    """Draw the largest number of questions of a tree of any shape."""
    most = st.number_input(
        "Most questions",
        min_value=1,
        max_value=MAX_NODES,
        step=1,
        key=start_value(TrainKey.MOST_QUESTIONS, DEFAULT_QUESTIONS),
        persist_state="session",
        help="Train finds the best tree of *all* shapes with at most this many questions on at "
        "most four levels. It takes longer than for one shape, and longer with more questions.",
    )
    shape = AnyShape(int(most))
    st.caption(shape_words(shape))
    return shape


def shape_words(topology: Shape) -> str:
    """Describe the size of a shape."""
    if isinstance(topology, AnyShape):
        return f"at most {count_words(topology.depth, 'question')} per case"
    return (
        f"{count_words(topology.n_nodes, 'question')}, "
        f"{count_words(topology.n_leaves, 'leaf', 'leaves')}; "
        f"at most {count_words(topology.depth, 'question')} per case"
    )


def _card(option: str) -> str:
    if option == ANY:
        return SHAPE_NAMES[ANY]
    topology = Topology.parse(PRESETS.get(option, "(. (. .))"))
    return f"![]({shape_uri(topology)}) {SHAPE_NAMES[option]}"
