"""The choice of a file to apply a tree to: an upload or a stored file."""

from __future__ import annotations

from functools import partial

import streamlit as st

from odt_core.data import ReadOptions
from odt_core.errors import InputError, quoted
from odt_core.scoring import score
from odt_core.storage import DatasetRecord, NotFoundError
from odt_core.words import count_words
from pages.common.markup import plain, sentence, shorten
from pages.common.server import store
from pages.common.session import Dataset, owner, work
from pages.common.stored import stored_dataset, stored_settings
from pages.common.table_requests import draw_other_reading, draw_uploader
from pages.common.tables import read_upload
from pages.predict.frozen import FrozenTree

FILE = "predict_file"
_READ = "predict_file_read"
"""Session key of the reading options of uploaded files, by hash."""


def choose_file(frozen: FrozenTree) -> Dataset | None:
    """Draw the uploader and the choice of a stored file. Return the chosen file's data.

    Parameters
    ----------
    frozen : FrozenTree
        The tree to apply. A file with the layout of its training file is read like that file.
    """
    draw_uploader(
        "predict_upload",
        partial(_load, frozen),
        help="Its columns are matched by name with those of the training data.",
    )
    draw_other_reading()
    st.caption(
        "The file stays on the computer that runs this dashboard until you delete it on the Data "
        "page, and is not sent anywhere."
    )
    records = {each.sha256: each for each in store().datasets.list(owner()) if each.stored}
    if not records:
        return None
    if st.session_state.get(FILE) not in records:
        st.session_state[FILE] = None
    chosen = st.selectbox(
        "Or a stored file",
        list(records),
        index=None,
        key=FILE,
        persist_state="session",
        format_func=lambda sha256: _name(records[sha256]),
        placeholder="choose a file",
    )
    return None if chosen is None else _dataset(str(chosen))


def _name(record: DatasetRecord) -> str:
    here = work().dataset
    is_current = here is not None and here.sha256 == record.sha256
    return shorten(record.name, 60) + (" (current data)" if is_current else "")


def _dataset(sha256: str) -> Dataset | None:
    """Read a stored file with its options from here or from the Data page."""
    here = work().dataset
    if here is not None and here.sha256 == sha256:
        return here
    try:
        read = st.session_state.get(_READ, {}).get(sha256) or stored_settings(sha256).read
        dataset = stored_dataset(sha256, read)
    except NotFoundError:  # deleted in another window
        st.session_state[FILE] = None
        st.rerun()
    except InputError as error:
        st.error(sentence(str(error)))
        return None
    size = count_words(dataset.table.n_rows, "row")
    columns = count_words(len(dataset.table.columns), "column")
    left_out = plain(_left_out(dataset.read))
    st.markdown(f"**{plain(shorten(dataset.name, 60))}**: {size}, {columns}{left_out}")
    return dataset


def _left_out(read: ReadOptions) -> str:
    """The lines that these options leave out, in words."""
    parts = [
        *([f"the first {count_words(read.skip_lines, 'line')}"] if read.skip_lines else []),
        *([f"lines that begin with {quoted(read.comment)}"] if read.comment else []),
        *(["the row of units"] if read.units_row else []),
    ]
    return f", without {' and '.join(parts)}" if parts else ""


def _load(frozen: FrozenTree, name: str, content: bytes, read: ReadOptions) -> None:
    """Read an uploaded file, store it and choose it.

    Exports of the same program often have the same lines above the column names. If the tree cannot
    be applied to the file without it, the file is read with the layout of the training file.

    Raises
    ------
    InputError
        If the file is too large or is not a usable table.
    """
    layout = _layout(frozen.job.spec.read)
    if read == ReadOptions() != layout and not _fits(frozen, name, content, read):
        read = layout if _fits(frozen, name, content, layout) else read
    read_upload(name, content, read)
    sha256 = store().datasets.put(owner(), content, name).sha256
    st.session_state[_READ] = {**st.session_state.get(_READ, {}), sha256: read}
    st.session_state[FILE] = sha256


def _layout(read: ReadOptions) -> ReadOptions:
    """The options that leave out lines. The marks of another file can differ."""
    return ReadOptions(skip_lines=read.skip_lines, comment=read.comment, units_row=read.units_row)


def _fits(frozen: FrozenTree, name: str, content: bytes, read: ReadOptions) -> bool:
    """Whether the tree can be applied to a file that is read with these options."""
    try:
        score(frozen.model, read_upload(name, content, read))
    except InputError:
        return False
    return True
