"""The view Change a question: the tree, a ranking of columns at a question, and the change."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from odt_core.alternatives.edits import PlacedTree, QuestionChange
from odt_core.alternatives.question import Loss, Others, RankedColumn, Ranking
from odt_core.errors import InputError
from odt_core.figures import ColumnBar, ranking_chart
from odt_core.figures.ranking import MOST_BARS
from odt_core.jobs import Job, JobKind, JobSpec
from odt_core.solution import Engine, Status
from odt_core.tree import Tree
from odt_core.words import capitalized, count_words, list_words, number_words, typeset_words
from pages.alternatives import keys
from pages.alternatives.changes import (
    SOLVE,
    ChosenQuestion,
    added_changes,
    draw_added,
    draw_change,
    draw_steps,
    solve_pressed,
)
from pages.alternatives.node_choice import let_choose
from pages.alternatives.rankings import (
    forget_ranking,
    known_or_new,
    question_key,
    show_opened_ranking,
)
from pages.common.current_run import EVERY, notice
from pages.common.drawings import draw_chart, draw_tree
from pages.common.layout import current_theme
from pages.common.markup import isolate, name_html, plain, plain_table, shorten
from pages.common.server import job_manager
from pages.common.session import press, say, this_page
from pages.common.settings import OTHERS_WORDS
from pages.common.studies import MOST_SECONDS_EACH
from pages.common.tables import ReadyData, rows_of
from pages.common.widgets import start_value

MOST_NAMED = 8
log = logging.getLogger("pages.alternatives.question")


def draw_one_question(data: ReadyData, job: Job) -> None:
    """Draw the tree with its chosen question, the ranking of columns, and the change.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job
        The current training run, which has a tree.
    """
    show_opened_ranking(job.id)
    solve_pressed(data, job)
    assert job.trained is not None
    tree = job.trained.tree
    if notice():
        st.error(plain(notice()))
    try:
        placed = PlacedTree.of(job.spec.train, tree)
    except InputError as error:
        draw_steps(job, None)
        st.info(plain(str(error)))
        return
    draw_steps(job, placed)
    left, right = st.columns([3, 2], gap="large")
    with left:
        question = _choose_question(tree, job.id)
        others = _choose_others()
        draw_tree(tree, rows_of(job).test, key=keys.TREE)
        let_choose(tree, keys.TREE, question, partial(_choose, job.id))
        st.caption(
            "Click a question. Or use the keyboard: go to the tree with Tab, move with the arrow "
            "keys, and press Enter."
        )
    chosen = ChosenQuestion(job.id, placed, question, others)
    with right:
        ranking = _draw_ranking(job, chosen)
    with left:
        with st.container(border=True):
            is_needed = ranking is not None and _is_needed(ranking, chosen.column)
            draw_change(chosen, _ranked(chosen, ranking), is_needed=is_needed)
        draw_added(chosen)


def _choose(run_id: str, question: int) -> None:
    st.session_state[question_key(run_id)] = question


def _choose_question(tree: Tree, run_id: str) -> int:
    """Draw the list of questions. A click in the drawing also sets it."""
    places = range(len(tree.decisions))
    # With one key for all trees, the list would still show the questions of the earlier tree.
    key = question_key(run_id)
    if st.session_state.get(key) not in places:
        last = st.session_state.get(keys.QUESTION, 0)
        st.session_state[key] = min(last, len(places) - 1)
    words = [typeset_words(tree, node, 3).question for node in tree.decisions]
    chosen: int = st.selectbox(
        "Question",
        places,
        format_func=lambda place: isolate(shorten(f"{place + 1}: {words[place]}", 80)),
        key=key,
        persist_state="session",
    )
    st.session_state[keys.QUESTION] = chosen
    return chosen


def _choose_others() -> Others:
    """Draw the choice of what else may change."""
    chosen = st.segmented_control(
        "What else may change",
        [*OTHERS_WORDS],
        format_func=OTHERS_WORDS.__getitem__,
        key=start_value(keys.OTHERS, Others.FREE),
        required=True,
        persist_state="session",
        help="Each time, the search finds the best tree. With *Not the questions above*, the "
        "question gets the same rows as now.",
    )
    return Others(chosen or Others.FREE)


def _ranked(chosen: ChosenQuestion, ranking: Ranking | None) -> list[str]:
    """The other columns that the question could be about. The best is first, if they are ranked."""
    placed = chosen.placed
    features, forbidden = placed.tree.features, placed.spec.rules.forbidden
    names = [feature.name for feature in features if feature.name not in forbidden]
    if ranking is not None:
        names = [column.name for column in ranking.columns]
    return [name for name in names if name != chosen.column]


def _is_needed(ranking: Ranking, name: str) -> bool:
    """Whether it is proved that no other column helps at a question."""
    others = (column for column in ranking.columns if column.name != name)
    return ranking.left == 0 and all(column.helps(ranking.without) is False for column in others)


# ---------------------------------------------------------------- the ranking


def _draw_ranking(job: Job, chosen: ChosenQuestion) -> Ranking | None:
    """Draw the columns that the question could be about, the best first.

    Returns
    -------
    Ranking or None
        The ranking; None until it is finished.
    """
    question, others, name = chosen.number, chosen.others, chosen.column
    st.header(f"What could question {question + 1} be about?", anchor=False)
    spec, part = chosen.placed.ranking_of(question, others)
    seconds = float(st.session_state.get(keys.RANKING_SECONDS, 10))
    train = replace(spec, engine=Engine.SEARCH, time_limit=seconds)
    asked = replace(job.spec, kind=JobKind.QUESTION, part=part, train=train)
    found = known_or_new(asked, job.id)
    if not found.is_over:
        _watch(found, name, others)
        return None
    if found.result is None:
        st.error(plain(found.message or "The ranking was stopped before a column was tried."))
        _draw_again(asked, "Try again", seconds)
        return None
    ranking = Ranking.from_json(found.result)
    page = this_page()

    def take(column: str) -> None:
        try:
            press(SOLVE, page, chosen.with_added(QuestionChange.column(question, column)))
        except InputError as error:  # a change that waits contradicts it
            say(plain(str(error)))

    _draw_found(ranking, name, others, take)
    _draw_unproved(ranking, asked, seconds)
    if added_changes(job.id):
        st.caption("This ranking does not include the changes that wait to be solved.")
    if any(place.question == question and place.rule for place in chosen.placed.root.walk()):
        st.caption("This ranking does not include the rule for this question itself.")
    return ranking


def _draw_again(asked: JobSpec, words: str, seconds: float) -> None:
    """Draw the button that ranks again. `seconds` is the time limit for each column."""
    st.button(
        words, key=keys.RANK_AGAIN, type="tertiary", on_click=forget_ranking, args=(asked, seconds)
    )


@st.fragment(run_every=EVERY)
def _watch(found: Job, name: str, others: Others) -> None:
    """Draw the ranking so far. Draw the page again when all columns are tried."""
    if found.is_over:
        st.rerun()
    so_far = None if found.best is None else Ranking.from_json(found.best)
    tried = 0 if so_far is None else len(so_far.columns)
    left = 1 if so_far is None else so_far.left
    with st.container(horizontal=True, vertical_alignment="center", key=keys.RANKING_PROGRESS):
        st.progress(
            tried / max(tried + left, 1),
            text="Trying each column"
            if so_far is None
            else f"{tried} of {count_words(tried + left, 'column')} tried",
        )
        st.button("Stop", key=keys.STOP_RANKING, on_click=job_manager().cancel, args=(found,))
    if so_far is not None:
        _draw_figure(so_far, name, others, None)


def _draw_found(ranking: Ranking, name: str, others: Others, take: Callable[[str], None]) -> None:
    """Draw a finished ranking: headline, figure, remarks and table."""
    st.markdown(plain(headline(ranking, name)))
    _draw_figure(ranking, name, others, take)
    for sentence in _sentences(ranking):
        st.caption(plain(sentence))
    with st.expander("All columns as a table", key=keys.RANKING_TABLE):
        st.html(_table(ranking, name))


def headline(ranking: Ranking, name: str) -> str:
    """Say what the question is about now, and which columns are better or as good."""
    loss = ranking.loss
    now = f"It is about {shorten(name, 40)} now"
    current = next((c.reach.total for c in ranking.columns if c.name == name), None)
    if current is None:
        return f"{now}: with it, no tree is known yet."
    sentences = [f"{now}: at best {loss.words(loss.value(current))}."]
    others = [c for c in ranking.columns if c.name != name]
    totals = {c.name: c.reach.total for c in others if c.reach.total is not None}
    better = [other for other, total in totals.items() if total > current]
    equal = [other for other, total in totals.items() if total == current]
    if better:
        sentences.append(f"{_first(better)} {'is' if len(better) == 1 else 'are'} better here.")
    if equal:
        sentences.append(f"{_first(equal)} {'is' if len(equal) == 1 else 'are'} as good here.")
    if others and not ranking.left and all(_is_worse(column, current) for column in others):
        sentences.append("It is proved that every other column is worse here.")
    return " ".join(sentences)


def _is_worse(column: RankedColumn, total: int) -> bool:
    """Whether it is proved that every tree with this column here is worse than `total`."""
    reach = column.reach
    is_below = reach.bound is not None and reach.bound < total
    return reach.status is Status.INFEASIBLE or is_below


def _sentences(ranking: Ranking) -> list[str]:
    """Name the columns that do not help, and the columns that this question cannot be about."""
    loss, without = ranking.loss, ranking.without
    useless = [c.name for c in ranking.columns if _is_useless(c, ranking)]
    impossible = [c.name for c in ranking.columns if c.reach.status is Status.INFEASIBLE]
    found = []
    if useless and without.total is not None:
        found.append(
            f"{_first(useless)} {'does' if len(useless) == 1 else 'do'} not help here: the tree is "
            f"no better than without this question ({loss.words(loss.value(without.total))})."
        )
    if impossible:
        found.append(f"No tree meets the conditions with {_first(impossible)} here.")
    return found


def _is_useless(column: RankedColumn, ranking: Ranking) -> bool:
    possible = column.reach.status is not Status.INFEASIBLE
    return possible and column.helps(ranking.without) is False


def _first(names: list[str]) -> str:
    short = [shorten(name, 40) for name in names]
    if len(short) <= MOST_NAMED:
        return list_words(short, " and ")
    more = len(short) - MOST_NAMED
    return f"{', '.join(short[:MOST_NAMED])} and {count_words(more, 'other')}"


def _bar(column: RankedColumn, loss: Loss, name: str) -> ColumnBar:
    total, bound = column.reach.total, column.reach.bound
    assert total is not None
    value = loss.value(total)
    least = value if bound is None else loss.value(bound)
    return ColumnBar(column.name, float(value), float(least), column.name == name)


def _draw_figure(
    ranking: Ranking, name: str, others: Others, take: Callable[[str], None] | None
) -> None:
    """Draw a bar for each column. A click on a bar requests a run with its column."""
    loss, without = ranking.loss, ranking.without
    bars = [
        _bar(column, loss, name)
        for column in ranking.columns
        if column.reach.total is not None
        and (column.name == name or not _is_useless(column, ranking))
    ]
    if not bars:
        return
    draw_chart(
        ranking_chart(
            bars,
            loss.name,
            without=None if without.total is None else float(loss.value(without.total)),
            is_share=loss.is_share,
            theme=current_theme(),
        ),
        key=keys.RANKING if take is not None else keys.LIVE_RANKING,
        on_point=take,
    )
    all_else = {
        Others.FREE: "all other questions may change",
        Others.BELOW: "the questions above it stay as they are",
        Others.KEPT: "all other questions stay as they are",
    }[others]
    more = len(bars) - MOST_BARS
    rest = f" {count_words(more, 'further column')} in the table." if more > 0 else ""
    st.caption(
        f"The fewest {loss.name} that the whole tree can have with each column here; {all_else}."
        f"{rest}" + (" Click a bar to ask about that column and solve again." if take else "")
    )


def _draw_unproved(ranking: Ranking, asked: JobSpec, seconds: float) -> None:
    """Name the columns that are not proved or not tried, and offer more time."""
    if ranking.left:
        untried = count_words(ranking.left, "column was", "columns were")
        st.caption(f"The ranking was stopped: {untried} not tried.")
        _draw_again(asked, "Try all columns", seconds)
    elif ranking.unproved:
        names = _first(list(ranking.unproved))
        st.caption(plain(f"Not proved in {number_words(seconds)} s for each: {names}."))
        more = min(6 * seconds, MOST_SECONDS_EACH)
        if more > seconds:
            _draw_again(asked, f"Give each column {number_words(more)} s", more)


def _table(ranking: Ranking, name: str) -> str:
    """Write the table of all columns: the best result with each, and whether it is proved."""
    rows = [
        [
            name_html(column.name) + (" <b>(current)</b>" if column.name == name else ""),
            _reach_words(column, ranking),
            _status_words(column, ranking),
        ]
        for column in ranking.columns
    ]
    head = ["Column", capitalized(ranking.loss.name), ""]
    return plain_table("Columns at this question", head, rows)


def _reach_words(column: RankedColumn, ranking: Ranking) -> str:
    total = column.reach.total
    return "–" if total is None else ranking.loss.number(ranking.loss.value(total))


def _status_words(column: RankedColumn, ranking: Ranking) -> str:
    reach = column.reach
    if reach.status is Status.INFEASIBLE:
        return "no such tree, proved"
    if column.helps(ranking.without) is False:
        return "does not help here, proved"
    if reach.status is Status.OPTIMAL:
        return "proved"
    if reach.bound is None:
        return "not proved"
    return f"not proved; {ranking.loss.number(ranking.loss.value(reach.bound))} at best"
