"""The best tree and a chosen near-optimal tree side by side, and the button that adopts it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from odt_core.alternatives import AlternativesView, AlternativeTree
from odt_core.evaluation import tree_changes
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.studies import Adoption, Source
from odt_core.topology import Topology
from odt_core.words import count_words, printable
from pages.alternatives import keys
from pages.alternatives.near_result import ShownTrees
from pages.common.current_run import MAKE_CURRENT, start_job, unfinished_job
from pages.common.drawings import draw_tree
from pages.common.layout import draw_part, side_by_side
from pages.common.markup import plain, shorten
from pages.common.session import is_pressed, note_press


def draw_beside_best(job: Job | None, shown: ShownTrees) -> None:
    """Draw the best tree and the chosen tree side by side, with marked differences.

    Parameters
    ----------
    job : Job or None
        The current training run.
    shown : ShownTrees
        The trees that pass the filters, at least one.
    """
    view, chosen = shown.view, shown.chosen
    best = view.trees[0]
    changes = tree_changes(view.tree(0), view.tree(chosen.place))
    with st.container(border=True, key=keys.BESIDE):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Tree beside the best",
                [tree.place for tree in shown.trees],
                key=keys.CHOSEN,
                persist_state="session",
                format_func=lambda place: _name(view.trees[place]),
                width=420,
            )
            _draw_make_current(job, chosen)
        left, right = side_by_side(keys.PAIR)
        with left:
            _draw_one("The best tree", best, shown, keys.BEST_TREE, changes.before)
        if chosen.place:
            with right:
                name = f"No. {chosen.place + 1}"
                _draw_one(name, chosen, shown, keys.CHOSEN_TREE, changes.after)
        for words in changes.sentences:
            st.markdown(f"- {plain(words)}")
        if changes.sentences:
            st.caption("Differences have a thick outline in the drawings.")
        draw_part(_draw_current_tree, shown)


def _draw_current_tree(shown: ShownTrees) -> None:
    """Say how the current tree differs from the best tree, if it is not drawn here."""
    best, current = shown.view.trees[0], shown.current
    if current is None or current.train is None:
        return
    if any(tree.is_same_as(current.tree) for tree in (best, shown.chosen)):
        return
    counts = current.train.confusion
    n = count_words(counts.n, "training row")
    tie = ", as many as the best tree" if counts.errors == best.train.errors else ""
    st.markdown(
        f"**The current tree** has {counts.errors:,} of {n} wrong{tie}. It differs from the best "
        "tree:"
    )
    for words in tree_changes(best.over(current.tree.features), current.tree).sentences:
        st.markdown(f"- {plain(words)}")


def _draw_one(
    name: str, tree: AlternativeTree, shown: ShownTrees, key: str, marked: frozenset[int]
) -> None:
    st.markdown(f"**{name}** · {_counts_words(tree)}")
    features = shown.view.features if shown.test is None else shown.test.features
    draw_tree(tree.over(features), shown.test, key=key, marked=marked)


def _name(tree: AlternativeTree) -> str:
    columns = shorten(", ".join(map(printable, tree.columns)) or "no question", 60)
    return f"No. {tree.place + 1}: {tree.train.errors:,} wrong, {columns}"


def _counts_words(tree: AlternativeTree) -> str:
    words = f"{tree.train.errors:,} of {count_words(tree.train.n, 'training row')} wrong"
    if tree.test is not None:
        words += f", {tree.test.errors:,} of {count_words(tree.test.n, 'test row')}"
    return plain(words)


def _draw_make_current(job: Job | None, chosen: AlternativeTree) -> None:
    """Draw the button that makes the chosen tree current, or a note that it is current."""
    if is_current(job, chosen):
        st.markdown("✓ **This is the current tree**", width="content")
        return
    st.button(
        MAKE_CURRENT,
        key=keys.MAKE,
        type="primary",
        disabled=unfinished_job() is not None,
        help="Then you can predict with this tree, export it, and see all of its numbers.",
        **note_press(MAKE_CURRENT),
    )


def is_current(job: Job | None, tree: AlternativeTree) -> bool:
    """Whether a tree has the same questions and answers as the current tree."""
    trained = None if job is None else job.trained
    return trained is not None and trained.has_tree and tree.is_same_as(trained.tree)


def make_current_pressed(batch: Batch) -> None:
    """Make the chosen tree current, if the button was pressed."""
    result = batch.jobs[0].result
    if not is_pressed(MAKE_CURRENT) or result is None or unfinished_job() is not None:
        return
    view, place = AlternativesView(result), st.session_state.get(keys.CHOSEN)
    if not isinstance(place, int) or place >= len(view.trees):
        return
    start_job(adoption_job(batch.jobs[0].spec, view, view.trees[place]))
    st.rerun()


def adoption_job(spec: JobSpec, view: AlternativesView, tree: AlternativeTree) -> JobSpec:
    """Return the run that makes a listed tree the current tree."""
    return replace(
        spec,
        kind=JobKind.ADOPT,
        train=replace(spec.train, topology=Topology.parse(tree.topology)),
        part=Adoption(tree.assignment, False, view.seconds, Source.ALTERNATIVES, view.bound_total),
    )
