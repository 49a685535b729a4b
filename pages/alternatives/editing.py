"""Change the current tree at one question, solve again, step back, and see what the rules cost."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

import streamlit as st

from odt_core.alternatives.edits import (
    Others,
    PlacedTree,
    is_edit_of,
    rules_cost_words,
    without_rules,
)
from odt_core.alternatives.question import Loss, Reach
from odt_core.errors import InputError
from odt_core.jobs import Job, JobKind
from odt_core.jobs.evidence import KnownRuns, problem_of
from odt_core.training import TrainSpec, node_rule_words
from odt_core.words import count_words, printable
from pages.common.intents import is_pressed, note_press
from pages.common.people import owner
from pages.common.runs import CHANGED, EVERY, draw_job_progress, has_tree, train_now
from pages.common.server import job_manager, store
from pages.common.settings import load_settings
from pages.common.state import lane, update
from pages.common.tables import ReadyData
from pages.common.tables import problem_of as solved_problem
from pages.common.text import plain, shorten
from pages.train.rules import draw_question

SOLVE = "Solve again"
_ASKED, _PARENTS, _FREE = "edit_asked", "edit_parents", "edit_free_runs"
"""In the session: the change that was pressed, runs before changes, and runs without rules."""
log = logging.getLogger("pages.alternatives.editing")


class Change(StrEnum):
    """What a question may become."""

    COLUMN = "column"
    EXACTLY = "exactly"
    NEVER = "never"
    KEEP = "keep"
    LEAF = "leaf"


_WORDS = {
    Change.COLUMN: "Ask another column",
    Change.EXACTLY: "Ask exactly this",
    Change.NEVER: "Never ask its column here",
    Change.KEEP: "Keep it and all below it, and improve the rest",
    Change.LEAF: "Make it a leaf",
}


def solve_what_was_asked(data: ReadyData, job: Job) -> None:
    """Train the change that was pressed, if one was.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job
        The run that was changed.
    """
    spec = st.session_state.get(_ASKED)
    if is_pressed(SOLVE) and spec is not None:
        st.session_state[CHANGED] = job.id
        train_now(data, spec)


def asker() -> Callable[[TrainSpec], None]:
    """What a press calls with the run that it asks for; for callbacks."""
    press = note_press(SOLVE)

    def ask(spec: TrainSpec) -> None:
        st.session_state[_ASKED] = spec
        press["on_click"](*press["args"])

    return ask


def draw_change(placed: PlacedTree, question: int, others: Others, ranked: Sequence[str]) -> None:
    """Draw what the question may become, and the button that solves again.

    Parameters
    ----------
    placed : PlacedTree
        The current tree.
    question : int
        The chosen question's place in `Tree.decisions`.
    others : Others
        What else may change.
    ranked : sequence of str
        Other columns that it could be about, the best first where that is known.
    """
    change = st.radio(
        f"Change question {question + 1}",
        [*Change],
        format_func=_WORDS.__getitem__,
        key="edit_change",
        persist_state="session",
    )
    try:
        spec = _changed(placed, question, others, change or Change.COLUMN, ranked)
    except InputError as error:
        st.caption(plain(str(error)))
        spec = None
    st.button(
        SOLVE,
        key="edit_solve",
        type="primary",
        disabled=spec is None,
        help="Find and prove the best tree with this rule and those before. It becomes the current "
        "tree, and Undo brings this one back.",
        on_click=asker(),
        args=(spec,),
    )


def _changed(
    placed: PlacedTree, question: int, others: Others, change: Change, ranked: Sequence[str]
) -> TrainSpec | None:
    """The run that a change asks for; None if something is left to choose."""
    if change is Change.COLUMN:
        name = st.selectbox(
            "Column",
            ranked,
            format_func=lambda name: shorten(printable(name)),
            key=f"edit_column_{question}_{ranked[:1]}",
            help="The best one first. The search chooses the categories or the cut point.",
        )
        return None if name is None else placed.ask_column(question, name, others)
    if change is Change.EXACTLY:
        rule = draw_question(question + 1, placed.tree.features, "edit_exact")
        return None if rule is None else placed.ask_exactly(question, rule, others)
    if change is Change.NEVER:
        st.caption(
            "Where no other column helps, this question is left out and the next one takes its "
            "place."
        )
        return placed.never_ask(question, others)
    if change is Change.KEEP:
        return placed.keep_subtree(question)
    return placed.make_leaf(question, others)


# ---------------------------------------------------------------- the steps so far


def draw_steps(job: Job, placed: PlacedTree | None) -> None:
    """Draw the rules of the current tree, what they cost, and the way back.

    Parameters
    ----------
    job : Job
        The current run, which has a tree.
    placed : PlacedTree or None
        Its tree; None if it asks nothing.
    """
    steps = _steps(job)
    first = steps[-1] if steps else job
    spec = job.spec.train
    with st.container(horizontal=True, vertical_alignment="center", key="edit_steps"):
        with st.container():
            if not steps and not spec.rules.nodes:
                st.caption("This tree has no rules. Each change below is a run of its own.")
            else:
                st.markdown(plain(_rules_words(spec, placed, first.spec.train)))
                _draw_cost(job, first)
        st.button(
            f"Undo ({count_words(len(steps), 'step')})" if len(steps) > 1 else "Undo",
            key="edit_undo",
            disabled=not steps,
            help="Back to the tree before the last change. Both runs stay on the Runs page.",
            on_click=_take if steps else None,
            args=(steps[0],) if steps else (),
        )


def _take(job: Job) -> None:
    """Make an earlier run current again."""
    load_settings(job.spec.train)
    update(job=job)


def _rules_words(spec: TrainSpec, placed: PlacedTree | None, first: TrainSpec) -> str:
    """The rules of a changed tree, and its size where that was cut."""
    unplaced = (node_rule_words(rule) for rule in spec.rules.nodes)
    words = list(unplaced if placed is None else placed.rules_words())
    nodes = spec.topology.n_nodes
    if nodes != first.topology.n_nodes:
        words.append(f"at most {count_words(nodes, 'question')}")
    return f"Rules: {'; '.join(words)}." if words else "This tree has no rules."


def _steps(job: Job) -> tuple[Job, ...]:
    """The runs before the changes that led to this one, the last first."""
    found: list[Job] = []
    while (before := _before(found[-1] if found else job)) is not None:
        if before.id in (job.id, *(each.id for each in found)):
            break
        found.append(before)
    return tuple(found)


def _before(job: Job) -> Job | None:
    """The run that this one changed, if it is still there."""
    known: dict[str, Job | None] = st.session_state.setdefault(_PARENTS, {})
    if job.id not in known:
        try:
            known[job.id] = _read_before(job)
        except InputError:  # deleted, or the store is away
            log.info("the run before %s cannot be read", job.id, exc_info=True)
            return None
    return known[job.id]


def _read_before(job: Job) -> Job | None:
    run_id = job.rerun_of if not job.recorded else store().runs.summary(owner(), job.id).rerun_of
    if run_id is None:
        return None
    before = job_manager().find(owner(), run_id)
    same = (before.spec.dataset, before.spec.read) == (job.spec.dataset, job.spec.read)
    is_tree = before.spec.kind in (JobKind.TRAIN, JobKind.ADOPT) and has_tree(before)
    return before if same and is_tree and is_edit_of(job.spec.train, before.spec.train) else None


# ---------------------------------------------------------------- what the rules cost


def _draw_cost(job: Job, first: Job) -> None:
    """Say what the rules cost against the best tree without them."""
    free = first if not first.spec.train.rules.nodes else _free_run(first)
    if free is None:
        st.button(
            "Find the best tree without these rules",
            key="edit_free",
            type="tertiary",
            help="Then this page says what the rules cost.",
            on_click=_find_free,
            args=(first,),
        )
    elif free.is_over:
        loss = Loss.of(solved_problem(job))
        st.markdown(plain(rules_cost_words(loss, _reach(job), _reach(free))))
    else:
        _watch_free(free)


def _reach(job: Job) -> Reach:
    """What a run's tree is worth; nothing is known of one that brought no tree."""
    found = job.as_shown().trained
    assert found is not None
    return Reach(found.status, found.total, found.total_bound)


def _free_run(first: Job) -> Job | None:
    """A run of the same problem without rules, from this session or the store."""
    spec = without_rules(first.spec.train)
    known: dict[str, Job] = st.session_state.setdefault(_FREE, {})
    name = json.dumps([first.spec.dataset, spec.to_json()], sort_keys=True)
    if name not in known:
        found = KnownRuns(store(), owner()).of_kind(
            JobKind.TRAIN,
            lambda headline: headline.topology == spec.topology.name,
            lambda other: (
                other.read == first.spec.read and problem_of(other.train) == problem_of(spec)
            ),
            first.spec.dataset,
        )
        batch = next((batch for batch in found if has_tree(batch.jobs[0])), None)
        if batch is None:
            return None
        known[name] = batch.jobs[0]
    return known[name]


def _find_free(first: Job) -> None:
    spec = replace(first.spec, kind=JobKind.TRAIN, part=None, train=without_rules(first.spec.train))
    name = json.dumps([spec.dataset, spec.train.to_json()], sort_keys=True)
    job = job_manager().submit(spec, owner=owner(), lane=lane())
    st.session_state.setdefault(_FREE, {})[name] = job


@st.fragment(run_every=EVERY)
def _watch_free(job: Job) -> None:
    """Draw how far the run without rules is."""
    if job.is_over:
        st.rerun()
    draw_job_progress(job, "the best tree without these rules")
    st.button("Stop", key="edit_free_stop", on_click=job_manager().cancel, args=(job,))
