"""Files that pyarrow splits are read as the row reader reads them; all others are left to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.data import rows
from odt_core.data.dialect import Dialect
from odt_core.data.even_rows import split_even_rows
from odt_core.data.rows import Rows, read_rows
from odt_core.errors import InputError
from tests.examples import examples

COMMAS = Dialect(",", '"')

cells = st.one_of(
    st.sampled_from(
        ["", " ", "a", " a", "b ", "1,5", 'x"y', '"', "a\nb", "\u00e4", "\u3000z", "\t"]
    ),
    st.text("ab \n\r\",;'", max_size=4),
)


def written(cell: str, quote: bool) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if quote else cell


tables = st.lists(
    st.lists(st.tuples(cells, st.booleans()), min_size=1, max_size=3), min_size=1, max_size=6
).map(lambda table: [",".join(written(*cell) for cell in row) for row in table])


def content(found: Rows) -> tuple[object, ...]:
    n = len(found.lines)
    columns = [column.cells(n).to_pylist() for column in found.columns]
    firsts = [column.texts for column in found.columns]
    return found.names, columns, firsts, found.lines.tolist(), found.notes


def row_by_row(text: str, dialect: Dialect) -> tuple[object, ...] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "split_even_rows", lambda *args: None)
        try:
            return content(read_rows(text, dialect))
        except InputError as error:
            return str(error)


@examples(100)
@given(tables, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_both_ways_of_reading_agree(lines, end, ends_with_newline):
    text = end.join(["a,b", *lines]) + (end if ends_with_newline else "")
    try:
        found: object = content(read_rows(text, COMMAS))
    except InputError as error:
        found = str(error)
    assert found == row_by_row(text, COMMAS)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("1,2\n3,4\n", [0, 1]),
        ("1,2\r\n3,4", [0, 1]),
        ("1,2\n\n\n3,4\n", [0, 3]),
        ('"1\nand",2\n3,4\n', [0, 2]),
        ('"a ""b"" c",""\n"",4\n', [0, 1]),
        ("1,2\n,\n3,4\n", [0, 1, 2]),
    ],
)
def test_an_even_file_is_split_by_pyarrow(text, lines):
    found = split_even_rows(text, COMMAS, 2)
    assert found is not None
    assert found.lines.tolist() == lines


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3\n",
        "1,2\n3,4,5\n",
        "1,2\r3,4\r",
        '1,"2\n3,4\n',
        '1,"2"x\n3,4\n',
        '1, "2"\n3,4\n',
        '5" pipe,2\n6" pipe,3\n',
        f"{'x' * 200_000},2\n3,4\n",
        "",
    ],
    ids=["short", "long", "return", "open", "after", "blank", "inch", "endless", "none"],
)
def test_an_uneven_file_is_left_to_the_row_reader(text):
    assert split_even_rows(text, COMMAS, 2) is None


@pytest.mark.parametrize(
    "dialect", [Dialect("", '"'), Dialect(" ", '"'), Dialect(",", '"', "\\"), Dialect("§", "")]
)
def test_a_dialect_that_pyarrow_lacks_is_left_to_the_row_reader(dialect):
    assert split_even_rows("1,2\n", dialect, 2) is None
