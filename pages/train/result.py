"""The result of a training run: the tree, and its rates in training and test."""

from __future__ import annotations

import streamlit as st

from odt_core.data import Prepared
from odt_core.jobs import Job, JobKind
from odt_core.render import tree_alt_text
from odt_core.solution import Status
from odt_core.studies import Adoption, Source
from odt_core.training import StoredResult
from odt_core.tree import Tree
from odt_core.words import count_words
from pages.common.current_run import draw_changes, draw_unstored
from pages.common.drawings import choose_direction, chosen_direction, draw_tree
from pages.common.layout import draw_part
from pages.common.markup import plain, sentence, shorten
from pages.common.results import (
    draw_counts,
    draw_floors,
    draw_leaves,
    draw_predictive_values,
    draw_rates,
    draw_verdict,
)
from pages.common.session import Place
from pages.common.studies import COMPARE_VIEW, STABILITY
from pages.common.tables import problem_of, rows_of
from pages.train.cart import draw_cart
from pages.train.check import draw_check
from pages.train.downloads import draw_downloads
from pages.train.facts import draw_facts
from pages.train.groups import draw_groups_fold


def draw_result(job: Job, changes: list[str]) -> None:
    """Draw a finished run: the tree, and below it training and test side by side.

    Parameters
    ----------
    job : Job
        A run with a tree.
    changes : list of str
        The settings that changed since the training.
    """
    result, rows = job.trained, rows_of(job)
    assert result is not None and result.train is not None
    tree, train, test = result.tree, result.train, result.test
    draw_part(draw_unstored, job)  # a menu that is open stays open when the result is stored
    draw_verdict(job.spec.train.objective, train, test)
    _draw_proof(result)
    draw_check(job)
    _draw_selected(result)
    if job.spec.kind is JobKind.ADOPT:
        st.caption(_source_words(job))
    draw_changes(changes, "This tree was trained", "Press Train")
    _draw_leaks(tree, rows)
    draw_tree(tree, rows.test, key="train_tree", direction=chosen_direction())
    if not tree.decisions:
        st.caption("This tree has no question: every case gets the same answer.")
    with st.container(horizontal=True, vertical_alignment="center"):
        draw_downloads(job, rows)
        choose_direction()
    left, right = st.columns(2)
    with left:
        draw_counts("Training", train.confusion, tree)
    with right:
        if test is None:
            _draw_no_test()
        else:
            draw_counts("Test", test.confusion, tree)
    draw_floors(job.spec.train.objective, train, test)
    draw_rates(train, test)
    _link_further()
    with st.expander("PPV and NPV at your own prevalence", key="train_predictive"):
        draw_predictive_values(train, test, tree.positive_label)
    with st.expander("Leaves", key="train_leaves"):
        draw_leaves(tree, rows.test)
    draw_groups_fold(job, tree, rows)
    with st.expander("Compared with CART", key="train_cart"):
        draw_cart(result, rows.test)
    # what draws the words is 1.5 MB of script, which a closed expander does not load
    with st.expander("The tree in words", key="train_words", on_change="rerun") as words:
        if words.open:
            st.code(tree_alt_text(tree, rows.test), language=None, wrap_lines=True)
    with st.expander("Solver, model size and data", key="train_facts"):
        draw_facts(job, problem_of(job), rows)


def _source_words(job: Job) -> str:
    """The page where an adopted tree was chosen."""
    part = job.spec.part
    if isinstance(part, Adoption) and part.source is Source.ALTERNATIVES:
        return "This tree was chosen on the Alternatives page."
    return "This tree was taken from the frontier on the Sensitivity page."


def _link_further() -> None:
    """Draw links to the use and the refits of this tree."""
    st.page_link(Place.PREDICT, label="**Use or validate this tree on other cases →**")
    if st.button(
        "**How stable is this tree? →**",
        key="train_stability",
        type="tertiary",
        help="Refits on resamples of the training rows show whether other patients would give the "
        "same tree.",
    ):
        st.session_state[COMPARE_VIEW] = STABILITY
        st.switch_page(Place.COMPARE)


def _draw_leaks(tree: Tree, rows: Prepared) -> None:
    """Draw warnings about questions on columns that determine the outcome, or almost do."""
    asked = {tree.features[g].name for g in tree.used_features}
    for finding in (*rows.findings, *rows.divided):
        if finding.gives_away and finding.column in asked:
            st.warning(f"The tree asks about it: {sentence(finding.message)}")


def _draw_selected(result: StoredResult) -> None:
    """Draw the columns that the feature selection kept, if there was a selection."""
    names = result.selected_features
    if names:
        listed = ", ".join(plain(shorten(name, 30)) for name in names)
        st.caption(f"Chosen from {count_words(len(names), 'column')} that CART uses: {listed}.")


def _draw_proof(result: StoredResult) -> None:
    """Draw the status of the tree among all trees of its shape, and who proved it."""
    with st.container(key="train_proof"):
        if result.status is Status.OPTIMAL:
            st.caption(plain(result.words.proof))
        else:
            st.markdown(f"**{plain(result.words.status)}.** {plain(_advice(result))}")


def _advice(result: StoredResult) -> str:
    """Give advice about a tree that is not proved."""
    if result.status is Status.CANCELLED:
        return "The run was stopped. Training again starts from the beginning."
    return result.words.remark or (
        "It is not proved the best: give a longer time limit or a smaller shape to prove it."
    )


def _draw_no_test() -> None:
    st.markdown("**Test** · no rows")
    st.caption(
        "Every row is a training row, so nothing here says what to expect of new cases. Keep some "
        "rows for testing on the Data page."
    )
