"""Changes of the current tree: their choice, the runs that solve them, and the cost of rules."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import streamlit as st

from odt_core.alternatives.edits import (
    ChangeKind,
    PlacedTree,
    QuestionChange,
    is_edit_of,
    rules_cost_words,
    without_rules,
)
from odt_core.alternatives.question import Loss, Others, Reach
from odt_core.errors import InputError
from odt_core.jobs import Job, JobKind
from odt_core.jobs.evidence import KnownRuns, problem_of
from odt_core.training import TrainSpec, node_rule_words
from odt_core.words import capitalized, count_words, printable
from pages.alternatives import keys
from pages.common.controls import draw_question
from pages.common.current_run import CHANGED, EVERY, draw_job_progress, has_tree, train_now
from pages.common.markup import plain, shorten
from pages.common.server import job_manager, store
from pages.common.session import lane, note_press, owner, pressed_about, say, update
from pages.common.settings import load_settings
from pages.common.tables import ReadyData
from pages.common.tables import problem_of as solved_problem

SOLVE = "Solve again"
_PARENTS, _CHILDREN, _FREE = "edit_parents", "edit_children", "edit_free_runs"
"""Session keys: the runs before and after changes, and runs without rules."""
_ADDED = "edit_added"
"""Session key of a run's id with the changes of its tree that wait to be solved together."""
log = logging.getLogger("pages.alternatives.changes")


class ChangeOption(StrEnum):
    """The options for the change of a question."""

    COLUMN = "column"
    EXACTLY = "exactly"
    NEVER = "never"
    KEEP = "keep"
    LEAF = "leaf"


_WORDS = {
    ChangeOption.COLUMN: "Ask about another column",
    ChangeOption.EXACTLY: "Ask exactly this question",
    ChangeOption.NEVER: "Never ask about its column here",
    ChangeOption.KEEP: "Keep it and all below it, and improve the rest",
    ChangeOption.LEAF: "Make it a leaf",
}


@dataclass(frozen=True)
class ChosenQuestion:
    """The question that the user chose.

    Attributes
    ----------
    run_id : str
        The current run.
    placed : PlacedTree
        Its tree.
    number : int
        Index of the question in `Tree.decisions`.
    others : Others
        The other questions that may change.
    """

    run_id: str
    placed: PlacedTree
    number: int
    others: Others

    @property
    def column(self) -> str:
        """The column that the question is about now."""
        tree = self.placed.tree
        return tree.features[tree.decisions[self.number].split.feature].name

    def with_added(self, *changes: QuestionChange) -> TrainSpec:
        """Return the specification of a run with these changes and the waiting changes.

        A new change replaces a waiting change of the same question.

        Raises
        ------
        InputError
            If the changes contradict each other.
        """
        questions = {change.question for change in changes}
        added = [each for each in added_changes(self.run_id) if each.question not in questions]
        return self.placed.with_changes([*added, *changes], self.others)


def added_changes(run_id: str) -> tuple[QuestionChange, ...]:
    """The changes of a run's tree that wait to be solved together."""
    of_run, changes = st.session_state.get(_ADDED, ("", ()))
    return changes if of_run == run_id else ()


def _add(run_id: str, change: QuestionChange) -> None:
    others = [each for each in added_changes(run_id) if each.question != change.question]
    st.session_state[_ADDED] = (run_id, (*others, change))


def _remove(run_id: str, change: QuestionChange) -> None:
    left = tuple(each for each in added_changes(run_id) if each != change)
    st.session_state[_ADDED] = (run_id, left)


def solve_pressed(data: ReadyData, job: Job) -> None:
    """Train the requested tree, if the button was pressed.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job
        The run of the tree that was changed.
    """
    spec: TrainSpec | None = pressed_about(SOLVE)
    if spec is not None:
        st.session_state[CHANGED] = job.id
        train_now(data, spec)


def draw_change(chosen: ChosenQuestion, ranked: Sequence[str], *, is_needed: bool) -> None:
    """Draw the choice of a change, with the buttons that solve it or add it to others.

    Parameters
    ----------
    chosen : ChosenQuestion
        The question.
    ranked : sequence of str
        The other columns that the question could be about. The best is first, if they are ranked.
    is_needed : bool
        Whether it is proved that no other column helps at the question.
    """
    kind = st.radio(
        f"Change question {chosen.number + 1}",
        [*ChangeOption],
        format_func=_WORDS.__getitem__,
        key=keys.CHANGE,
        persist_state="session",
    )
    change = _draw_choice(
        chosen, ChangeOption(kind or ChangeOption.COLUMN), ranked, is_needed=is_needed
    )
    added = added_changes(chosen.run_id)
    spec = _spec_or_reason(chosen, change)
    with st.container(horizontal=True):
        if not added:
            _draw_solve(spec, "Finds and proves the best tree with this and the earlier rules.")
        st.button(
            "Add this change" if added else "Add, and change another question",
            key=keys.ADD,
            disabled=spec is None,
            help="Then one run solves several changes together.",
            on_click=_add if change is not None else None,
            args=() if change is None else (chosen.run_id, change),
        )


def draw_added(chosen: ChosenQuestion) -> None:
    """Draw the waiting changes, if there are any, and the button that solves them together.

    Parameters
    ----------
    chosen : ChosenQuestion
        The chosen question.
    """
    added = added_changes(chosen.run_id)
    if not added:
        return
    with st.container(border=True):
        st.markdown(f"**{count_words(len(added), 'change')} to solve**")
        for change in added:
            words = capitalized(change.words(chosen.placed.tree))
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(shorten(words, 160)))
                st.button(
                    "Remove",
                    key=f"{keys.REMOVE}{change.question}",
                    type="tertiary",
                    help=f"Remove the change of question {change.question + 1}",
                    on_click=_remove,
                    args=(chosen.run_id, change),
                )
        _draw_solve(
            _spec_or_reason(chosen, None), "Finds and proves the best tree with all these changes."
        )


def _draw_solve(spec: TrainSpec | None, help: str) -> None:
    st.button(
        SOLVE,
        key=keys.SOLVE,
        type="primary",
        disabled=spec is None,
        help=f"{help} That tree becomes the current tree, and Undo brings this tree back.",
        **note_press(SOLVE, spec),
    )


def _spec_or_reason(chosen: ChosenQuestion, change: QuestionChange | None) -> TrainSpec | None:
    """Return the run with a change and the waiting changes; None if the page shows a reason."""
    changes = () if change is None else (change,)
    if not changes and not added_changes(chosen.run_id):
        return None  # the change is not complete
    try:
        return chosen.with_added(*changes)
    except InputError as error:
        st.caption(plain(str(error)))
        return None


def _draw_choice(
    chosen: ChosenQuestion, kind: ChangeOption, ranked: Sequence[str], *, is_needed: bool
) -> QuestionChange | None:
    """Draw the details of a change, and return it; None while a detail is not chosen."""
    number = chosen.number
    if kind is ChangeOption.COLUMN:
        name = st.selectbox(
            "Column",
            ranked,
            format_func=lambda name: shorten(printable(name)),
            key=f"{keys.COLUMN}{number}_{ranked[:1]}",
            help="The best column is first. The search chooses the categories or the cut point.",
        )
        return None if name is None else QuestionChange.column(number, name)
    if kind is ChangeOption.EXACTLY:
        rule = draw_question(number + 1, chosen.placed.tree.features, keys.EXACT)
        return None if rule is None else QuestionChange(number, ChangeKind.ASK, rule)
    if kind is ChangeOption.NEVER:
        return _draw_never(chosen, is_needed=is_needed)
    return QuestionChange(number, ChangeKind.KEEP if kind is ChangeOption.KEEP else ChangeKind.LEAF)


def _draw_never(chosen: ChosenQuestion, *, is_needed: bool) -> QuestionChange:
    """Draw the choice whether questions below may be about the column."""
    name = plain(shorten(printable(chosen.column), 40))
    has_below = chosen.number + 1 < len(chosen.placed.tree.decisions)
    and_below = st.checkbox(
        "Also not at the questions below it",
        key=keys.BELOW,
        persist_state="session",
        help="Then no question of this branch is about the column.",
    )
    if is_needed and not and_below and has_below:
        st.caption(
            "No other column helps here, so this question would be left out. The next question "
            f"takes its place and may be about {name}. Tick the box to forbid that."
        )
    elif is_needed:
        st.caption("No other column helps here, so this question would be left out.")
    return QuestionChange(chosen.number, ChangeKind.NEVER, and_below=and_below)


# ---------------------------------------------------------------- steps


def draw_steps(job: Job, placed: PlacedTree | None) -> None:
    """Draw the rules of the current tree, their cost, Undo and Redo.

    Parameters
    ----------
    job : Job
        The current run, which has a tree.
    placed : PlacedTree or None
        The run's tree; None if it has no question.
    """
    before, after = _steps(job), _steps_after(job)
    first = before[-1] if before else job
    spec = job.spec.train
    n_steps = len(before) + len(after)
    st.html(f"<style>.st-key-{keys.STEPS} kbd {{ color: inherit; opacity: 1; }}</style>")
    with st.container(horizontal=True, vertical_alignment="center", key=keys.STEPS):
        with st.container():
            if n_steps:
                st.caption(f"Step {len(before)} of {n_steps}" if before else "Before the changes")
            if not before and not spec.rules.nodes:
                st.caption("This tree has no rules. Each time you solve again, a new run begins.")
            else:
                st.markdown(plain(_rules_words(spec, placed, first.spec.train)))
                _draw_cost(job, first)
            if placed is not None and placed.has_left_out:
                st.caption(
                    "The search left a question out, because no other column helped there. The "
                    "part below it took its place."
                )
        with st.container(horizontal=True, width="content"):
            _draw_move(
                "Undo", keys.UNDO, before, "Ctrl+Z", "Returns to the tree before the change."
            )
            _draw_move("Redo", keys.REDO, after, "Ctrl+Shift+Z", "Returns to the changed tree.")


def _draw_move(label: str, key: str, steps: Sequence[Job], shortcut: str, help: str) -> None:
    """Draw a button that makes the first of these runs current."""
    st.button(
        label,
        key=key,
        shortcut=shortcut,
        disabled=not steps,
        help=f"{help} Both runs stay on the Runs page.",
        on_click=_take if steps else None,
        args=(steps[0],) if steps else (),
    )


def _take(job: Job) -> None:
    """Make the run of another step current, if it still exists."""
    try:
        job_manager().find(owner(), job.id)
    except InputError as error:
        say(plain(f"The run of that step no longer exists. {error}"))
        for known in (_PARENTS, _CHILDREN):
            st.session_state.pop(known, None)
        return
    load_settings(job.spec.train)
    update(job=job)


def _steps_after(job: Job) -> tuple[Job, ...]:
    """The runs that Redo can return to, the next first."""
    children: dict[str, Job] = st.session_state.get(_CHILDREN, {})
    found: list[Job] = []
    while (after := children.get((found[-1] if found else job).id)) is not None:
        if after.id in (job.id, *(each.id for each in found)):
            break
        found.append(after)
    return tuple(found)


def _rules_words(spec: TrainSpec, placed: PlacedTree | None, first: TrainSpec) -> str:
    """Describe the rules of a changed tree, and its number of questions if that was limited."""
    unplaced = (node_rule_words(rule) for rule in spec.rules.nodes)
    words = list(unplaced if placed is None else placed.rules_words())
    nodes = spec.topology.n_nodes
    if nodes != first.topology.n_nodes:
        words.append(f"at most {count_words(nodes, 'question')}")
    return f"Rules: {'; '.join(words)}." if words else "This tree has no rules."


def _steps(job: Job) -> tuple[Job, ...]:
    """The runs that Undo can return to, the last first."""
    found: list[Job] = []
    while (before := _before(found[-1] if found else job)) is not None:
        if before.id in (job.id, *(each.id for each in found)):
            break
        found.append(before)
    children: dict[str, Job] = st.session_state.setdefault(_CHILDREN, {})
    for after, earlier in zip((job, *found), found, strict=False):
        children[earlier.id] = after
    return tuple(found)


def _before(job: Job) -> Job | None:
    """The run whose tree was changed into this run's; None if there is none or it is lost."""
    known: dict[str, Job | None] = st.session_state.setdefault(_PARENTS, {})
    if job.id not in known:
        try:
            known[job.id] = _read_before(job)
        except InputError:  # it was deleted, or the store cannot be reached
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


# ---------------------------------------------------------------- cost of the rules


def _draw_cost(job: Job, first: Job) -> None:
    """Draw the cost of the rules: the difference from the best tree without them."""
    free = first if not first.spec.train.rules.nodes else _free_run(first)
    if free is None:
        st.button(
            "Find the best tree without these rules",
            key=keys.FREE,
            type="tertiary",
            help="Then this page shows the cost of the rules.",
            on_click=_find_free,
            args=(first,),
        )
    elif free.is_over:
        loss = Loss.of(solved_problem(job))
        st.markdown(plain(rules_cost_words(loss, _reach(job), _reach(free))))
    else:
        _watch_free(free)


def _reach(job: Job) -> Reach:
    """Return the status, the total and the bound of a finished run."""
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
    """Draw the progress of the run without rules."""
    if job.is_over:
        st.rerun()
    draw_job_progress(job, "the best tree without these rules")
    st.button("Stop", key=keys.STOP_FREE, on_click=job_manager().cancel, args=(job,))
