"""A refused table names the option that leaves out what is no row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from odt_core.cli import main
from odt_core.data import (
    Change,
    ReadOptions,
    RefusedRowsError,
    check_schema,
    infer_schema,
    read_table,
)

ROWS = "a,b,class\n1,x,yes\n2,y,no\n3,x,yes\n4,y,no\n"
PLAIN = ReadOptions()


@pytest.mark.parametrize(
    ("text", "instead", "advice"),
    [
        (f"Ward 3\n{ROWS}", ReadOptions(skip_lines=1), "skip the first line, which stands above"),
        (f"Ward 3\n\nMarch, 2024\n{ROWS}", ReadOptions(skip_lines=3), "skip the first 3 lines"),
        (f"From;To\n\n{ROWS}", ReadOptions(skip_lines=1), "skip the first line, which stands"),
        (f"# made by us\n{ROWS}", ReadOptions(comment="#"), "lines that begin with '#'"),
        (f"{ROWS}// end\n", ReadOptions(comment="//"), "lines that begin with '//'"),
        (
            f"Ward 3\n{ROWS}# end\n",
            ReadOptions(skip_lines=1, comment="#"),
            "skip the first line, which stands above the column names, and leave out lines",
        ),
    ],
)
def test_the_option_is_named_and_mends_it(text: str, instead: ReadOptions, advice: str) -> None:
    with pytest.raises(RefusedRowsError, match=advice) as refused:
        read_table(text.encode())
    assert refused.value.instead == instead
    assert read_table(text.encode(), instead).columns == ("a", "b", "class")
    assert text.startswith(refused.value.beginning)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,x,3\n2,y,4\n5,6\n1,x,3\n2,y,4\n",  # one row is short
        "a,b\nr1,1,2\nr2,3,4\nr3,3,4\n",  # the rows have names
        "a,b,c\nx,y\n1,2,3\n",  # too few rows to tell
    ],
)
def test_a_fault_in_a_row_is_no_title(text: str) -> None:
    with pytest.raises(RefusedRowsError, match="correct that line") as refused:
        read_table(text.encode())
    assert refused.value.instead is None


def test_what_was_given_is_kept() -> None:
    given = ReadOptions(delimiter=";", skip_lines=1)
    with pytest.raises(RefusedRowsError) as refused:
        read_table(f"x\ny;z\n{ROWS}".replace(",", ";").encode(), given)
    assert refused.value.options == given
    assert refused.value.instead == replace(given, skip_lines=2)


def test_the_command_line_names_the_flag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"Ward 3\n{ROWS}# end\n", encoding="utf-8")
    assert main(["train", str(file), "--target", "class"]) == 2
    assert "Give --skip-lines 1 --comment '#'." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("title", "n_skipped"),
    [("Ward report,,\n", 1), ("Patient,,Result\n", 1), ("Bank,,\nMarch,,\n,,\n", 3)],
)
def test_a_title_with_as_many_cells_is_named(title: str, n_skipped: int) -> None:
    table = read_table(f"{title}{ROWS}".encode())
    found = check_schema(table, infer_schema(table))
    finding = next(f for f in found if "column names seem to be in row" in f.message)
    assert "('a', 'b', 'class')" in finding.message
    (remedy,) = finding.remedies
    assert (remedy.change, remedy.skip_lines) == (Change.TITLE, n_skipped)
    again = read_table(f"{title}{ROWS}".encode(), ReadOptions(skip_lines=remedy.skip_lines))
    assert again.columns == ("a", "b", "class")


def test_a_title_is_named_above_names_that_stand_twice_and_empty_columns() -> None:
    rows = [f"{20 + i},{'yn'[i % 2]},{i % 3}1,,{'ab'[i % 2]}" for i in range(12)]
    table = read_table("\n".join(["Register,,,,", "May,,,,", "age,x,x,,end", *rows]).encode())
    (finding,) = (
        f for f in check_schema(table, infer_schema(table)) if "below a title" in f.message
    )
    assert "('age', 'x', 'x', 'end')" in finding.message
    others = [f for f in check_schema(table, infer_schema(table)) if f is not finding]
    assert all(f.needs_answer for f in others), "what else is odd comes from the title"
    assert [remedy.skip_lines for remedy in finding.remedies] == [2]


@pytest.mark.parametrize(
    "header", ["x,,class", ",b,class", "a,b,class", "column_1,column_2,column_3"]
)
def test_rows_below_names_are_no_names(header: str) -> None:
    table = read_table(f"{header}\n{ROWS.partition(chr(10))[2]}".encode())
    found = check_schema(table, infer_schema(table))
    assert not any(remedy.change is Change.TITLE for f in found for remedy in f.remedies)
