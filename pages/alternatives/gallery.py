"""The gallery: near-optimal trees as small drawings, each with a button that chooses it."""

from __future__ import annotations

import streamlit as st

from odt_core.alternatives import AlternativeTree
from odt_core.render import small_tree_dot, tree_summary
from pages.alternatives import keys
from pages.alternatives.near_result import ShownTrees
from pages.common.layout import current_theme
from pages.common.markup import plain, shorten

A_PAGE = 6
"""Trees on a page of the gallery. They fill lines of three, two or one."""

# Cards are as wide as a small tree needs, and equally high. A drawing is never enlarged.
_STYLE = f"""<style>
.st-key-{keys.GALLERY} {{
  display: grid; gap: .8rem;
  grid-template-columns: repeat(auto-fill, minmax(min(255px, 100%), 1fr));
}}
.st-key-{keys.GALLERY} > * {{ min-width: 0; }}
.st-key-{keys.GALLERY} .stGraphVizChart {{
  height: 8.5rem; width: 100%; display: flex; align-items: center; justify-content: center;
}}
.st-key-{keys.GALLERY} .stGraphVizChart svg {{ max-width: 100%; max-height: 100%; }}
</style>"""


def draw_gallery(shown: ShownTrees) -> None:
    """Draw a page of the gallery.

    Parameters
    ----------
    shown : ShownTrees
        The trees that pass the filters, at least one.
    """
    pages = -(-len(shown.trees) // A_PAGE)
    first = (min(int(st.session_state.get(keys.PAGE, 1)), pages) - 1) * A_PAGE
    some = shown.trees[first : first + A_PAGE]
    st.html(_STYLE)
    with st.container(key=keys.GALLERY):
        for tree in some:
            with st.container(border=True, key=f"{keys.CARD}{tree.place}"):
                _draw_card(tree, is_chosen=tree.place == shown.chosen.place)
    positive = shorten(some[0].own_tree.positive_label, 30)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.caption(plain(f"A solid line means yes, a dashed line no, and a plus means {positive}."))
        if pages > 1:
            st.pagination(pages, key=keys.PAGE)


def _draw_card(tree: AlternativeTree, *, is_chosen: bool) -> None:
    name = f"No. {tree.place + 1}"
    test = "" if tree.test is None else f", {tree.test.errors:,} in test"
    st.markdown(f"**{name}** · {tree.train.errors:,} wrong{test}")
    dot = small_tree_dot(tree.own_tree, theme=current_theme())
    st.graphviz_chart(dot, alt=tree_summary(tree.own_tree))
    st.button(
        f"{name} is shown below" if is_chosen else f"Show {name}",
        key=f"{keys.SHOW}{tree.place}",
        width="stretch",
        disabled=is_chosen,
        on_click=ShownTrees.choose,
        args=(tree.place,),
    )
