"""The controls for cut points, missing values and the details of one column."""

from __future__ import annotations

import re
from datetime import date

import streamlit as st

from odt_core.data import (
    DEFAULT_MISSING_TOKENS,
    BinMethod,
    Binning,
    ColumnKind,
    ColumnSchema,
    ColumnSummary,
    Prepared,
    Schema,
)
from odt_core.data.binning import MAX_BINS
from odt_core.errors import InputError, quoted
from odt_core.exact import shortest_decimal
from odt_core.words import count_words
from pages.common.markup import name_html, plain, plain_table, sentence
from pages.common.widgets import show_value, standing_error
from pages.data.current_table import (
    change_schema,
    choose_binning,
    choose_missing,
    current,
    summaries,
)

_MISSING = "data_missing"
_CUTS_FOR_ALL, _BINS = "data_cuts", "data_bins"
_COLUMN = "data_detail"
_METHOD, _K, _CUTS = "data_detail_method", "data_detail_k", "data_detail_cuts"
_OWN = "data_detail_missing"
_REFERENCE = "data_detail_reference"
_FIRST_DAY, _LAST_DAY = date(1000, 1, 1), date(2999, 12, 31)
_ERROR = "data_now_detail_error"

_USUAL_BINS = 5
_MOST_BINS_NAMED = 20
"""The most bins of a column that are listed."""

_METHOD_WORDS = {
    BinMethod.DECILES: "Deciles",
    BinMethod.EVERY: "Every value",
    BinMethod.QUANTILES: "Equal counts",
    BinMethod.CUTS: "Own cut points",
}


def draw_missing() -> None:
    """Draw the choice of missing values in the entire table."""
    tokens = list(current().schema.missing_tokens)
    with st.expander("Missing values", key="data_missing_expander"):
        st.multiselect(
            "Read as missing, besides empty cells",
            list(dict.fromkeys([*DEFAULT_MISSING_TOKENS, *tokens])),
            key=show_value(_MISSING, tokens),
            accept_new_options=True,
            placeholder="Only empty cells",
            on_change=lambda: choose_missing(st.session_state[_MISSING]),
            help="Type your own code, such as -9, and press Enter. Remove a text if it is a "
            "category.",
        )
        st.caption(
            "A missing value is a value of its own: a category, or for numbers a bin that may go "
            "either way. Rows without an outcome are left out."
        )


def draw_detail(rows: Prepared | str) -> None:
    """Draw one column: its values, its own missing values, its bins."""
    schema = current().schema
    with st.expander("One column in detail", key="data_detail_expander"):
        names = [column.name for column in schema.columns]
        if st.session_state.get(_COLUMN) not in names:
            # If the value were only deleted, the browser would still show a column of the earlier
            # table.
            st.session_state[_COLUMN] = names[0] if names else None
        name = st.selectbox("Column", names, key=_COLUMN, on_change=_forget_error)
        column, summary = schema.column(name), summaries()[name]
        left, right = st.columns([2, 3], gap="medium")
        with left:
            _draw_values(summary)
        with right:
            if column.kind is ColumnKind.NUMERICAL:
                if column.reference is not None:
                    _draw_reference(column.name, column.reference)
                _draw_binning(column, rows)
            _draw_own_missing(schema, column)


def _forget_error() -> None:
    st.session_state.pop(_ERROR, None)


def draw_cuts() -> None:
    """Draw the choice of cut points for all numerical columns, if there are any."""
    schema = current().schema
    open_columns = _columns_without_own_cuts(schema)
    if not any(column.kind is ColumnKind.NUMERICAL for column in schema.columns):
        return
    methods = {column.binning.method for column in open_columns}
    method = methods.pop() if len(methods) == 1 else None
    with st.container(horizontal=True, vertical_alignment="bottom", key="data_cuts_line"):
        st.segmented_control(
            "Cut points of numbers",
            [BinMethod.DECILES, BinMethod.EVERY, BinMethod.QUANTILES],
            key=show_value(_CUTS_FOR_ALL, method),
            format_func=_METHOD_WORDS.__getitem__,
            disabled=not open_columns,
            on_change=_method_for_all_chosen,
            help="Deciles, the paper's choice, are quick and rarely worse on new rows. Every value "
            "finds the best of all cut points, which takes longer. Equal counts make a number of "
            "bins that you choose. Single columns can differ: see one column in detail below. "
            "Columns with their own cut points keep them.",
        )
        if method is BinMethod.QUANTILES:
            counts = {column.binning.n_bins for column in open_columns}
            st.number_input(
                "Bins",
                min_value=2,
                max_value=MAX_BINS,
                step=1,
                key=show_value(_BINS, counts.pop() if len(counts) == 1 else None),
                placeholder="differs",
                width=150,
                on_change=_count_for_all_chosen,
            )


def _columns_without_own_cuts(schema: Schema) -> list[ColumnSchema]:
    """The numerical columns with cut points from the training rows."""
    return [
        column
        for column in schema.columns
        if column.kind is ColumnKind.NUMERICAL and column.binning.method is not BinMethod.CUTS
    ]


def _method_for_all_chosen() -> None:
    method = st.session_state[_CUTS_FOR_ALL]
    if method is not None:
        _bin_all(_usual_binning(method))


def _count_for_all_chosen() -> None:
    n_bins = st.session_state[_BINS]
    if n_bins is not None and 2 <= n_bins <= MAX_BINS:
        _bin_all(Binning.quantiles(int(n_bins)))


def _bin_all(binning: Binning) -> None:
    columns = _columns_without_own_cuts(current().schema)
    choose_binning([column.name for column in columns], binning)


def _usual_binning(method: BinMethod) -> Binning:
    """The default bins of a method."""
    return Binning.quantiles(_USUAL_BINS) if method is BinMethod.QUANTILES else Binning(method)


def _draw_values(summary: ColumnSummary) -> None:
    """Draw the most frequent values with their rows, and the missing values."""
    values = [(name_html(value, 80), n) for value, n in summary.most_common]
    missing = [
        (f"<i>missing:</i> {name_html(text, 80) if text else 'empty cell'}", n)
        for text, n in summary.missing_as
    ]
    rows = [[cell, f"{n:,}"] for cell, n in (*values, *missing)]
    st.html(plain_table("The most frequent values and their rows", ["Value", "Rows"], rows))
    hidden = summary.n_distinct - len(summary.most_common)
    if hidden > 0:
        st.caption(f"{count_words(hidden, 'other value is', 'other values are')} rarer.")


def _draw_reference(name: str, reference: date) -> None:
    """Draw the date of the column's ages."""
    st.date_input(
        "Age on",
        key=show_value(_REFERENCE, reference),
        min_value=_FIRST_DAY,
        max_value=_LAST_DAY,
        format="YYYY-MM-DD",
        on_change=_reference_chosen,
        args=(name,),
        help="Ages are the completed years from each date to this date. The tree keeps this date, "
        "so that later rows are read in the same way.",
    )


def _reference_chosen(name: str) -> None:
    reference = st.session_state[_REFERENCE]
    if isinstance(reference, date):
        change_schema(lambda now: now.with_form(name, now.column(name).form, reference))


def _draw_binning(column: ColumnSchema, rows: Prepared | str) -> None:
    binning = column.binning
    st.segmented_control(
        "Bins",
        list(BinMethod),
        key=show_value(_METHOD, binning.method),
        format_func=_METHOD_WORDS.__getitem__,
        required=True,
        on_change=_method_chosen,
        args=(column.name,),
    )
    if binning.method is BinMethod.QUANTILES:
        st.number_input(
            "Number of bins",
            min_value=2,
            max_value=MAX_BINS,
            step=1,
            key=show_value(_K, binning.n_bins),
            on_change=_count_chosen,
            args=(column.name,),
        )
    elif binning.method is BinMethod.CUTS:
        st.text_input(
            "Cut points",
            key=show_value(
                _CUTS,
                "; ".join(map(shortest_decimal, binning.cuts)),
                unless=standing_error(_ERROR, _CUTS) is not None,
            ),
            on_change=_cuts_chosen,
            args=(column.name,),
            help="Give rising numbers with semicolons or blanks between them, such as 40; 65; 80. "
            "A value equal to a cut point belongs to the bin below it.",
        )
    wrong = standing_error(_ERROR, _METHOD)
    if wrong is not None:
        st.error(sentence(wrong))
    _draw_actual_bins(column, rows)


def _draw_actual_bins(column: ColumnSchema, rows: Prepared | str) -> None:
    if isinstance(rows, str):
        return
    feature = next((f for f in rows.train.features if f.name == column.name), None)
    if feature is None:
        return
    if feature.n_values <= _MOST_BINS_NAMED:
        bins = "; ".join(feature.values)
    else:
        bins = f"{feature.values[0]}, then {feature.values[1]}, up to {feature.values[-1]}"
    bins = plain(bins.replace("<=", "≤"))
    st.caption(f"{count_words(feature.n_values, 'bin')} from the training rows: {bins}")


def _method_chosen(name: str) -> None:
    _forget_error()
    method = st.session_state[_METHOD]
    if method is BinMethod.CUTS:
        summary = summaries()[name]
        if summary.range is None:
            st.session_state[_ERROR] = f"Column {quoted(name)} holds no numbers to cut."
            return
        low, high = summary.range
        choose_binning([name], Binning.at([float(f"{(low + high) / 2:.3g}")]))
    else:
        choose_binning([name], _usual_binning(method))


def _count_chosen(name: str) -> None:
    n_bins = st.session_state[_K]
    if n_bins is not None and 2 <= n_bins <= MAX_BINS:
        choose_binning([name], Binning.quantiles(int(n_bins)))


def _cuts_chosen(name: str) -> None:
    try:
        binning = Binning.at(read_cuts(st.session_state[_CUTS], current().schema.decimal))
    except InputError as error:
        st.session_state[_ERROR] = f"Column {quoted(name)}: {error}"
    else:
        _forget_error()
        choose_binning([name], binning)


def read_cuts(text: str, decimal: str = ".") -> list[float]:
    """Read numbers with semicolons or blanks between them.

    If the decimal mark is a point, commas can also be between them.

    Raises
    ------
    InputError
        If a part is not a number.
    """
    between = r"[;\s]+" if decimal == "," else r"[;,\s]+"
    cuts = []
    for part in filter(None, re.split(between, text.strip())):
        try:
            cuts.append(float(part.replace(",", ".") if decimal == "," else part))
        except ValueError:
            raise InputError(
                f"{part!r} is not a number: give cut points such as 40; 65; 80."
            ) from None
    return cuts


def _draw_own_missing(schema: Schema, column: ColumnSchema) -> None:
    own = list(column.missing_tokens or ())
    st.multiselect(
        "Missing in this column only",
        list(dict.fromkeys([*schema.missing_tokens, *own])),
        key=show_value(_OWN, own),
        accept_new_options=True,
        placeholder="As in the whole table",
        on_change=_own_missing_chosen,
        args=(column.name,),
        help="These texts count as missing here, instead of the table's texts.",
    )


def _own_missing_chosen(name: str) -> None:
    tokens = [token.strip() for token in st.session_state[_OWN] if token.strip()]
    change_schema(lambda schema: schema.with_column_missing(name, tokens or None))
