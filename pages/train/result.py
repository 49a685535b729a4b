"""The result of a training run: the tree, and its rates in training and test."""

from __future__ import annotations

import streamlit as st

from odt_core import __version__
from odt_core.data import Prepared
from odt_core.evaluation import FAIRNESS, Metrics, ReportedRate, can_ask_about_sets
from odt_core.figures import progress_chart
from odt_core.jobs import Job, JobKind
from odt_core.problem import EncodedData, Problem
from odt_core.render import tree_alt_text
from odt_core.solution import Status
from odt_core.studies import Adoption, Source
from odt_core.training import StoredResult
from odt_core.tree import Tree
from odt_core.words import count_words, goal_words, seconds_words, value_words
from pages.common.current_run import EVERY, draw_changes, draw_unstored, stop_run
from pages.common.drawings import choose_direction, chosen_direction, draw_chart, draw_tree
from pages.common.layout import current_theme, draw_part
from pages.common.markup import plain, plain_table, sentence, shorten, value_html
from pages.common.results import (
    DASH,
    draw_counts,
    draw_floors,
    draw_leaves,
    draw_predictive_values,
    draw_rates,
    draw_verdict,
    reported_html,
)
from pages.common.session import Place
from pages.common.studies import COMPARE_VIEW, STABILITY
from pages.common.tables import problem_of, rows_of
from pages.train.check import draw_check
from pages.train.downloads import draw_downloads
from pages.train.groups import draw_groups_expander

_SHOW = "train_show_cart"
_MEASURES = (
    ReportedRate.SENSITIVITY,
    ReportedRate.SPECIFICITY,
    ReportedRate.ACCURACY,
    ReportedRate.BALANCED_ACCURACY,
)


def draw_result(job: Job, changes: list[str]) -> None:
    """Draw a finished run: the tree, and below it training and test side by side.

    `changes` are the settings that changed since the training.
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
    draw_groups_expander(job, tree, rows)
    with st.expander("Compared with CART", key="train_cart"):
        draw_cart(result, rows.test)
    # a closed expander does not load the 1.5 MB of script that draw the words
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
    with st.container(horizontal=True):
        uses = st.button(
            "**Use or validate this tree on other cases →**", key="train_use", type="tertiary"
        )
        refits = st.button(
            "**How stable is this tree? →**",
            key="train_stability",
            type="tertiary",
            help="Refits on resamples of the training rows show whether other patients would give "
            "the same tree.",
        )
    if uses:
        st.switch_page(Place.PREDICT)
    if refits:
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
        st.caption(
            f"The tree may only ask about the {count_words(len(names), 'column')} that CART uses: "
            f"{listed}."
        )


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


def draw_facts(job: Job, problem: Problem, rows: Prepared) -> None:
    """Draw the facts of a finished run."""
    result = job.trained
    assert result is not None
    left, right = st.columns(2)
    with left:
        st.markdown("**Solver**")
        st.table(_solver(result, problem), border="horizontal", alt="Solver facts")
    with right:
        st.markdown("**Data**")
        st.table(_data(job, rows), border="horizontal", alt="Where the rows went")
    trace = result.trace
    if len(trace) > 1:
        solved = result.seconds - result.seconds_prepare
        draw_chart(
            progress_chart(trace, problem, theme=current_theme(), until=solved),
            key="train_trace",
        )


def _solver(result: StoredResult, problem: Problem) -> dict[str, str]:
    mip = result.mip
    assert result.total is not None and result.total_bound is not None
    facts = {
        "Goal": plain(goal_words(problem.objective, problem.data.negative_label)),
        "Reached": plain(value_words(problem, result.total)),
        "Proved bound": plain(value_words(problem, result.total_bound)),
        "Proof": plain(result.words.proof),
        "Time": f"{seconds_words(result.seconds)}; of this for preparing the rows "
        f"{seconds_words(result.seconds_prepare)}",
    }
    if mip is None:
        return facts
    return facts | {
        "Integer program": f"{mip.columns:,} variables ({mip.integers:,} integer), "
        f"{mip.rows:,} rows, {mip.nonzeros:,} entries",
        "Solver": f"{plain(mip.solver)}, with the status: {plain(mip.status)}",
    }


def _data(job: Job, rows: Prepared) -> dict[str, str]:
    flow, split = rows.flow, job.spec.train.split
    facts = {
        "File": plain(shorten(job.spec.table_name, 40)),
        "SHA-256": f"`{job.spec.dataset[:16]}…`",
        "Rows": f"{flow.read:,} read, {flow.train:,} train, {flow.test:,} test"
        + (f", {flow.unused:,} unused" if flow.unused else ""),
    }
    for exclusion in flow.excluded:
        facts["Left out"] = f"{count_words(exclusion.rows, 'row')}: {plain(exclusion.reason)}"
    facts["Columns used"] = (
        f"{rows.train.n_features:,}, with {rows.train.n_columns:,} categories or bins"
    )
    if rows.dropped:
        names = ", ".join(plain(shorten(name, 30)) for name in rows.dropped)
        facts["Constant columns"] = names
    facts["Seeds"] = f"split {split.seed}, solver {job.spec.train.seed}"
    facts["Version"] = plain(__version__)
    return facts


def draw_cart(result: StoredResult, test: EncodedData | None) -> None:
    """Draw the counts and rates of this tree beside CART's, and CART's tree on demand."""
    columns = {
        "This tree, training": result.train,
        "CART, training": result.cart_train,
        "This tree, test": result.test,
        "CART, test": result.cart_test,
    }
    rows = [["Rows wrong", *(_wrong(found) for found in columns.values())]]
    rows += [
        [measure, *(reported_html(measure, found) for found in columns.values())]
        for measure in _MEASURES
    ]
    st.html(plain_table("This tree and CART in training and test", ["", *columns], rows))
    cart = result.cart_tree
    fairness = f"{FAIRNESS} " if can_ask_about_sets(cart.features) else ""
    st.caption(
        f"CART chooses one question after the other and keeps no floors. {fairness}Its tree here "
        f"has {count_words(cart.n_leaves, 'leaf', 'leaves')}."
    )
    if st.toggle("Show CART's tree", key=_SHOW, persist_state="session"):
        draw_tree(cart, test, key="train_cart_tree")


def _wrong(found: Metrics | None) -> str:
    if found is None:
        return DASH
    return value_html(f"{found.confusion.errors:,}", f"of {found.confusion.n:,}")


@st.fragment(run_every=EVERY)
def watch_confirmation(job: Job) -> None:
    """Draw the progress of a confirmation. Draw the page again when it is over."""
    if job.is_over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"CBC is confirming the tree on the integer program · {seconds_words(job.seconds)}",
            width="content",
        )
        st.button(
            "Skip this check",
            key="train_skip_check",
            type="tertiary",
            on_click=stop_run,
            args=(job,),
            disabled=job.cancelled_at is not None,
            help="The exact search has already proved the tree. CBC confirms it on the paper's "
            "integer program.",
        )
