"""Near-optimal trees on the page: what is proved, a gallery, one beside the best, the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from odt_core.alternatives import AlternativesView, AlternativeTree, alternatives_csv
from odt_core.confusion import Confusion
from odt_core.evaluation import tree_changes
from odt_core.exact import exact_decimal
from odt_core.export import tree_to_json
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.problem import EncodedData
from odt_core.render import (
    ColumnMark,
    columns_alt_text,
    columns_figure,
    small_tree_dot,
    tree_summary,
)
from odt_core.studies import Adoption, Source
from odt_core.topology import Topology
from odt_core.words import count_words, percent_words, printable, seconds_words
from pages.common.drawings import draw_chart, draw_tree
from pages.common.intents import forget_press, is_pressed, note_press
from pages.common.layout import current_theme, draw_part
from pages.common.runs import start_job, unfinished_job
from pages.common.tables import ReadyData, rows_of
from pages.common.text import file_stem, plain, shorten
from pages.sensitivity.downloads import (
    draw_figure_downloads,
    draw_file,
    draw_formula_switch,
    result_json,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

CHOSEN, PAGE = "near_chosen", "near_page"
WITHOUT, ONLY, MOST_COST = "near_without", "near_only", "near_most_cost"
"""Keys of the widgets."""
MAKE = "Make current"
A_PAGE = 8
"""Trees in the gallery at a time."""
A_LINE = 4
"""Trees of the gallery side by side."""
SHORT, TALL = 12, 440
"""Rows up to which a table has its full height, and the height of a longer one in pixels."""


@dataclass(frozen=True, eq=False)
class _Shown:
    """What the page shows.

    Attributes
    ----------
    view : AlternativesView
        All trees.
    trees : tuple of AlternativeTree
        Those that pass the filters.
    costs : mapping of str to Fraction
        What asking a column costs.
    test : EncodedData or None
        The test rows.
    """

    view: AlternativesView
    trees: tuple[AlternativeTree, ...]
    costs: Mapping[str, Fraction]
    test: EncodedData | None


def draw_near_result(
    data: ReadyData,
    job: Job | None,
    batch: Batch,
    view: AlternativesView,
    costs: Mapping[str, Fraction],
) -> None:
    """Draw the trees of a list that is over.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job or None
        The current training run, which has a tree.
    batch : Batch
        The list.
    view : AlternativesView
        Its trees.
    costs : mapping of str to Fraction
        What asking a column costs; 1 where it is not named.
    """
    draw_part(_draw_changes, data, job, batch)
    _draw_proof(batch, view)
    if not view.trees:
        return
    trees = _draw_filters(view, costs)
    shown = _Shown(view, trees, costs, rows_of(batch.jobs[0]).test)
    if trees:
        _draw_gallery(shown)
        _draw_beside_best(job, shown)
    else:
        st.info(
            "No tree of the list passes these filters. Take one back, list more trees, or "
            "ignore the column on the Data page: then the list has the best trees without it."
        )
    if trees:
        _draw_table(shown)
    _draw_columns(batch, shown)


def _draw_changes(data: ReadyData, job: Job | None, batch: Batch) -> None:
    spec = batch.jobs[0].spec
    if (spec.dataset, spec.read) != (data.dataset.sha256, data.dataset.read):
        what = "from another data set"
    elif job is not None and not _is_same_problem(spec, job.spec):
        what = "with other settings than those of the current tree"
    else:
        return
    st.warning(f"This list was made {what}. List again to bring it up to date.")


_SETTINGS = ("schema", "split", "max_card", "rules", "smallest_leaf", "feature_selection")
"""What decides which trees there are, besides shape and goal."""


def _is_same_problem(listed: JobSpec, current: JobSpec) -> bool:
    """Whether a list has the trees of the current run's problem."""
    names = list(_SETTINGS)
    if not isinstance(current.part, Adoption):  # its shape and floor come from a study
        names += ["objective", "topology"]
    a, b = listed.train.to_json(), current.train.to_json()
    return all(a[name] == b[name] for name in names)


def _draw_proof(batch: Batch, view: AlternativesView) -> None:
    spec, rows = batch.jobs[0].spec, rows_of(batch.jobs[0])
    with st.container(border=True, key="near_proof"):
        st.markdown(f"**{plain(view.proof_words())}**")
        if view.trees:
            n = count_words(rows.train.n_rows, "training row")
            st.markdown(
                plain(
                    f"This is about the {n}. Trees that are as good there need not be as good on "
                    "new cases: look at the test columns, too."
                )
            )
    best = count_words(view.n_best, "choice of columns reaches", "choices of columns reach")
    least = "" if view.is_n_best_complete else "at least "
    ties = f" {least[:1].upper()}{least[1:]}{best} the optimum." if view.n_best else ""
    seconds = seconds_words(float(view.record["seconds"]))
    st.caption(plain(f"{spec.table_name}, in {seconds}.{ties}"))


def _draw_filters(
    view: AlternativesView, costs: Mapping[str, Fraction]
) -> tuple[AlternativeTree, ...]:
    """Draw the filters; the trees that pass them."""
    names = [feature.name for feature in view.features]
    for key in (WITHOUT, ONLY):
        if not set(st.session_state.get(key, ())) <= set(names):
            st.session_state[key] = []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        without = _choose_columns("Without these columns", WITHOUT, names)
        only = _choose_columns("Only these columns", ONLY, names)
        text = st.text_input(
            "Cost per case at most",
            key=MOST_COST,
            persist_state="session",
            placeholder="any",
            max_chars=12,
            width=180,
            help="The mean over training rows of what the asked columns cost.",
        )
    most = exact_decimal(text.strip().replace(",", ".")) if text.strip() else None
    if text.strip() and most is None:
        st.error(plain(f"The cost per case is {text!r}: give a number from 0 on."))
    found = view.chosen(without=without, only=only, most_cost=most, costs=costs)
    st.caption(f"{len(found):,} of {count_words(len(view.trees), 'listed tree')}.")
    return found


def _choose_columns(label: str, key: str, names: Sequence[str]) -> list[str]:
    return st.multiselect(
        label,
        names,
        key=key,
        persist_state="session",
        placeholder="any",
        format_func=lambda name: shorten(name, 40),
        width=260,
    )


# ---------------------------------------------------------------- the gallery


def _draw_gallery(shown: _Shown) -> None:
    """Draw some of the trees small, each with a button that shows it beside the best."""
    chosen, pages = _chosen(shown), -(-len(shown.trees) // A_PAGE)
    first = (min(int(st.session_state.get(PAGE, 1)), pages) - 1) * A_PAGE
    some = shown.trees[first : first + A_PAGE]
    for start in range(0, len(some), A_LINE):
        columns = st.columns(A_LINE, gap="small")
        for column, tree in zip(columns, some[start : start + A_LINE], strict=False):
            with column, st.container(border=True, key=f"near_card_{tree.place}"):
                _draw_card(shown, tree, is_chosen=tree.place == chosen.place)
    positive = shorten(some[0].own_tree.positive_label, 30)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.caption(plain(f"Solid line: yes. Dashed line: no. A plus says {positive}."))
        if pages > 1:
            st.pagination(pages, key=PAGE)


def _draw_card(shown: _Shown, tree: AlternativeTree, *, is_chosen: bool) -> None:
    name = f"No. {tree.place + 1}"
    test = "" if tree.test is None else f" · test {tree.test.errors:,}"
    st.markdown(f"**{name}** · {tree.train.errors:,} wrong{test}")
    dot = small_tree_dot(tree.own_tree, theme=current_theme())
    st.graphviz_chart(dot, alt=tree_summary(tree.own_tree), width="stretch")
    st.button(
        f"{name} is shown below" if is_chosen else f"Show {name}",
        key=f"near_show_{tree.place}",
        width="stretch",
        disabled=is_chosen,
        on_click=_choose,
        args=(tree.place,),
    )


def _choose(place: int) -> None:
    st.session_state[CHOSEN] = place


def _chosen(shown: _Shown) -> AlternativeTree:
    """The tree that is shown beside the best; the second of the list to begin with."""
    places = [tree.place for tree in shown.trees]
    if st.session_state.get(CHOSEN) not in places:
        st.session_state[CHOSEN] = next((place for place in places if place), places[0])
    return shown.view.trees[int(st.session_state[CHOSEN])]


# ---------------------------------------------------------------- one beside the best


def _draw_beside_best(job: Job | None, shown: _Shown) -> None:
    """Draw the chosen tree beside the optimum, with what differs marked."""
    view, chosen = shown.view, _chosen(shown)
    best = view.trees[0]
    changes = tree_changes(view.tree(0), view.tree(chosen.place))
    features = view.features if shown.test is None else shown.test.features
    with st.container(border=True, key="near_beside"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Tree beside the best",
                [tree.place for tree in shown.trees],
                key=CHOSEN,
                persist_state="session",
                format_func=lambda place: _name(view.trees[place]),
                width=420,
            )
            _draw_make_current(job, chosen)
        pairs = [("The best tree", best, changes.before)]
        if chosen.place:
            pairs.append((f"No. {chosen.place + 1}", chosen, changes.after))
        places = st.columns(2, gap="medium") if chosen.place else [st.container()]
        for column, (name, tree, marked) in zip(places, pairs, strict=True):
            with column:
                st.markdown(f"**{name}** · {_counts_words(tree)}")
                key = "near_chosen_tree" if tree is chosen else "near_best_tree"
                draw_tree(tree.over(features), shown.test, key=key, marked=marked)
        for words in changes.sentences:
            st.markdown(f"- {plain(words)}")
        if changes.sentences:
            st.caption("What differs has a thick outline in the drawings.")


def _name(tree: AlternativeTree) -> str:
    columns = shorten(", ".join(map(printable, tree.columns)) or "no question", 60)
    return f"No. {tree.place + 1}: {tree.train.errors:,} wrong, {columns}"


def _counts_words(tree: AlternativeTree) -> str:
    words = f"{tree.train.errors:,} of {count_words(tree.train.n, 'training row')} wrong"
    if tree.test is not None:
        words += f", {tree.test.errors:,} of {count_words(tree.test.n, 'test row')}"
    return plain(words)


def _draw_make_current(job: Job | None, chosen: AlternativeTree) -> None:
    """The button that makes the chosen tree current, or the word that it is."""
    if is_current(job, chosen):
        st.markdown("✓ **This is the current tree**", width="content")
        return
    st.button(
        MAKE,
        key="near_make",
        type="primary",
        disabled=unfinished_job() is not None,
        help="Make it the current model: predict with it, export it, see all of its numbers.",
        **note_press(MAKE),
    )


def is_current(job: Job | None, tree: AlternativeTree) -> bool:
    """Whether the current tree asks and says the same."""
    if job is None or job.trained is None or not job.trained.has_tree:
        return False
    current = tree_to_json(job.trained.tree.over_used_features())
    return bool(current["root"] == tree.record["tree"]["root"])


def make_current_pressed(batch: Batch) -> None:
    """Make the chosen tree current if that was pressed."""
    result = batch.jobs[0].result
    if not is_pressed(MAKE) or result is None or unfinished_job() is not None:
        return
    view, place = AlternativesView(result), st.session_state.get(CHOSEN)
    if not isinstance(place, int) or place >= len(view.trees):
        forget_press()
        return
    start_job(adoption_job(batch.jobs[0].spec, view, view.trees[place]))
    st.rerun()


def adoption_job(spec: JobSpec, view: AlternativesView, tree: AlternativeTree) -> JobSpec:
    """The run that makes a tree of the list the current result."""
    bound = view.most - view.trees[0].loss_total
    seconds = float(view.record["seconds"])
    return replace(
        spec,
        kind=JobKind.ADOPT,
        train=replace(spec.train, topology=Topology.parse(tree.topology)),
        part=Adoption(tree.assignment, False, seconds, Source.ALTERNATIVES, bound),
    )


# ---------------------------------------------------------------- columns, table, files


def _draw_columns(batch: Batch, shown: _Shown) -> None:
    """Draw what each column is worth over all listed trees."""
    view = shown.view
    st.header("What each column is worth", anchor=False)
    marks, best = column_marks(view), float(view.least or 0)
    unit = str(view.record["loss"])
    draw_chart(
        columns_figure(marks, best=best, unit=unit, theme=current_theme()),
        key="near_columns",
        alt=columns_alt_text(marks, best, unit),
    )
    st.caption(
        "Over all listed trees, whatever the filters: how many ask a column, and the best tree "
        "that may not ask it. Without a column on the dotted line, the best tree is as good."
    )
    _draw_downloads(batch, view, shown.costs)


def column_marks(view: AlternativesView) -> list[ColumnMark]:
    """The columns of the figure, those that matter most first."""
    n = max(len(view.trees), 1)
    marks = [
        ColumnMark(
            column.name,
            column.n_trees / n,
            None if column.least_without is None else float(column.least_without),
            column.is_proved,
        )
        for column in view.columns
    ]
    return sorted(marks, key=lambda mark: (-mark.share, -(mark.without or 0.0)))


def _figure(view: AlternativesView) -> go.Figure:
    return columns_figure(
        column_marks(view),
        best=float(view.least or 0),
        unit=str(view.record["loss"]),
        theme=current_theme(),
        opaque=True,
    )


def _draw_downloads(batch: Batch, view: AlternativesView, costs: Mapping[str, Fraction]) -> None:
    stem = file_stem(batch.jobs[0].spec.table_name, "alternatives")
    with st.popover("Download", width="content"):
        keep = draw_formula_switch("near_keep_formulas")
        draw_file(
            "Trees (CSV)",
            lambda: alternatives_csv(view.trees, costs, keep_formulas=keep),
            f"{stem}.csv",
            "text/csv",
        )
        draw_file(
            "Trees and columns (JSON)",
            lambda: result_json(batch.jobs[0]),
            f"{stem}.json",
            "application/json",
        )
        draw_figure_downloads(
            lambda: _figure(view),
            lambda: columns_alt_text(
                column_marks(view), float(view.least or 0), str(view.record["loss"])
            ),
            stem,
        )


def _draw_table(shown: _Shown) -> None:
    """All trees that pass the filters, one line for each; a row can be chosen."""
    st.header("All of these trees", anchor=False)
    places = [tree.place for tree in shown.trees]
    key = f"near_table_{abs(hash(tuple(places)))}"
    st.dataframe(
        [_row(tree, shown) for tree in shown.trees],
        key=key,
        hide_index=True,
        on_select=partial(_choose_row, key, places),
        selection_mode="single-row",
        height="content" if len(places) <= SHORT else TALL,
        alt="The trees, best first, one a row, with errors, rates, questions and cost",
    )
    st.caption("Tick a row to see its tree beside the best, above.")


def _choose_row(key: str, places: Sequence[int]) -> None:
    event: Any = st.session_state.get(key)
    for row in event["selection"]["rows"] if event else []:
        if row < len(places):
            _choose(places[row])


def _row(tree: AlternativeTree, shown: _Shown) -> dict[str, Any]:
    """A tree's line of the table."""
    columns = ", ".join(shorten(name, 30) for name in tree.columns) or "none"
    found: dict[str, Any] = {"No.": tree.place + 1, "Columns": columns}
    if not shown.view.counts_errors:
        found[f"Short of a perfect tree ({shown.view.record['loss']})"] = float(tree.loss)
    found |= _rates("Training", tree.train)
    if tree.test is not None:
        found |= _rates("Test", tree.test)
    return found | {
        "Questions per case": round(tree.questions_per_case, 2),
        "Cost per case": round(tree.cost_per_case(shown.costs), 2),
    }


def _rates(rows: str, counts: Confusion) -> dict[str, Any]:
    rates = {"TPR": (counts.tp, counts.n_positive), "TNR": (counts.tn, counts.n_negative)}
    return {f"{rows}: wrong": counts.errors} | {
        f"{rows}: {name}": percent_words(part / whole) if whole else "–"
        for name, (part, whole) in rates.items()
    }
