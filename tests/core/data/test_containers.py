"""Tables in workbooks, archives and Parquet files; what does not fit is refused unread."""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc
import zipfile
import zlib

import pandas as pd
import pytest

from odt_core.data import ReadOptions, infer_schema, read_table
from odt_core.data.containers import unpack
from odt_core.errors import InputError

CSV = b"age,ward\n34,A\n45,B\n"
TYPES = {
    "[Content_Types].xml": """<Types
 xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels"
 ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/></Types>""",
    "_rels/.rels": """<Relationships
 xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="xl/workbook.xml"/></Relationships>""",
}
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def zipped(files: dict[str, bytes | str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def xlsx(sheets: dict[str, dict[str, str | float | bool]]) -> bytes:
    """A workbook of sheets, each from places such as ``B2`` to cells."""
    files: dict[str, bytes | str] = dict(TYPES)
    listed = relations = ""
    for number, (name, cells) in enumerate(sheets.items(), start=1):
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        relations += (
            f'<Relationship Id="r{number}" Type="{RELATIONS}/worksheet" '
            f'Target="worksheets/sheet{number}.xml"/>'
        )
        rows = "".join(
            f'<row r="{place.lstrip("ABCDEFX")}">{_cell(place, value)}</row>'
            for place, value in cells.items()
        )
        files[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        )
    files["xl/workbook.xml"] = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>'
    )
    files["xl/_rels/workbook.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f"{relations}</Relationships>"
    )
    return zipped(files)


def _cell(place: str, value: str | float | bool) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    kind = ' t="b"' if isinstance(value, bool) else ""
    return f'<c r="{place}"{kind}><v>{float(value):g}</v></c>'


BOOK = {"A1": "age", "B1": "ill", "A2": 34.5, "B2": True, "A3": 45, "B3": False}


def ods() -> bytes:
    def row(*cells: str) -> str:
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def text(value: str) -> str:
        return (
            '<table:table-cell office:value-type="string">'
            f"<text:p>{value}</text:p></table:table-cell>"
        )

    number = '<table:table-cell office:value-type="float" office:value="34.5"/>'
    space = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"><office:body>'
        '<office:spreadsheet><table:table table:name="data">'
        f"{row(text('age'), text('ill'))}{row(number, text('yes'))}"
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        "</manifest:manifest>"
    )
    return zipped({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def parquet(frame: pd.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def cells(raw: bytes) -> list[list[str]]:
    table = read_table(raw)
    return [list(table.columns), *table.frame.to_numpy().tolist()]


def test_a_workbook_is_read():
    table = read_table(xlsx({"data": BOOK}))
    assert cells(xlsx({"data": BOOK})) == [["age", "ill"], ["34.5", "True"], ["45", "False"]]
    assert table.report.container == "an Excel workbook (.xlsx)"
    assert table.lines is not None and table.lines.tolist() == [2, 3]
    assert table.report.notes == ()


def test_the_first_sheet_with_cells_is_read_and_reported():
    table = read_table(xlsx({"empty": {}, "data": BOOK, "more": BOOK}))
    assert table.n_rows == 2
    assert "3 sheets ('empty', 'data', 'more'): 'data' was read" in table.report.notes[0]


def test_a_sheet_of_remarks_is_passed_over():
    about = {"A1": "Made by us", "A2": "in March"}
    table = read_table(xlsx({"about": about, "data": BOOK}))
    assert table.columns == ("age", "ill")
    assert "2 sheets ('about', 'data'): 'data' was read" in table.report.notes[0]
    alone = read_table(xlsx({"empty": {}, "about": about, "end": {}}))
    assert alone.columns == ("Made by us",)
    assert "'about' was read" in alone.report.notes[0]
    with pytest.raises(InputError, match="such as on another sheet, save it as a file of its own"):
        infer_schema(alone)


def test_a_title_above_the_names_can_be_skipped():
    cells = {"A1": "Ward 7", "A3": "age", "B3": "ill", "A4": 7, "B4": "no"}
    table = read_table(xlsx({"data": cells}), ReadOptions(skip_lines=2, delimiter=";"))
    assert table.columns == ("age", "ill")
    assert table.lines is not None and table.lines.tolist() == [4]


def test_an_open_document_sheet_is_read():
    assert cells(ods()) == [["age", "ill"], ["34.5", "yes"]]


def test_a_parquet_file_is_read():
    frame = pd.DataFrame(
        {
            "age": [34.5, None, 3.0],
            "n": pd.array([1, None, 3], "Int64"),
            "ward": pd.Categorical(["a,b", None, 'x "y"']),
            "ill": [True, False, True],
            "day": pd.to_datetime(["2020-01-02", None, "2020-01-03 04:05:06"], format="ISO8601"),
            "note": ["two\nlines", "", None],
        }
    )
    frame["zoned"] = frame["day"].dt.tz_localize("Europe/Berlin")
    assert cells(parquet(frame)) == [
        ["age", "n", "ward", "ill", "day", "note", "zoned"],
        ["34.5", "1", "a,b", "True", "2020-01-02", "two lines", "2020-01-02"],
        ["", "", "", "False", "", "", ""],
        ["3", "3", 'x "y"', "True", "2020-01-03 04:05:06", "", "2020-01-03 04:05:06"],
    ]


def test_lists_and_records_in_a_parquet_file_are_left_out_with_a_word():
    frame = pd.DataFrame(
        {"tags": [["a"], []], "age": [34.5, 3.0], "at": [{"x": 1}, {"x": 2}], "ill": ["yes", "no"]}
    )
    table = read_table(parquet(frame))
    assert cells(parquet(frame)) == [["age", "ill"], ["34.5", "yes"], ["3", "no"]]
    said = [note for note in table.report.notes if "lists or records" in note]
    assert [note.split("'")[1] for note in said] == ["tags", "at"]


@pytest.mark.parametrize(
    "inner", [CSV, xlsx({"data": BOOK}), gzip.compress(CSV)], ids=["csv", "xlsx", "gzip"]
)
def test_a_zip_with_one_file_is_read(inner):
    raw = zipped({"__MACOSX/._t.csv": b"x", "folder/.DS_Store": b"x", "folder/t.csv": inner})
    if inner.startswith(b"\x1f\x8b"):
        with pytest.raises(InputError, match="holds another archive"):
            read_table(raw)
        return
    table = read_table(raw)
    assert table.n_rows == 2
    assert "'folder/t.csv' in the zip archive" in table.report.notes[0]


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of an old Excel workbook, and of a new one with a password."""


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (zipped({"a.csv": CSV, "b.csv": CSV}), r"2 files \('a.csv', 'b.csv'\)"),
        (zipped({}), "zip archive"),
        (zipped({"word/document.xml": "x"}), "Office document"),
        (zipped({"in.zip": zipped({"a.csv": CSV})}), "another archive"),
        (b"Rar!\x1a\x07", "RAR archive"),
        (bytes(257) + b"ustar", "tar archive"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\x89PNG\r\n", "picture"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "has a password"),
        (OLE + bytes(600), r"old Excel workbook \(.xls\) is damaged or cannot be read"),
        (xlsx({"data": {"A1": "x", "XFD1048576": 1}}), "stray cells"),
        (parquet(pd.DataFrame({"a": [[1], [2]]})), "'a' of the Parquet file holds lists"),
    ],
)
def test_what_is_not_read_is_named(raw, message):
    with pytest.raises(InputError, match=message):
        read_table(raw)


def bomb(size: int) -> bytes:
    """Zeros, packed a thousand times smaller."""
    return gzip.compress(bytes(size), 1)


@pytest.mark.parametrize(
    "pack", [lambda raw: raw, lambda raw: zipped({"t.csv": zlib.decompress(raw, 31)})]
)
def test_what_unpacks_to_more_than_fits_takes_no_memory(pack, monkeypatch):
    monkeypatch.setattr("odt_core.data.containers.MAX_BYTES", 1 << 22)
    raw = pack(bomb(1 << 26))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 4 MB"):
            unpack(raw)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_a_large_workbook_is_refused_before_it_is_opened(monkeypatch):
    monkeypatch.setattr("odt_core.data.containers.MAX_BOOK_BYTES", 100)
    with pytest.raises(InputError, match="unpacked: leave out"):
        read_table(xlsx({"data": BOOK}))


def test_a_workbook_with_more_than_it_declares_is_refused():
    raw = xlsx({"data": BOOK})
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    lie = raw.replace(size.to_bytes(4, "little"), (size - 9).to_bytes(4, "little"))
    with pytest.raises(InputError, match="damaged"):
        read_table(lie)


def test_gzip_members_follow_one_another():
    assert read_table(gzip.compress(CSV) + gzip.compress(b"50,C\n") + b"\0\0").n_rows == 3
    with pytest.raises(InputError, match="cut off"):
        read_table(gzip.compress(CSV)[:-9])


def compressed(method: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("ward.csv", CSV)
    return stream.getvalue()


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """The file with one to three bytes changed, left out or put in."""
    changed = bytearray(raw)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(changed))
        changed[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
    return bytes(changed)


@pytest.mark.parametrize(
    ("raw", "wrap"),
    [
        (zipped({"ward.csv": CSV}), bytes),
        (compressed(zipfile.ZIP_BZIP2), bytes),
        (compressed(zipfile.ZIP_LZMA), bytes),
        (xlsx({"data": BOOK}), bytes),
        (xlsx({"data": BOOK}), gzip.compress),
        (xlsx({"data": BOOK}), lambda book: zipped({"book.xlsx": book})),
        (zipped({"ward.csv": CSV}), gzip.compress),
        (parquet(pd.DataFrame({"age": range(9), "ward": list("ABC") * 3})), bytes),
        (gzip.compress(CSV), bytes),
    ],
    ids="zip bz2 lzma xlsx xlsx.gz xlsx.zip zip.gz parquet gz".split(),
)
def test_damaged_files_are_read_or_refused_in_words(raw, wrap):
    rng, n_refused = random.Random(7), 0
    for _ in range(200):
        try:
            read_table(wrap(damaged(raw, rng)))
        except InputError:
            n_refused += 1
    assert n_refused > 100


def test_what_a_workbook_refers_to_is_not_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("not for you")
    with zipfile.ZipFile(io.BytesIO(xlsx({"data": BOOK}))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = files["xl/worksheets/sheet1.xml"].decode()
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>{sheet}'
    cell = '<row r="9"><c r="A9" t="inlineStr"><is><t>&e;</t></is></c></row></sheetData>'
    files["xl/worksheets/sheet1.xml"] = entity.replace("</sheetData>", cell).encode()
    with pytest.raises(InputError, match="unrecognized entity"):
        read_table(zipped(files))


@pytest.mark.parametrize("name", ["../../ward.csv", "/ward.csv", "C:\\ward.csv", "a\u202evsc.exe"])
def test_names_in_an_archive_lead_nowhere(name, tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert read_table(zipped({name: CSV})).n_rows == 2
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("content", [b'"' * 1_000_000, b'"x,y\n' * 200_000], ids=["one", "lines"])
def test_a_million_quotes_are_refused_in_words(content):
    with pytest.raises(InputError, match="a quote there may be missing or superfluous"):
        read_table(b"a,b\n" + content + b"\n1,2\n")
