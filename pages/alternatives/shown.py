"""The near-optimal trees that the page shows, and the one among them that is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import streamlit as st

from odt_core.alternatives import AlternativesView, AlternativeTree
from odt_core.problem import EncodedData
from pages.alternatives import keys


@dataclass(frozen=True, eq=False)
class ShownTrees:
    """What the page shows of a list.

    Attributes
    ----------
    view : AlternativesView
        All trees.
    trees : tuple of AlternativeTree
        Those that pass the filters.
    costs : mapping of str to Fraction
        What asking a column costs; 1 where it is not named.
    test : EncodedData or None
        The test rows.
    """

    view: AlternativesView
    trees: tuple[AlternativeTree, ...]
    costs: Mapping[str, Fraction]
    test: EncodedData | None

    @staticmethod
    def choose(place: int) -> None:
        """Choose the tree at a place of the list; for callbacks."""
        st.session_state[keys.CHOSEN] = place

    @property
    def chosen(self) -> AlternativeTree:
        """The tree that is drawn beside the best; the second of the list to begin with."""
        places = [tree.place for tree in self.trees]
        if st.session_state.get(keys.CHOSEN) not in places:
            self.choose(next((place for place in places if place), places[0]))
        return self.view.trees[int(st.session_state[keys.CHOSEN])]
