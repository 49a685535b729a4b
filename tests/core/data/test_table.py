"""Tables of text from data frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from odt_core.data import read_table, table_from_frame
from odt_core.data.table import text_table
from odt_core.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")


def test_cells_become_text() -> None:
    frame = pd.DataFrame(
        {
            "whole": [1.0, 2.0, np.nan],
            "real": [0.1, 2.5, 1e-300],
            "int": np.array([1, -2, 3], dtype=np.int8),
            "bool": [True, False, True],
            "text": [" a ", None, "NA"],
            "mixed": [1, "x", 2.5],
            "category": pd.Categorical(["u", None, "v"]),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "date": pd.to_datetime(["2020-01-01", None, "2021-05-05"]),
        },
        index=[5, 5, 7],
    )
    table = table_from_frame(frame)
    assert table.frame.to_dict("list") == {
        "whole": ["1", "2", ""],
        "real": ["0.1", "2.5", "1e-300"],
        "int": ["1", "-2", "3"],
        "bool": ["True", "False", "True"],
        "text": ["a", "", "NA"],
        "mixed": ["1", "x", "2.5"],
        "category": ["u", "", "v"],
        "nullable": ["1", "", "3"],
        "date": ["2020-01-01 00:00:00", "", "2021-05-05 00:00:00"],
    }
    assert table.where(2) == "row 3"
    assert (table.report.n_rows, table.report.n_columns) == (3, 9)


def test_a_read_frame_comes_back_unchanged() -> None:
    frame = read_table(b"a,b\n1.0,NA\n007,\n").frame
    assert table_from_frame(frame).frame.equals(frame)


def test_decimal_mark_is_used() -> None:
    table = text_table(pd.DataFrame({"a": [1.5], "b": [2.5]}), {"a": ","})
    assert table.frame.iloc[0].tolist() == ["1,5", "2.5"]


def test_facts_may_be_forgotten_while_one_is_read() -> None:
    class Forgetful(dict):
        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            self.clear()  # as another thread may do now
            return found

    table = replace(table_from_frame(pd.DataFrame({"a": [1]})), remembered=Forgetful())
    assert [table.remember("fact", lambda: 7) for _ in range(2)] == [7, 7]


def test_hash_follows_content() -> None:
    first, same, other = (
        table_from_frame(pd.DataFrame({"a": cells})) for cells in ([1, 2], ["1", "2"], [1, 3])
    )
    assert first.sha256 == same.sha256 != other.sha256


def test_repeated_names_are_refused() -> None:
    with pytest.raises(InputError, match="Two columns are called 'a'"):
        table_from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_absent_column_is_named() -> None:
    with pytest.raises(InputError, match="no column 'z': its columns are 'a', 'b'"):
        read_table(b"a,b\n1,2\n").factor("z")
