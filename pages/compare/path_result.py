"""The result of a path: its figure, one of its trees, a table."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from odt_core.export import tree_from_json
from odt_core.figures import Chart, path_chart
from odt_core.jobs import Batch
from odt_core.studies import PathPoint, PathView, path_csv
from odt_core.topology import AnyShape
from odt_core.words import count_words, percent_words, seconds_words
from pages.common.controls import draw_figure_downloads, draw_file
from pages.common.current_run import changes_since, draw_changes, train_now, unfinished_job
from pages.common.drawings import draw_chart, draw_tree
from pages.common.layout import current_theme, side_by_side
from pages.common.markup import file_stem, html_text, plain, plain_table
from pages.common.session import is_pressed, note_press
from pages.common.studies import draw_study_failure
from pages.common.tables import ReadyData, rows_of

CHOSEN = "path_chosen"
"""Key of the chosen number of questions."""
TRAIN = "Train with this number of questions"


def draw_path_result(data: ReadyData, batch: Batch, view: PathView | None) -> None:
    """Draw the result of the finished paths.

    Parameters
    ----------
    data : ReadyData
        The current data set with its split.
    batch : Batch
        The study, which is over.
    view : PathView or None
        The result; None without a tree.
    """
    nothing = "It was stopped before a tree was found." if view is None else ""
    draw_study_failure(batch, nothing=nothing)
    if view is None:
        return
    changed = changes_since(batch.jobs[0], data, None)
    draw_changes(changed, "This path was made", "Find the path again")
    with st.container(border=True, key="path_verdict"):
        for sentence in verdict_sentences(view):
            st.markdown(plain(sentence))
    st.caption(plain(_made_words(batch, view)))
    chosen = _choose(view)
    left, right = side_by_side("path_sides")
    with left:
        draw_path_figure(view, "path_figure", chosen=chosen, is_final=True)
        _draw_choice(batch, view, chosen, changed=bool(changed))
    with right:
        _draw_tree(batch, view.points[chosen])
    _draw_table(view)


def _draw_choice(batch: Batch, view: PathView, chosen: int, *, changed: bool) -> None:
    """Draw the slider that chooses a tree, the button that trains it, and the downloads."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            "Most questions",
            0,
            len(view.points) - 1,
            key=CHOSEN,
            persist_state="session",
            width=330,
        )
        if not changed and chosen:
            goes_on = unfinished_job() is not None
            st.button(TRAIN, key="path_train", disabled=goes_on, **note_press(TRAIN))
        stem = file_stem(batch.jobs[0].spec.table_name, "path")
        with st.popover("Download", width="content"):
            draw_file("Points and trees (CSV)", lambda: path_csv(view), f"{stem}.csv", "text/csv")
            draw_figure_downloads(
                lambda: _chart(view, chosen),
                stem,
            )


def train_pressed(data: ReadyData, batch: Batch) -> None:
    """Train with the chosen number of questions if the button was pressed (see `train_now`)."""
    chosen = st.session_state.get(CHOSEN)
    if is_pressed(TRAIN) and chosen and unfinished_job() is None:
        spec, shape = batch.jobs[0].spec.train, AnyShape(int(chosen))
        train_now(data, replace(spec, topology=shape, schema=data.schema, split=data.split))


def _choose(view: PathView) -> int:
    """Return the chosen number of questions, from a click on a point or the slider."""
    last = len(view.points) - 1
    if st.session_state.get(CHOSEN) not in range(last + 1):
        st.session_state[CHOSEN] = last if view.elbow is None else view.elbow
    return int(st.session_state[CHOSEN])


def verdict_sentences(view: PathView) -> list[str]:
    """Say how many questions are worth asking, from the finished folds."""
    last = view.points[-1]
    sentences = []
    if view.least is not None:
        sentences.append(
            f"Least errors on unseen rows, over {count_words(view.n_folds, 'fold')}: "
            f"{percent_words(view.least.share)} with at most "
            f"{count_words(view.least.questions, 'question')}."
        )
        if view.elbow is not None and view.elbow != view.best:
            sentences.append(
                f"With at most {count_words(view.elbow, 'question')} the errors are within one "
                "standard error of this least value: this is the elbow."
            )
    elif last.train is not None:
        sentences.append(
            f"With at most {count_words(last.questions, 'question')}, at least "
            f"{count_words(last.train.errors, 'training row is', 'training rows are')} wrong."
            if last.is_proved
            else f"With at most {count_words(last.questions, 'question')}, the best tree found has "
            f"{count_words(last.train.errors, 'training row')} wrong."
        )
    open_ = [point for point in view.points if not point.is_proved]
    if open_:
        numbers = ", ".join(str(point.questions) for point in open_)
        sentences.append(f"Not proved: {numbers}. {open_[-1].words}.")
    return sentences


def _made_words(batch: Batch, view: PathView) -> str:
    """Name the rows and the time of the path; plain text."""
    spec = batch.jobs[0].spec
    words = f"{spec.table_name}: the training rows"
    n_folds = len(batch.jobs) - 1
    if n_folds:
        words += f" and {view.n_folds} of {count_words(n_folds, 'fold')}"
    return f"{words}, in {seconds_words(batch.seconds)}. Trees of any shape, at most four levels."


def draw_path_figure(
    view: PathView, key: str, *, chosen: int | None = None, is_final: bool = False
) -> None:
    """Draw the figure of a path by size. In a final result, a click on a point chooses its tree."""
    draw_chart(
        _chart(view, chosen),
        key=key,
        on_point=_choose_clicked if is_final else None,
    )
    words = "A filled point is proved: no tree of any shape with as many questions is better."
    if view.unseen:
        words += " The points of unseen rows are means over folds, with one standard error."
    st.caption(f"{words} Click a point to see its tree." if is_final else words)


def _chart(view: PathView, chosen: int | None) -> Chart:
    return path_chart(view, chosen=chosen, theme=current_theme())


def _choose_clicked(number: object) -> None:
    """Choose the point that was clicked."""
    if isinstance(number, int):
        st.session_state[CHOSEN] = number


def _draw_tree(batch: Batch, point: PathPoint) -> None:
    """Draw the chosen tree with its errors and its status."""
    if point.tree is None or point.train is None:
        st.info(plain(f"{point.words}."))
        return
    errors = f"{point.train.errors:,} of {count_words(point.train.n, 'training row')} wrong"
    if point.test is not None:
        errors += f", {point.test.errors:,} of {count_words(point.test.n, 'test row')}"
    words = f"{errors}. {point.words}."
    st.markdown(f"**At most {count_words(point.questions, 'question')}:** {plain(words)}")
    draw_tree(tree_from_json(point.tree), rows_of(batch.jobs[0]).test, key="path_tree")


def _draw_table(view: PathView) -> None:
    unseen = {each.questions: each for each in view.unseen}
    head = ["Most questions", "Wrong in training", "Proved", "Questions per case, at most"]
    head += ["Wrong on unseen rows"] if unseen else []
    rows = []
    for point in view.points:
        proved = "yes" if point.is_proved else "no"
        wrong = "–" if point.train is None else f"{point.train.errors:,}"
        per_case = "–" if point.tree is None else str(tree_from_json(point.tree).depth)
        cells = [str(point.questions), wrong, proved, per_case]
        each = unseen.get(point.questions)
        if unseen:
            error = "" if each is None else percent_words(each.share)
            if each is not None and each.standard_error is not None:
                error += f" ± {percent_words(each.standard_error)}"
            cells.append(error or "–")
        rows.append([html_text(cell) for cell in cells])
    names = [html_text(name) for name in head]
    st.html(plain_table("The path by the largest number of questions", names, rows))
