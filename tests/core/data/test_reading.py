"""Reading beyond the corpus: sources, records of what was read, and round trips."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.data import ReadOptions, read_table
from odt_core.errors import InputError
from tests.examples import examples

pytestmark = pytest.mark.filterwarnings("error")

RAW = b"age,class\n34,yes\n45,no\n"


def test_path_and_bytes_give_the_same_table(tmp_path: Path) -> None:
    path = tmp_path / "cohort.csv"
    path.write_bytes(RAW)
    from_path, from_bytes = read_table(path), read_table(RAW, name="cohort.csv")
    assert from_path.frame.equals(from_bytes.frame)
    assert from_path.name == from_bytes.name == "cohort.csv"
    assert from_path.sha256 == from_bytes.sha256 == hashlib.sha256(RAW).hexdigest()


def test_hash_is_of_the_bytes_as_given() -> None:
    packed = gzip.compress(RAW)
    table = read_table(packed, name="cohort.csv.gz")
    assert table.sha256 == hashlib.sha256(packed).hexdigest()
    assert table.frame.equals(read_table(RAW).frame)


def test_absent_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no file '.*nowhere\.csv'"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ""}, "delimiter '' cannot be used"),
        ({"delimiter": ", "}, "delimiter ', ' cannot be used"),
        ({"delimiter": "\n"}, "delimiter .* cannot be used"),
        ({"decimal": ";"}, "decimal mark ';' cannot be used"),
        ({"quotechar": "''"}, "quote character .* cannot be used"),
        ({"delimiter": "'", "quotechar": "'"}, "must differ"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ReadOptions(**options)


def test_rows_know_their_lines() -> None:
    table = read_table(b'a,b\n1,x\n\n"2\n2",y\n3,z\n')
    assert table.lines is not None
    assert table.lines.tolist() == [2, 4, 6]
    assert table.where(2) == "row 3 (line 6 of the file)"


def test_lines_count_the_sep_line() -> None:
    table = read_table(b"sep=;\na;b\n1;x\n")
    assert table.where(0) == "row 1 (line 3 of the file)"
    with pytest.raises(InputError, match="Line 4 has 1 cell"):
        read_table(b"sep=;\na;b\n1;x\n2\n")


def test_quotes_below_the_sample_still_count() -> None:
    raw = b"note,class\n" + b"nothing special,no\n" * 5000 + b'"fever, cough\nand rash",yes\n'
    table = read_table(raw)
    assert table.n_rows == 5001
    assert table.frame["note"].iloc[-1] == "fever, cough\nand rash"


def test_chunks_join(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_table(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(10)))
    monkeypatch.setattr("odt_core.data.rows.CHUNK_ROWS", 3)
    parts = read_table(b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(10)))
    assert parts.frame.equals(whole.frame)


def test_unpacking_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("odt_core.data.containers.MAX_BYTES", 1 << 20)
    with pytest.raises(InputError, match="more than 1 MB"):
        read_table(gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 20)))


def test_import_is_cheap() -> None:
    code = (
        "import sys, odt_core.data; "
        "print([m for m in ('sklearn', 'duckdb', 'clevercsv', 'charset_normalizer', 'scipy') "
        "if m in sys.modules])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )
    assert done.stdout.strip() == "[]"


CELLS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), include_characters=' ,;"\n'),
    max_size=12,
).map(str.strip)


@examples(75)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["yes", "no"])), min_size=1, max_size=12),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_what_a_csv_writer_wrote_comes_back(
    rows: list[tuple[str, str, str]], delimiter: str, encoding: str, newline: str
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=newline)
    writer.writerow(["first", "second", "class"])
    writer.writerows(rows)
    # The dialect is given: short random text may well look like another one.
    options = ReadOptions(delimiter=delimiter, quotechar='"')
    table = read_table(text.getvalue().encode(encoding), options)
    # Letters and accents come back composed.
    composed = [[unicodedata.normalize("NFC", cell) for cell in row] for row in rows]
    assert table.frame.to_numpy().tolist() == composed


@examples(75)
@given(raw=st.binary(max_size=200))
def test_any_bytes_give_a_table_or_an_input_error(raw: bytes) -> None:
    try:
        table = read_table(raw)
    except InputError as error:
        assert str(error)
    else:
        assert len(set(table.columns)) == len(table.columns) >= 1
        assert all(table.columns)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_above_the_table_are_skipped(end: str) -> None:
    lines = ["Ward statistics", "exported by somebody; in May", "age,class", "34,yes", "45,no,3"]
    raw = end.join(lines[:-1]).encode()
    table = read_table(raw, ReadOptions(skip_lines=2))
    assert table.columns == ("age", "class")
    assert table.where(0) == "row 1 (line 4 of the file)"
    with pytest.raises(InputError, match="Line 5 has 3 cells"):
        read_table(end.join(lines).encode(), ReadOptions(skip_lines=2))
    with pytest.raises(InputError, match="All lines are skipped: skip fewer"):
        read_table(raw, ReadOptions(skip_lines=9))


def test_comments_are_left_out_wherever_they_stand() -> None:
    raw = b"# cohort A\nage,class\n34,yes\n  # a remark, with a comma\n45,no # 3\n"
    table = read_table(raw, ReadOptions(comment="#"))
    assert table.frame["age"].tolist() == ["34", "45"]
    assert table.frame["class"].tolist() == ["yes", "no # 3"]
    assert table.where(1) == "row 2 (line 5 of the file)"


def test_a_row_of_units_is_left_out_and_reported() -> None:
    raw = b"age,crp,class\nyears,mg/l,\n34,5,yes\n45,6,no\n"
    table = read_table(raw, ReadOptions(units_row=True))
    assert table.frame["age"].tolist() == ["34", "45"]
    assert table.where(0) == "row 1 (line 3 of the file)"
    assert "Line 2 was left out as a row of units: 'years', 'mg/l'." in table.report.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skip_lines": -1}, "-1 lines cannot be skipped"),
        ({"comment": " "}, "The comment mark ' ' cannot be used"),
        ({"comment": "#####"}, "The comment mark '#####' cannot be used"),
    ],
)
def test_other_lines_cannot_be_left_out(options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ReadOptions(**options)
