"""A finished list of near-optimal trees: its proof, its filters, and the trees that pass them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import streamlit as st

from odt_core.alternatives import AlternativesPart, AlternativesView, AlternativeTree
from odt_core.exact import exact_decimal
from odt_core.jobs import Batch, Job, JobSpec
from odt_core.problem import EncodedData
from odt_core.studies import Adoption
from odt_core.training import StoredResult
from odt_core.words import capitalized, count_words, list_words, number_words, seconds_words
from pages.alternatives import keys
from pages.common.layout import draw_part
from pages.common.markup import plain, shorten
from pages.common.studies import draw_study_button
from pages.common.tables import ReadyData, rows_of

LIST_LIMITED = "List the best trees with these columns"


@dataclass(frozen=True, eq=False)
class ShownTrees:
    """The trees of a list that the page shows.

    Attributes
    ----------
    view : AlternativesView
        The whole list.
    trees : tuple of AlternativeTree
        The trees that pass the filters.
    costs : mapping of str to Fraction
        The cost of each column; 1 for columns that are not named.
    test : EncodedData or None
        The test rows.
    current : StoredResult or None
        The result with the current tree, if the list is of its problem.
    """

    view: AlternativesView
    trees: tuple[AlternativeTree, ...]
    costs: Mapping[str, Fraction]
    test: EncodedData | None
    current: StoredResult | None

    @staticmethod
    def choose(place: int) -> None:
        """Choose the tree at a place of the list; for callbacks."""
        st.session_state[keys.CHOSEN] = place

    @property
    def chosen(self) -> AlternativeTree:
        """The tree that is drawn beside the best. At first it is the second tree of the list."""
        places = [tree.place for tree in self.trees]
        if st.session_state.get(keys.CHOSEN) not in places:
            self.choose(next((place for place in places if place), places[0]))
        return self.view.trees[int(st.session_state[keys.CHOSEN])]


def draw_list(
    data: ReadyData, job: Job | None, batch: Batch, costs: Mapping[str, Fraction]
) -> ShownTrees | None:
    """Draw the proof and the filters of a finished list.

    Parameters
    ----------
    data : ReadyData
        The current data set.
    job : Job or None
        The current training run, which has a tree.
    batch : Batch
        The list, which has a result.
    costs : mapping of str to Fraction
        The cost of each column; 1 for columns that are not named.

    Returns
    -------
    ShownTrees or None
        The trees that pass the filters; None if the list has no tree.
    """
    result = batch.jobs[0].result
    assert result is not None
    view = AlternativesView(result)
    draw_part(_draw_changes, data, job, batch)
    _draw_proof(batch, view)
    if not view.trees:
        return None
    trees = _draw_filters(batch, view, costs)
    if not trees:
        st.info(
            f"No tree of the list passes these filters. Remove a filter, or press "
            f"**{LIST_LIMITED}**."
        )
    is_same = job is not None and not _difference(data, job, batch)
    current = job.trained if job is not None and is_same else None
    return ShownTrees(view, trees, costs, rows_of(batch.jobs[0]).test, current)


def _draw_changes(data: ReadyData, job: Job | None, batch: Batch) -> None:
    what = _difference(data, job, batch)
    if what:
        st.warning(f"This list was made {what}. List again to bring it up to date.")


def _difference(data: ReadyData, job: Job | None, batch: Batch) -> str:
    """Say how a list differs from the current data and tree; empty if it does not."""
    spec = batch.jobs[0].spec
    if (spec.dataset, spec.read) != (data.dataset.sha256, data.dataset.read):
        return "from another data set"
    if job is not None and not _is_same_problem(spec, job.spec):
        return "with other settings than those of the current tree"
    return ""


_SETTINGS = ("schema", "split", "max_card", "rules", "smallest_leaf", "feature_selection")
"""The settings that decide which trees are possible, besides shape and goal."""


def _is_same_problem(listed: JobSpec, current: JobSpec) -> bool:
    """Whether a list has the trees of the current run's problem."""
    names = list(_SETTINGS)
    if not isinstance(current.part, Adoption):  # its shape and floor come from a study
        names += ["objective", "topology"]
    a, b = listed.train.to_json(), current.train.to_json()
    return all(a[name] == b[name] for name in names)


def _draw_proof(batch: Batch, view: AlternativesView) -> None:
    spec, rows = batch.jobs[0].spec, rows_of(batch.jobs[0])
    with st.container(border=True, key=keys.PROOF):
        st.markdown(f"**{plain(view.proof_words())}**")
        if view.trees:
            n = count_words(rows.train.n_rows, "training row")
            st.markdown(
                plain(
                    f"This holds for the {n}. Trees that are equally good there may differ on new "
                    "cases, so look at the test columns, too."
                )
            )
        if limits := _limit_words(batch):
            st.markdown(plain(f"{limits} {view.free_words()}"))
    best = count_words(view.n_best, "choice of columns reaches", "choices of columns reach")
    least = "" if view.is_n_best_complete else "at least "
    ties = f" {capitalized(least)}{best} the optimum." if view.n_best else ""
    seconds = seconds_words(view.seconds)
    st.caption(plain(f"{spec.table_name}, in {seconds}.{ties}"))


def _limit_words(batch: Batch) -> str:
    """Describe the limits of the list; plain text, empty without limits."""
    part = _part_of(batch)
    limits = []
    if part.without:
        limits.append(f"do not ask about {_names(part.without)}")
    if part.only:
        limits.append(f"ask only about {_names(part.only)}")
    if part.most_total_cost is not None:
        limits.append(f"cost at most {number_words(part.most_total_cost)} for all columns")
    return f"This list has only trees that {' and '.join(limits)}." if limits else ""


def _names(columns: Sequence[str]) -> str:
    return list_words([shorten(name, 40) for name in columns], " or ")


def _part_of(batch: Batch) -> AlternativesPart:
    part = batch.jobs[0].spec.part
    assert isinstance(part, AlternativesPart)
    return part


def _draw_filters(
    batch: Batch, view: AlternativesView, costs: Mapping[str, Fraction]
) -> tuple[AlternativeTree, ...]:
    """Draw the filters and the button that searches with them. Return the trees that pass."""
    names = [feature.name for feature in rows_of(batch.jobs[0]).train.features]
    for key in (keys.WITHOUT, keys.ONLY):
        if not set(st.session_state.get(key, ())) <= set(names):
            st.session_state[key] = []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        without = _choose_columns("Without these columns", keys.WITHOUT, names)
        only = _choose_columns("Only these columns", keys.ONLY, names)
        text = st.text_input(
            "Largest cost per case",
            key=keys.MOST_COST,
            persist_state="session",
            placeholder="any",
            max_chars=12,
            width=180,
            help="The mean cost of the columns that a tree asks about, over the training rows.",
        )
    most = exact_decimal(text.strip().replace(",", ".")) if text.strip() else None
    if text.strip() and most is None:
        st.error(plain(f"The cost per case is {text!r}: give a number of at least 0."))
    found = view.chosen(without=without, only=only, most_cost=most, costs=costs)
    st.caption(f"{len(found):,} of {count_words(len(view.trees), 'listed tree')}.")
    _draw_limited_button(batch, tuple(without), tuple(only))
    return found


def _draw_limited_button(batch: Batch, without: tuple[str, ...], only: tuple[str, ...]) -> None:
    """Draw the button that lists the best trees with the columns of the filters."""
    part = _part_of(batch)
    if not (without or only) or (without, only) == (part.without, part.only):
        return
    limited = replace(batch.jobs[0].spec, part=replace(part, without=without, only=only))
    draw_study_button(
        LIST_LIMITED,
        "Searching …",
        lambda: [limited],
        key=keys.LIST_LIMITED,
        busy=False,
        is_first=False,
        width="content",
    )


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
