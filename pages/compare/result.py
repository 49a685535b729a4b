"""The result of a comparison: the choice, the figures, a tree, a table."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from odt_core.evaluation import FAIRNESS, Measure
from odt_core.jobs import Batch, Job
from odt_core.studies import (
    CandidateRow,
    Comparison,
    FoldRates,
    TreeCandidate,
    comparison_csv,
)
from odt_core.studies.comparison_words import (
    INTERVALS,
    SIMPLICITY,
    honesty_words,
    interval_words,
    measure_words,
    points_words,
    short_seconds,
    verdict_words,
)
from odt_core.words import count_words, goal_words, percent_words, seconds_words
from pages.common.controls import draw_figure_downloads, draw_file
from pages.common.current_run import (
    EVERY,
    changes_since,
    draw_changes,
    draw_job_progress,
    has_tree,
    is_over_or_proved,
    train_now,
    unfinished_job,
)
from pages.common.drawings import draw_tree
from pages.common.layout import side_by_side
from pages.common.markup import file_stem, html_text, plain, plain_table, value_html
from pages.common.results import draw_verdict
from pages.common.session import Place, is_pressed, note_press, work
from pages.common.studies import draw_study_failure
from pages.common.tables import ReadyData, rows_of
from pages.compare.figure import (
    CHOSEN,
    draw_comparison_figure,
    make_chart,
)

TRAIN = "Train this on all training rows"


def draw_comparison(data: ReadyData, batch: Batch, found: Comparison) -> None:
    """Draw the result of the finished folds.

    Parameters
    ----------
    data : ReadyData
        The current data set with its split.
    batch : Batch
        The study, which is over.
    found : Comparison
        The result.
    """
    nothing = "" if found.rows else "It was stopped before the first fold was done."
    draw_study_failure(batch, nothing=nothing)
    if nothing:
        return
    changed = _changes(data, batch)
    draw_changes(changed, "This comparison was made", "Compare again")
    _draw_verdict(found)
    st.caption(plain(_made_words(batch, found)))
    left, right = side_by_side("compare_sides")
    with left:
        shown = draw_comparison_figure(found, "compare_figure", is_final=True)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = _draw_choice(found)
            if chosen is not None and not changed:
                _draw_train()
            _draw_downloads(batch, found, shown)
    if chosen is not None:
        with right:
            _draw_chosen(batch, chosen)
    _draw_table(found)
    for words in (INTERVALS, SIMPLICITY, *([FAIRNESS] if found.has_sets else [])):
        st.caption(plain(words))


def _changes(data: ReadyData, batch: Batch) -> list[str]:
    """The settings that changed since the comparison. With all rows, the split does not count."""
    first = batch.jobs[0]
    takes_all = first.spec.train.split.train_size == "all"
    found = changes_since(first, data, None)
    return [name for name in found if not (takes_all and name == "the split")]


def _draw_verdict(found: Comparison) -> None:
    with st.container(border=True, key="compare_verdict"):
        first, *others = verdict_words(found)
        st.markdown(f"**{plain(first)}**")
        for words in filter(None, [*others, honesty_words(found)]):
            st.markdown(plain(words))


def _made_words(batch: Batch, found: Comparison) -> str:
    """Name the rows, the time and the goal of the comparison; plain text."""
    spec = batch.jobs[0].spec
    words = f"{spec.table_name}: {count_words(found.n_folds, 'fold')}"
    if found.n_folds < len(batch.jobs):
        words += f" of {len(batch.jobs)}"
    rows = "all rows" if spec.train.split.train_size == "all" else "the training rows"
    return (
        f"{words} of {rows} in {seconds_words(batch.seconds)}, {goal_words(spec.train.objective)}."
    )


def _draw_choice(found: Comparison) -> TreeCandidate | None:
    """Draw the choice of a candidate. A click on a point also sets it; None without a tree."""
    trees = {row.words: row.candidate for row in found.rows if not row.is_baseline and row.n_trees}
    if not trees:
        return None
    if st.session_state.get(CHOSEN) not in trees:
        best = next(iter(trees)) if found.best is None else found.rows[found.best].words
        st.session_state[CHOSEN] = best
    name = st.selectbox("Candidate", list(trees), key=CHOSEN, persist_state="session", width=330)
    candidate = trees[str(name)]
    assert isinstance(candidate, TreeCandidate)
    return candidate


def train_pressed(data: ReadyData, batch: Batch, found: Comparison) -> None:
    """Train the chosen candidate if the button was pressed (see `train_now`)."""
    name = st.session_state.get(CHOSEN)
    chosen = next((row.candidate for row in found.rows if row.words == name), None)
    if is_pressed(TRAIN) and isinstance(chosen, TreeCandidate) and unfinished_job() is None:
        spec = batch.jobs[0].spec.train
        train_now(data, chosen.apply(replace(spec, schema=data.schema, split=data.split)))


def _draw_train() -> None:
    """Draw the button that trains the chosen candidate and makes its tree current."""
    goes_on = unfinished_job() is not None
    st.button(TRAIN, key="compare_train", type="primary", disabled=goes_on, **note_press(TRAIN))


def _draw_chosen(batch: Batch, candidate: TreeCandidate) -> None:
    """Draw the chosen candidate's tree, if it is trained on all training rows."""
    job, first = work().job, batch.jobs[0].spec
    if job is None or job.spec.dataset != first.dataset:
        return
    spec = job.spec.train
    base = replace(first.train, split=spec.split)
    if candidate.apply(base).to_json() != spec.to_json():
        return
    if not is_over_or_proved(job):
        _watch_training(job)
    elif has_tree(job.as_shown()):
        _draw_trained(job.as_shown())
    else:
        st.error(plain(job.message or "No tree was found: see the Train page."))


@st.fragment(run_every=EVERY)
def _watch_training(job: Job) -> None:
    if is_over_or_proved(job):
        st.rerun()
    draw_job_progress(job, "the best tree")


def _draw_trained(job: Job) -> None:
    result = job.trained
    assert result is not None and result.train is not None
    draw_verdict(job.spec.train.objective, result.train, result.test)
    draw_tree(result.tree, rows_of(job).test, key="compare_tree")
    st.page_link(Place.TRAIN, label="**See all of this tree on the Train page →**")


def _draw_downloads(batch: Batch, found: Comparison, shown: str) -> None:
    stem = file_stem(batch.jobs[0].spec.table_name, "comparison")
    with st.popover("Download", width="content"):
        draw_file("Table (CSV)", lambda: comparison_csv(found), f"{stem}.csv", "text/csv")
        draw_figure_downloads(
            lambda: make_chart(found, shown),
            f"{stem}-{shown.lower().replace(' ', '-')}",
        )


def _draw_table(found: Comparison) -> None:
    """Draw the table of the candidates, with all rates in an expander."""
    st.header("All candidates", anchor=False)
    head = ["", f"Test {measure_words(found)} (95% interval)", "Difference to the best, points"]
    head += [f"Folds below the {measure.words} floor" for measure, _ in found.floors]
    head += ["Leaves", "Questions per case", "Seconds per fold", "Proved"]
    names = [html_text(name) for name in head]
    rows = [_cells(found, row, place) for place, row in enumerate(found.rows)]
    caption = "Candidates with their test rate, size and time"
    st.html(plain_table(caption, names, rows, is_wide=True))
    with st.expander("All rates, in training and in test", key="compare_rates"):
        head = ["", *(measure.words.capitalize() for measure in Measure)]
        cells = [
            [_name_html(row), *(_both_rates(row, measure) for measure in Measure)]
            for row in found.rows
        ]
        caption = "Rates of the candidates in training and in test"
        st.html(plain_table(caption, [html_text(name) for name in head], cells, is_wide=True))
        st.caption(
            "Each rate is a mean ± standard deviation over folds, in training above and in test "
            "below."
        )


def _cells(found: Comparison, row: CandidateRow, place: int) -> list[str]:
    choices = (("best", found.best), ("simplest", found.simplest))
    return [
        _name_html(row, *(word for word, at in choices if at == place)),
        _interval_html(interval_words(row.score)),
        "–" if place == found.best else _interval_html(points_words(row.difference)),
        *(f"{row.n_below(*floor)} of {row.n_trees}" for floor in found.floors),
        *(html_text("–" if n is None else f"{n:.1f}") for n in (row.leaves, row.questions)),
        html_text(short_seconds(row.seconds)),
        "" if row.is_baseline else html_text(f"{row.n_proved} of {len(row.runs)}"),
    ]


def _name_html(row: CandidateRow, *choices: str) -> str:
    """A candidate's name, marked as best or simplest."""
    marks = f" <i>{html_text(', '.join(choices))}</i>" if choices else ""
    return f'<div style="min-width:6rem"><b>{html_text(row.words)}</b>{marks}</div>'


def _interval_html(words: str) -> str:
    """A number and its interval on two lines."""
    mean, _, interval = words.partition(" ")
    return value_html(mean, interval)


def _both_rates(row: CandidateRow, measure: Measure) -> str:
    """A rate in training above the rate in test; HTML."""
    both = (row.train(measure), row.test(measure))
    return "<br>".join(html_text(_rate_words(rates)) for rates in both)


def _rate_words(rates: FoldRates) -> str:
    if rates.mean is None:
        return "–"
    spread = "" if rates.deviation is None else f" ± {100 * rates.deviation:.1f}"
    return f"{percent_words(rates.mean)}{spread}"
