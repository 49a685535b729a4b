"""The split into training and test rows, and the flow of rows."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import streamlit as st

from odt_core.data import Prepared, Schema, SplitSpec
from odt_core.data.sizes import size_text
from odt_core.errors import InputError
from odt_core.words import count_words
from pages.common.markup import plain, sentence
from pages.common.session import update
from pages.common.widgets import show_value, standing_error
from pages.data.bars import class_table
from pages.data.current_table import change_schema, current

_PRESET, _TRAIN, _TEST, _SEED = "data_preset", "data_train", "data_test", "data_seed"
_GROUP = "data_group"
_CUSTOM, _ERROR = "data_now_custom", "data_now_split_error"


class Preset(StrEnum):
    """The predefined splits."""

    MOST = "80% train, 20% test"
    PAPER = "As in the paper"
    ALL = "All rows train"
    CUSTOM = "Other"


_OF_PRESET = {
    Preset.MOST: SplitSpec.parse("80%"),
    Preset.PAPER: SplitSpec.parse("paper"),
    Preset.ALL: SplitSpec.parse("all"),
}
_PRESET_HELP = {
    Preset.MOST: "The usual choice: the tree is trained on four fifths of the rows and tested on "
    "the rest.",
    Preset.PAPER: "90% of the rows, but at most 600, train. All other rows test. Large tables are "
    "then quick to solve.",
    Preset.ALL: "No rows are left to test on: the training results alone are too favourable.",
    Preset.CUSTOM: "Give the numbers of rows, or shares of them.",
}


def draw_rows(rows: Prepared | str, *, has_errors: bool) -> None:
    """Draw the choice of the split, the classes in each part and the flow of rows.

    If the rows cannot be used, `rows` is the reason. If the columns have errors, another part shows
    them. Otherwise the split is wrong.
    """
    schema, split = current().schema, current().split
    st.header("Training and test rows", anchor=False)
    preset = preset_of(split)
    if st.session_state.get(_CUSTOM):
        preset = Preset.CUSTOM
    st.segmented_control(
        "Division",
        list(Preset),
        key=show_value(_PRESET, preset),
        required=True,
        label_visibility="collapsed",
        on_change=_preset_chosen,
        wrap=True,
    )
    st.caption(_PRESET_HELP[preset])
    if preset is Preset.CUSTOM:
        _draw_custom(split)
    typed_wrong = standing_error(_ERROR, _TRAIN)
    if typed_wrong is not None:
        st.error(sentence(typed_wrong))
    if isinstance(rows, str):
        if not has_errors:
            st.error(sentence(rows))
        return
    _draw_counts(rows, schema)
    st.caption(plain(flow_words(rows)))
    if preset is not Preset.ALL:
        seed, together = st.columns(2)
        with seed:
            _draw_seed(split)
        with together:
            _draw_group(schema)


def preset_of(split: SplitSpec) -> Preset:
    """Return the preset of a split, for any seed."""
    for preset, spec in _OF_PRESET.items():
        if (spec.train_size, spec.test_size) == (split.train_size, split.test_size):
            return preset
    return Preset.CUSTOM


def flow_words(rows: Prepared) -> str:
    """Write the flow of rows in one line."""
    flow = rows.flow
    parts = [f"{count_words(flow.read, 'row')} read"]
    parts += [f"{excluded.rows:,} left out ({excluded.reason})" for excluded in flow.excluded]
    parts.append(f"{flow.train:,} train")
    parts.append(f"{flow.test:,} test" if flow.test else "none test")
    if flow.unused:
        parts.append(f"{flow.unused:,} in neither")
    return " → ".join([parts[0], ", ".join(parts[1:])])


def _draw_counts(rows: Prepared, schema: Schema) -> None:
    parts = {"Training": rows.train, "Test": rows.test}
    st.html(
        class_table(
            {
                name: (part.n_positive, part.n_negative)
                for name, part in parts.items()
                if part is not None
            },
            schema.positive,
            rows.train.negative_label,
            "Rows of each class in training and test set",
        )
    )


def _preset_chosen() -> None:
    st.session_state.pop(_ERROR, None)
    preset = Preset(st.session_state[_PRESET])
    st.session_state[_CUSTOM] = preset is Preset.CUSTOM
    if preset is not Preset.CUSTOM:
        update(split=replace(_OF_PRESET[preset], seed=current().split.seed))


def _draw_custom(split: SplitSpec) -> None:
    is_wrong = standing_error(_ERROR, _TRAIN) is not None
    test = "" if split.test_size is None else size_text(split.test_size)
    left, right = st.columns(2)
    with left:
        st.text_input(
            "Train size",
            key=show_value(_TRAIN, size_text(split.train_size), unless=is_wrong),
            on_change=_sizes_chosen,
            help="Give a number of rows such as 600, or a share such as 75%. The rows are drawn "
            "at random, with the same proportions of classes.",
        )
    with right:
        st.text_input(
            "Test size",
            key=show_value(_TEST, test, unless=is_wrong),
            placeholder="all others",
            on_change=_sizes_chosen,
            help="Give a number or a share of the rows that do not train. Empty means all of them.",
        )


def _sizes_chosen() -> None:
    sizes, seed = (st.session_state[_TRAIN], st.session_state[_TEST] or None), current().split.seed
    try:
        chosen = SplitSpec.parse(*sizes, seed=seed)
    except InputError as error:
        st.session_state[_ERROR] = str(error)
    else:
        st.session_state.pop(_ERROR, None)
        update(split=chosen)


def _draw_seed(split: SplitSpec) -> None:
    st.number_input(
        "Seed of the random split",
        min_value=0,
        max_value=2**32 - 1,
        step=1,
        key=show_value(_SEED, split.seed),
        on_change=_seed_chosen,
        width=220,
        help="The same seed gives the same split of a table. Try other seeds to see how much the "
        "result depends on the split.",
    )


def _draw_group(schema: Schema) -> None:
    names = [column.name for column in schema.columns]
    st.selectbox(
        "Rows to keep together",
        names,
        index=None,
        key=show_value(_GROUP, schema.group),
        placeholder="none",
        on_change=lambda: change_schema(lambda now: now.with_group(st.session_state[_GROUP])),
        help="Choose a column such as a patient's number. Rows with the same value either all "
        "train or all test. Otherwise a patient may be in both parts, and the test is too "
        "favourable. The column is then not a feature.",
    )


def _seed_chosen() -> None:
    seed = st.session_state[_SEED]
    if seed is not None and 0 <= seed < 2**32:
        update(split=replace(current().split, seed=int(seed)))
