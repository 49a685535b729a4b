"""Stored data sets and runs: make them current in this session, keep what is said of them, delete.

Everything is asked for in the person's own name, so another person's id opens nothing.
"""

from __future__ import annotations

import dataclasses
import logging
from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from odt_core.data import USUAL_SPLIT, ReadOptions, Schema, SplitSpec, infer_schema
from odt_core.errors import InputError
from odt_core.jobs import Batch, Job, JobKind, JobSpec
from odt_core.storage import DatasetRecord, Deleted, NotFoundError, StorageError
from odt_core.words import count_words
from pages.common.messages import say
from pages.common.people import owner
from pages.common.places import Place
from pages.common.runs import CHANGED
from pages.common.server import job_manager, store
from pages.common.settings import load_settings
from pages.common.state import Dataset, Work, lane, update, work
from pages.common.studies import (
    FRONTIER,
    PREDICT_VIEW,
    SENSITIVITY_VIEW,
    STUDY_PAGES,
    VALIDATION,
    StudyPage,
    studies_of,
)
from pages.common.tables import forget_tables, table_of
from pages.common.text import plain, shorten

_KEPT = "keeping_kept"

log = logging.getLogger("pages.common.stored")


@dataclass(frozen=True)
class Choices:
    """What a person said of a data set.

    Attributes
    ----------
    read : ReadOptions
        How the file is read.
    schema : Schema or None
        What its columns mean; None if nothing was kept.
    split : SplitSpec
        Which rows train.
    run : str or None
        The run that was current then.
    """

    read: ReadOptions = ReadOptions()
    schema: Schema | None = None
    split: SplitSpec = USUAL_SPLIT
    run: str | None = None


def kept_choices(sha256: str) -> Choices:
    """What this person last said of a data set.

    Raises
    ------
    NotFoundError
        If the person has no such data set.
    """
    record = store().datasets.choices(owner(), sha256)
    if record is None:
        return Choices()
    try:
        return Choices(
            ReadOptions(**record["read"]),
            Schema.from_json(record["schema"]),
            SplitSpec.from_json(record["split"]),
            record["run"],
        )
    except (InputError, KeyError, TypeError, ValueError):
        log.exception("the choices of another version cannot be read; they begin anew")
        return Choices()


def keep_choices(now: Work) -> None:
    """Keep what is said now, if it differs from what was kept last."""
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
    except InputError:  # the page goes on; what is current is in the session
        log.exception("the choices could not be kept")
        return
    st.session_state[_KEPT] = said


def stored_dataset(sha256: str, read: ReadOptions) -> Dataset:
    """A data set of this person, read as asked.

    Raises
    ------
    NotFoundError
        If the person has no such data set, or only its hash.
    """
    record = store().datasets.get(owner(), sha256)
    path = store().datasets.path(owner(), sha256)
    return Dataset(table_of(sha256, read, record.name, path), sha256, read)


def open_dataset(sha256: str) -> None:
    """Make a stored data set current, with what was last said of its columns and rows.

    Raises
    ------
    NotFoundError
        If the person has no such data set, or only its hash.
    """
    kept = kept_choices(sha256)
    dataset = stored_dataset(sha256, kept.read)
    schema = kept.schema or infer_schema(dataset.table)
    update(dataset=dataset, schema=schema, split=kept.split)


def take_run(job: Job) -> Place:
    """Make a run current with its data, columns, split and settings; the page that shows it.

    Raises
    ------
    NotFoundError
        If its data set is not stored, and it is needed.
    """
    spec = job.spec
    if spec.kind is JobKind.VALIDATE:  # it shows all by itself, so the current data stay
        update(validation=job)
        return Place.PREDICT
    _take_data(spec)
    if spec.kind is JobKind.FRONTIER:
        update(frontier=job)
        return Place.SENSITIVITY
    load_settings(spec.train)
    update(job=job)
    return Place.TRAIN


def _take_data(spec: JobSpec) -> None:
    update(
        dataset=stored_dataset(spec.dataset, spec.read),
        schema=spec.train.schema,
        split=spec.train.split,
    )


def no_run() -> NotFoundError:
    """What is said of a run that is not there, is somebody else's, or is of another kind."""
    return NotFoundError("There is no such run here: choose one on the Runs page.")


def attach_run(run_id: str) -> None:
    """Make a run current that an address names.

    What was said of the columns and rows since, while this run was current, stays said.

    Raises
    ------
    NotFoundError
        If the person has no such run, or its data set is not stored.
    """
    job = job_manager().find(owner(), run_id)
    kept = kept_choices(job.spec.dataset)
    if job.spec.kind not in (JobKind.TRAIN, JobKind.ADOPT):
        raise no_run()
    take_run(job)
    if kept.run == run_id and kept.schema is not None:
        open_dataset(job.spec.dataset)


def attach_frontier(run_id: str) -> None:
    """Make a frontier current that an address names.

    Raises
    ------
    NotFoundError
        If the person has no such frontier, or its data set is not stored.
    """
    job = job_manager().find(owner(), run_id)
    if job.spec.kind is not JobKind.FRONTIER:
        raise no_run()
    now = work()
    if now.dataset is None or now.dataset.sha256 != job.spec.dataset:
        _take_data(job.spec)
    update(frontier=job)


def attach_validation(run_id: str) -> None:
    """Make a validation current that an address names.

    Raises
    ------
    NotFoundError
        If the person has no such validation.
    """
    job = job_manager().find(owner(), run_id)
    if job.spec.kind is not JobKind.VALIDATE:
        raise no_run()
    update(validation=job)


def attach_study(kind: JobKind, run_id: str) -> None:
    """Make a study current that an address names.

    Raises
    ------
    NotFoundError
        If the person has no such study of this kind, or its data set is not stored.
    """
    if not is_study(run_id) or store().runs.summary(owner(), run_id).kind != kind:
        raise no_run()
    page = take_study(run_id)
    if page.place is Place.COMPARE:  # the Sensitivity page begins with the frontier
        st.session_state.setdefault(page.view_key, page.view)


def open_run(run_id: str) -> NoReturn:
    """Show a run on the page where its kind is at home.

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
        place = take_run(job_manager().find(owner(), run_id))
        if place is Place.SENSITIVITY:
            st.session_state[SENSITIVITY_VIEW] = FRONTIER
        if place is Place.PREDICT:
            st.session_state[PREDICT_VIEW] = VALIDATION
    st.switch_page(place)


def change_and_run_again(run_id: str) -> NoReturn:
    """Put a run's settings into the Train page's controls, with its data, and go there.

    Raises
    ------
    NotFoundError
        If the person has no such run, or its data set is not stored.
    """
    job = job_manager().find(owner(), run_id)
    if job.trained is not None and job.trained.has_tree:
        take_run(job)
    else:
        _take_data(job.spec)
        load_settings(job.spec.train)
        update(job=None)
    st.session_state[CHANGED] = run_id
    st.switch_page(Place.TRAIN)


def run_again(run_id: str) -> str:
    """Queue a run, or a study with all its runs, once more; the new id.

    Raises
    ------
    NotFoundError
        If the person has no such run, or its data set is not stored.
    """
    if is_study(run_id):
        batch = job_manager().rerun_study(owner(), run_id)
        return batch.id or ""
    return job_manager().rerun(owner(), run_id, lane()).id


def go_on(study_id: str) -> None:
    """Queue those runs of a study again that were stopped, interrupted or failed.

    Raises
    ------
    NotFoundError
        If the person has no such study.
    """
    job_manager().resume_study(owner(), study_id)


def is_study(run_id: str) -> bool:
    """Whether a run consists of many.

    Raises
    ------
    NotFoundError
        If the person has no such run.
    """
    return store().runs.summary(owner(), run_id).members is not None


def take_study(study_id: str) -> StudyPage:
    """Make a study current with its data; where it is shown.

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
    """A study's data, with the split that its own splits were drawn from kept if it is there."""
    spec, now = batch.jobs[0].spec, work()
    if now.dataset is not None and now.dataset.sha256 == spec.dataset:
        return
    kept = kept_choices(spec.dataset)
    update(
        dataset=stored_dataset(spec.dataset, spec.read),
        schema=spec.train.schema,
        split=kept.split,
    )


def drop_deleted() -> None:
    """Let go of the current data set if it was deleted, in another window or by its age."""
    dataset = work().dataset
    if dataset is None:
        return
    try:
        store().datasets.get(owner(), dataset.sha256)
    except NotFoundError:
        forget_dataset(dataset.sha256)
    except StorageError:  # what is on the screen stays there while the database cannot be reached
        log.exception("it is not known whether a data set is still stored")


def forget_dataset(sha256: str) -> None:
    """Let go of a data set that was deleted, and of what was made from it."""
    now = work()
    gone = {name: None for name, made_from in _made_from(now).items() if made_from == sha256}
    if now.dataset is not None and now.dataset.sha256 == sha256:
        gone |= {"dataset": None, "schema": None, "split": None}
    if gone:
        update(**gone)


def _made_from(now: Work) -> dict[str, str]:
    """From which data set the session's runs were made, by their names in the work."""
    found = {
        name: job.spec.dataset
        for name, job in (
            ("job", now.job),
            ("frontier", now.frontier),
            ("validation", now.validation),
        )
        if job is not None
    }
    for name, batch in studies_of(now).items():
        if batch.jobs:
            found[name] = batch.jobs[0].spec.dataset
    return found


def removal_words(record: DatasetRecord) -> str:
    """What goes with a data set, as a question in Markdown."""
    runs = (
        f" and the **{count_words(record.n_runs, 'run')}** made from it"
        if record.n_runs
        else ", from which no run was made"
    )
    return (
        f"Delete **{plain(shorten(record.name, 60))}**{runs}? They are gone for good, and wiped "
        "off the disk."
    )


def delete_dataset(sha256: str, name: str) -> Deleted:
    """Delete it from the store and from this server's memory, and say what happened.

    Raises
    ------
    NotFoundError
        If the person has no such data set.
    """
    gone = store().datasets.delete(owner(), sha256)
    forget_tables()
    words = f"Deleted {plain(shorten(name, 40))} and {count_words(gone.n_runs, 'run')}"
    say(f"{words}." if gone.wiped else f"{words}; the disk is wiped within a minute.")
    return gone
