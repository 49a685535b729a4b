"""Stored data sets and runs: make them current, store their settings, delete them.

Each request has the person's own id, so it cannot open another person's data.
"""

from __future__ import annotations

import dataclasses
import logging
from dataclasses import dataclass
from typing import Literal, NoReturn

import streamlit as st

from odt_core.alternatives.question import QuestionPart
from odt_core.data import USUAL_SPLIT, ReadOptions, Schema, SplitSpec, infer_schema
from odt_core.errors import InputError
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.storage import DatasetRecord, NotFoundError
from odt_core.words import count_words
from pages.common.markup import plain, sentence, shorten
from pages.common.server import job_manager, store
from pages.common.session import Dataset, Place, Work, owner, say, update, work
from pages.common.settings import load_settings
from pages.common.studies import (
    ALTERNATIVES_VIEW,
    FRONTIER,
    ONE_QUESTION,
    PREDICT_VIEW,
    SENSITIVITY_VIEW,
    STUDY_PAGES,
    VALIDATION,
    StudyPage,
)
from pages.common.tables import forget_tables, table_of

_KEPT, _RANKING = "keeping_kept", "stored_opened_ranking"
log = logging.getLogger("pages.common.stored")


@dataclass(frozen=True)
class DatasetSettings:
    """A person's settings of a data set, and the id of the run that was current with them."""

    read: ReadOptions = ReadOptions()
    schema: Schema | None = None
    split: SplitSpec = USUAL_SPLIT
    run: str | None = None


def stored_settings(sha256: str) -> DatasetSettings:
    """Return this person's last settings of a data set.

    Raises
    ------
    NotFoundError
        If the person has no such data set.
    """
    record = store().datasets.choices(owner(), sha256)
    if record is None:
        return DatasetSettings()
    try:
        return DatasetSettings(
            ReadOptions(**record["read"]),
            Schema.from_json(record["schema"]),
            SplitSpec.from_json(record["split"]),
            record["run"],
        )
    except (InputError, KeyError, TypeError, ValueError):
        log.exception("the settings were stored by another version; the defaults are used")
        return DatasetSettings()


def keep_settings(now: Work) -> None:
    """Store the current settings, if they changed."""
    if now.dataset is None or now.schema is None or now.split is None:
        return
    record = {
        "read": dataclasses.asdict(now.dataset.read),
        "schema": now.schema.to_json(),
        "split": now.split.to_json(),
        "run": None if now.job is None else now.job.id,
    }
    said = (now.dataset.sha256, record)
    if st.session_state.get(_KEPT) == said:
        return
    try:
        store().datasets.keep_choices(owner(), now.dataset.sha256, record)
    except InputError:  # the session still has the settings, so the page continues
        log.exception("the settings could not be stored")
        return
    st.session_state[_KEPT] = said


def stored_dataset(sha256: str, read: ReadOptions) -> Dataset:
    """Read a data set of this person.

    Raises
    ------
    NotFoundError
        If the person has no such data set, or only its hash.
    """
    record = store().datasets.get(owner(), sha256)
    path = store().datasets.path(owner(), sha256)
    return Dataset(table_of(sha256, read, record.name, path), sha256, read)


def open_dataset(sha256: str) -> None:
    """Make a stored data set current, with the last settings of its columns and rows.

    Raises
    ------
    NotFoundError
        If the person has no such data set, or only its hash.
    """
    kept = stored_settings(sha256)
    dataset = stored_dataset(sha256, kept.read)
    schema = kept.schema or infer_schema(dataset.table)
    update(dataset=dataset, schema=schema, split=kept.split)


def take_run(job: Job) -> Place:
    """Make a run current with its data, columns, split and settings; return its page.

    Raises
    ------
    NotFoundError
        If its data set is not stored, and it is needed.
    """
    spec = job.spec
    if spec.kind is JobKind.VALIDATE:  # its page does not need the data, so the current data stay
        update(validation=job)
        return Place.PREDICT
    take_data(spec)
    if spec.kind is JobKind.FRONTIER:
        update(frontier=job)
        return Place.SENSITIVITY
    load_settings(spec.train)
    update(job=job)
    return Place.TRAIN


def take_data(spec: JobSpec) -> None:
    """Make a run's data current, with its columns and split.

    Raises
    ------
    NotFoundError
        If the data set is not stored.
    """
    update(
        dataset=stored_dataset(spec.dataset, spec.read),
        schema=spec.train.schema,
        split=spec.train.split,
    )


def open_run(run_id: str) -> NoReturn:
    """Show a run on the page of its kind.

    Raises
    ------
    NotFoundError
        If the person has no such run, or its data set is not stored.
    """
    if is_study(run_id):
        page = take_study(run_id)
        st.session_state[page.view_key] = page.view
        place = page.place
    else:
        job = job_manager().find(owner(), run_id)
        place = _take_ranking(job) if job.spec.kind is JobKind.QUESTION else take_run(job)
        if place is Place.SENSITIVITY:
            st.session_state[SENSITIVITY_VIEW] = FRONTIER
        if place is Place.PREDICT:
            st.session_state[PREDICT_VIEW] = VALIDATION
    st.switch_page(place)


def _take_ranking(ranking: Job) -> Place:
    """Make the tree of a ranking of columns current. Its page shows the ranking."""
    part = ranking.spec.part
    if not isinstance(part, QuestionPart) or part.question is None:
        raise NotFoundError("This ranking does not name a question of a tree.")
    take_run(ranked_tree(ranking.id))
    st.session_state[_RANKING] = ranking
    st.session_state[ALTERNATIVES_VIEW] = ONE_QUESTION
    return Place.ALTERNATIVES


def take_opened_ranking() -> Job | None:
    """Return the ranking that was opened on the Runs page, once."""
    found: Job | None = st.session_state.pop(_RANKING, None)
    return found


def is_study(run_id: str) -> bool:
    """Whether a run is a study of many runs.

    Raises
    ------
    NotFoundError
        If the person has no such run.
    """
    return store().runs.summary(owner(), run_id).members is not None


def take_study(study_id: str) -> StudyPage:
    """Make a study current with its data; return its page.

    Raises
    ------
    NotFoundError
        If the person has no such study, or its data set is not stored.
    """
    batch = job_manager().find_study(owner(), study_id)
    _take_data_of(batch)
    page = STUDY_PAGES[batch.jobs[0].spec.kind]
    update(**{page.name: batch})
    return page


def _take_data_of(batch: Batch) -> None:
    """Make a study's data current, with the split of the stored settings."""
    spec, now = batch.jobs[0].spec, work()
    if now.dataset is not None and now.dataset.sha256 == spec.dataset:
        return
    kept = stored_settings(spec.dataset)
    update(
        dataset=stored_dataset(spec.dataset, spec.read),
        schema=spec.train.schema,
        split=kept.split,
    )


def forget_dataset(sha256: str) -> None:
    """Forget a deleted data set and its runs."""
    now = work()
    gone = {name: None for name, made_from in now.made_from.items() if made_from == sha256}
    if now.dataset is not None and now.dataset.sha256 == sha256:
        gone |= {"dataset": None, "schema": None, "split": None}
    update(**gone)


def removal_words(record: DatasetRecord) -> str:
    """Ask whether to delete a data set and its runs; Markdown."""
    runs = (
        f" and the **{count_words(record.n_runs, 'run')}** made from it"
        if record.n_runs
        else ", from which no run was made"
    )
    return (
        f"Delete **{plain(shorten(record.name, 60))}**{runs}? This cannot be undone, and wipes "
        "them from the disk."
    )


def draw_delete_button(
    record: DatasetRecord, *, key: str, width: Literal["content", "stretch"] = "content"
) -> None:
    """Draw the button that deletes a data set and its runs, here and on the disk."""
    if not st.button("Delete for good", key=key, type="primary", width=width):
        return
    try:
        gone = store().datasets.delete(owner(), record.sha256)
    except InputError as error:
        st.error(sentence(str(error)))
        return
    forget_tables()
    forget_dataset(record.sha256)
    words = f"Deleted {plain(shorten(record.name, 40))} and {count_words(gone.n_runs, 'run')}"
    say(f"{words}." if gone.wiped else f"{words}; the disk is wiped within a minute.")
    st.rerun()


def ranked_tree(ranking_id: str) -> Job:
    """Return the run of the tree whose question was ranked.

    Raises
    ------
    NotFoundError
        If the person has no such ranking, or the run of its tree was deleted.
    """
    run_id: str | None = ranking_id
    while run_id is not None:  # a ranking may repeat another one
        job = job_manager().find(owner(), run_id)
        if job.spec.kind is not JobKind.QUESTION:
            return job
        run_id = store().runs.summary(owner(), run_id).rerun_of
    raise NotFoundError(
        "The run of this ranking's tree was deleted, so the ranking cannot be opened."
    )
