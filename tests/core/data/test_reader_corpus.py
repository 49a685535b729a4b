"""Awkward files, each with the right table or the right error."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from dataclasses import dataclass, field

import pandas as pd
import pytest

from odt_core.data import ReadOptions, read_table
from odt_core.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")

AGES = [["34", "yes"], ["45", "no"], ["36", "no"]]
PLAIN = "age,class\n34,yes\n45,no\n36,no\n"


def zipped(*names: str) -> bytes:
    """A zip archive with some empty members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return stream.getvalue()


def parquet() -> bytes:
    stream = io.BytesIO()
    pd.DataFrame({"a": [1, 2]}).to_parquet(stream)
    return stream.getvalue()


@dataclass(frozen=True)
class Good:
    """A file that can be read."""

    raw: bytes | str
    names: list[str]
    rows: list[list[str]]
    options: ReadOptions = field(default_factory=ReadOptions)
    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    note: str | None = None
    """A pattern that one note matches; None for no notes at all."""


@dataclass(frozen=True)
class Bad:
    """A file that cannot be read."""

    raw: bytes | str
    message: str
    """A pattern that the message matches."""
    options: ReadOptions = field(default_factory=ReadOptions)


GOOD: dict[str, Good] = {
    # --- encodings ---
    "plain": Good(PLAIN, ["age", "class"], AGES),
    "utf-8 with byte-order mark": Good(
        PLAIN.encode("utf-8-sig"), ["age", "class"], AGES, encoding="utf-8-sig"
    ),
    "byte-order mark before a quoted name": Good(
        b'\xef\xbb\xbf"age","class"\n34,yes\n',
        ["age", "class"],
        [["34", "yes"]],
        encoding="utf-8-sig",
    ),
    "utf-16 little endian": Good(
        "Größe;Ausgang\n180;tot\n".encode("utf-16"),
        ["Größe", "Ausgang"],
        [["180", "tot"]],
        encoding="utf-16",
        delimiter=";",
    ),
    "utf-16 big endian": Good(
        b"\xfe\xff" + PLAIN.encode("utf-16-be"), ["age", "class"], AGES, encoding="utf-16"
    ),
    "utf-16 without byte-order mark": Good(
        PLAIN.encode("utf-16-le"), ["age", "class"], AGES, encoding="utf-16-le"
    ),
    "utf-8 accents": Good("âge,décès\n34,non\n", ["âge", "décès"], [["34", "non"]]),
    "cp1252 accents": Good(
        "âge;sévérité;décès\n34;modérée;non\n45;sévère;oui\n".encode("cp1252"),
        ["âge", "sévérité", "décès"],
        [["34", "modérée", "non"], ["45", "sévère", "oui"]],
        encoding="cp1252",
        delimiter=";",
        note="read as cp1252",
    ),
    "cp1252 euro and quotes": Good(
        "price,class\n5 €,“yes”\n7 €,no\n".encode("cp1252"),
        ["price", "class"],
        [["5 €", "“yes”"], ["7 €", "no"]],
        encoding="cp1252",
        note="read as cp1252",
    ),
    "cp1252 with a single degree sign": Good(
        "temp °C,class\n37.5,a\n38,b\n".encode("cp1252"),
        ["temp °C", "class"],
        [["37.5", "a"], ["38", "b"]],
        encoding="cp1252",
        note="read as cp1252",
    ),
    "cp1251 cyrillic": Good(
        "возраст;пол\n34;мужской\n45;женский\n".encode("cp1251"),
        ["возраст", "пол"],
        [["34", "мужской"], ["45", "женский"]],
        encoding="cp1251",
        delimiter=";",
        note="read as cp1251",
    ),
    "encoding named by the user": Good(
        "é,b\n1,ž\n".encode("cp1250"),
        ["é", "b"],
        [["1", "ž"]],
        options=ReadOptions(encoding="cp1250"),
        encoding="cp1250",
    ),
    "gzip": Good(gzip.compress(PLAIN.encode()), ["age", "class"], AGES),
    "gzip in two members": Good(
        gzip.compress(b"age,class\n34,yes\n") + gzip.compress(b"45,no\n36,no\n"),
        ["age", "class"],
        AGES,
    ),
    # --- delimiters ---
    "semicolons and decimal commas": Good(
        "bmi;hb;class\n21,5;13,2;yes\n30,25;9;no\n",
        ["bmi", "hb", "class"],
        [["21,5", "13,2", "yes"], ["30,25", "9", "no"]],
        delimiter=";",
        decimal=",",
    ),
    "semicolons and decimal points": Good(
        "bmi;class\n21.5;yes\n30.25;no\n",
        ["bmi", "class"],
        [["21.5", "yes"], ["30.25", "no"]],
        delimiter=";",
    ),
    "semicolons with commas in the text": Good(
        "note;class\nfever, cough;yes\nrash, itch, pain;no\n",
        ["note", "class"],
        [["fever, cough", "yes"], ["rash, itch, pain", "no"]],
        delimiter=";",
    ),
    "tabs": Good(
        "first name\tclass\nAnn B\tx, y\nCy\tz\n",
        ["first name", "class"],
        [["Ann B", "x, y"], ["Cy", "z"]],
        delimiter="\t",
    ),
    "bars": Good("a|b\n1|x\n2|y\n", ["a", "b"], [["1", "x"], ["2", "y"]], delimiter="|"),
    "delimiter declared by Excel": Good(
        "sep=;\na;b\n1;x, y\n", ["a", "b"], [["1", "x, y"]], delimiter=";"
    ),
    "colons, named by the user": Good(
        "a:b\n1:x\n", ["a", "b"], [["1", "x"]], options=ReadOptions(delimiter=":"), delimiter=":"
    ),
    "runs of blanks, named by the user": Good(
        "a   b c\n1 x    y\n2   z w \n",
        ["a", "b", "c"],
        [["1", "x", "y"], ["2", "z", "w"]],
        options=ReadOptions(delimiter=" "),
        delimiter=" ",
        note="cut off: 1",
    ),
    "one column": Good(
        "age\n34\n45\n", ["age"], [["34"], ["45"]], delimiter="", note="single column"
    ),
    "one column of words": Good(
        "name\nAnn Lee\nBob Ray\n",
        ["name"],
        [["Ann Lee"], ["Bob Ray"]],
        delimiter="",
        note="single column",
    ),
    # --- quotes and lines ---
    "quoted delimiters and newlines": Good(
        'note,class\n"fever,\nthen cough",yes\n"said ""no""",no\n',
        ["note", "class"],
        [["fever,\nthen cough", "yes"], ['said "no"', "no"]],
    ),
    "blanks before quotes": Good(
        'a, b\n1, "x, y"\n2, "z"\n', ["a", "b"], [["1", "x, y"], ["2", "z"]]
    ),
    "blanks after quotes": Good(
        'a  ,"b"\n"x, y"  ,"1" \n"z ""w""" ,"2"\n', ["a", "b"], [["x, y", "1"], ['z "w"', "2"]]
    ),
    "single quotes": Good("a,b\n'x, y',1\n'z',2\n", ["a", "b"], [["x, y", "1"], ["z", "2"]]),
    "apostrophes are not quotes": Good(
        "diagnosis,class\nCrohn's disease,yes\nHodgkin's,no\n",
        ["diagnosis", "class"],
        [["Crohn's disease", "yes"], ["Hodgkin's", "no"]],
    ),
    "inch marks are not quotes": Good(
        'size,class\n5" pipe,yes\n6 inch,no\n',
        ["size", "class"],
        [['5" pipe', "yes"], ["6 inch", "no"]],
    ),
    "backslash before quotes": Good(
        'a,b\n"x \\" y",1\n"z",2\n', ["a", "b"], [['x " y', "1"], ["z", "2"]]
    ),
    "backslashes in paths stay": Good(
        "path,class\nC:\\new\\x,a\nC:\\old\\y,b\n",
        ["path", "class"],
        [["C:\\new\\x", "a"], ["C:\\old\\y", "b"]],
    ),
    "quotes that mean nothing": Good(
        'a,b\n"x,1\ny",2\n',
        ["a", "b"],
        [['"x', "1"], ['y"', "2"]],
        options=ReadOptions(quotechar=""),
    ),
    "windows line ends": Good(PLAIN.replace("\n", "\r\n"), ["age", "class"], AGES),
    "old macintosh line ends": Good(PLAIN.replace("\n", "\r"), ["age", "class"], AGES),
    "no newline at the end": Good(PLAIN.rstrip(), ["age", "class"], AGES),
    "end-of-file mark of DOS": Good(PLAIN + "\x1a", ["age", "class"], AGES),
    "blank lines": Good("\n\nage,class\n\n34,yes\n45,no\n\n36,no\n\n\n", ["age", "class"], AGES),
    "rows of delimiters only": Good(
        "age,class\n34,yes\n45,no\n36,no\n,\n , \n",
        ["age", "class"],
        AGES,
        note="without any value were left out: 2",
    ),
    # --- headers ---
    "blanks around names and cells": Good(
        " age , class \n 34 ,yes\t\n45, no\n 36\u00a0,no\n", ["age", "class"], AGES
    ),
    "repeated names": Good(
        "age,age,age_2,class\n1,2,3,x\n4,5,6,y\n",
        ["age", "age_3", "age_2", "class"],
        [["1", "2", "3", "x"], ["4", "5", "6", "y"]],
        note=r"'age' \(now 'age_3'\)",
    ),
    "blank name": Good(
        ",age,class\n1,34,yes\n2,45,no\n",
        ["column_1", "age", "class"],
        [["1", "34", "yes"], ["2", "45", "no"]],
        note="'column_1'",
    ),
    "name over two lines": Good(
        '"blood\npressure",class\n120,x\n', ["blood pressure", "class"], [["120", "x"]]
    ),
    "no names at all": Good(
        "5.1,3.5,setosa\n4.9,3,virginica\n",
        ["5.1", "3.5", "setosa"],
        [["4.9", "3", "virginica"]],
        note="first line looks like data",
    ),
    "header only": Good("a,b,c\n", ["a", "b", "c"], [], note="no rows"),
    # --- ragged ---
    "delimiter at the end of every line": Good(
        "age,class,\n34,yes,\n45,no,\n36,no,\n", ["age", "class"], AGES
    ),
    "delimiter at the end of the header only": Good(
        "age,class,\n34,yes\n45,no\n36,no\n", ["age", "class"], AGES
    ),
    "delimiters at the ends of some rows": Good(
        "age,class\n34,yes,,\n45,no\n36,no,\n",
        ["age", "class"],
        AGES,
        note="cut off: 2",
    ),
    "unnamed last column with values": Good(
        "age,class,\n34,yes,\n45,no,x\n",
        ["age", "class", "column_3"],
        [["34", "yes", ""], ["45", "no", "x"]],
    ),
    "empty cells": Good("a,b,c\n,,x\n1,,\n", ["a", "b", "c"], [["", "", "x"], ["1", "", ""]]),
    # --- values stay text ---
    "missing tokens stay text": Good(
        "a,b\nNA,None\nnull,?\nNaN,-9\n",
        ["a", "b"],
        [["NA", "None"], ["null", "?"], ["NaN", "-9"]],
    ),
    "booleans stay text": Good(
        "a,b\nTrue,FALSE\nfalse,TRUE\n", ["a", "b"], [["True", "FALSE"], ["false", "TRUE"]]
    ),
    "leading zeros stay": Good(
        "zip,class\n01234,x\n00007,y\n", ["zip", "class"], [["01234", "x"], ["00007", "y"]]
    ),
    "quoted thousands": Good(
        'cost,class\n"1,234.50",x\n"12,000",y\n',
        ["cost", "class"],
        [["1,234.50", "x"], ["12,000", "y"]],
    ),
    "quoted decimal commas between commas": Good(
        'bmi,class\n"21,5",x\n"30,25",y\n',
        ["bmi", "class"],
        [["21,5", "x"], ["30,25", "y"]],
        decimal=",",
    ),
    "thousand or decimal, between semicolons": Good(
        "n;class\n1,234;x\n2,345;y\n",
        ["n", "class"],
        [["1,234", "x"], ["2,345", "y"]],
        delimiter=";",
        decimal=",",
        note="can be read in two ways",
    ),
    "thousand or decimal, decided by the user": Good(
        "n;class\n1,234;x\n2,345;y\n",
        ["n", "class"],
        [["1,234", "x"], ["2,345", "y"]],
        options=ReadOptions(decimal="."),
        delimiter=";",
    ),
    "decimal commas with thousands points": Good(
        "cost;class\n1.234,50;x\n12.000,00;y\n",
        ["cost", "class"],
        [["1.234,50", "x"], ["12.000,00", "y"]],
        delimiter=";",
        decimal=",",
    ),
    "categories that differ in a trailing blank": Good(
        "sex,class\nf ,x\nf,y\nm,x\n",
        ["sex", "class"],
        [["f", "x"], ["f", "y"], ["m", "x"]],
        note="'sex' has values that differ only in blanks",
    ),
}

BAD: dict[str, Bad] = {
    "empty": Bad(b"", "file is empty"),
    "blank lines only": Bad("\n \n\t\n", "file is empty"),
    "byte-order mark only": Bad(b"\xef\xbb\xbf", "file is empty"),
    "delimiters only": Bad(",,\n,,\n", "file is empty"),
    "quotes only": Bad('""\n', "file is empty"),
    "sep line only": Bad("sep=;\n", "file is empty"),
    "empty gzip": Bad(gzip.compress(b""), "file is empty"),
    "cut-off gzip": Bad(gzip.compress(PLAIN.encode() * 99)[:-9], "gzip file is damaged"),
    "excel workbook": Bad(zipped("[Content_Types].xml", "xl/workbook.xml"), "Excel workbook"),
    "old excel workbook": Bad(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "old Excel"),
    "opendocument": Bad(zipped("mimetype", "content.xml"), "OpenDocument"),
    "zip": Bad(zipped("a.csv", "b.csv"), r"2 files \('a.csv', 'b.csv'\)"),
    "damaged zip": Bad(b"PK\x03\x04" + bytes(100), "zip archive"),
    "parquet": Bad(parquet()[:-6], "Parquet file is damaged"),
    "gzipped zip": Bad(gzip.compress(zipped("a.csv")), "another archive"),
    "picture": Bad(b"\x89PNG\r\n\x1a\n" + bytes(64), "is a picture"),
    "zero byte further down": Bad(
        PLAIN.encode() * 4000 + b"3\x004,no\n", "Line 16001 of the file holds a zero byte"
    ),
    "too few cells": Bad(
        "a,b,c\n1,2,3\n4,5\n6,7,8\n", "Line 3 has 2 cells, but the header has 3: correct"
    ),
    "too many cells": Bad(
        "a,b\n1,2\n3,4\n5,6,7\n", "Line 4 has 3 cells, but the header has 2: correct"
    ),
    "ragged below quoted newlines": Bad(
        'a,b\n"x\ny\nz",1\n\n2\n', "Line 6 has 1 cell, but the header has 2"
    ),
    "row names without a name": Bad(
        "age,class\nr1,34,yes\nr2,45,no\n", "Line 2 .* name the first column if it holds row names"
    ),
    "title above the header": Bad(
        "Report of 2020\n\na,b,c\n1,2,3\n3,4,5\n4,5,6\n",
        "Line 3 .* skip the first line, which stands above the column names",
    ),
    "wrong delimiter from the user": Bad(
        "a;b\n1,5;2\n",
        "Line 2 has 2 cells, but the header has 1",
        options=ReadOptions(delimiter=","),
    ),
    "quote never closed": Bad(
        'a,b\n1,"x\n2,y\n3,z\n', "quote opened in the row that begins on line 2 is never closed"
    ),
    "quote closed on the wrong line": Bad(
        'a,b,c\n1,x,1\n2,"y,1\n3,"z",1\n4,u,1\n', "row that begins on line 3 cannot be read"
    ),
    "quote that swallows a delimiter": Bad(
        'a,b,c\n1,x,1\n2,"y,"z",1\n', "row that begins on line 3 cannot be read"
    ),
    "quote that swallows a line": Bad(
        'a,b,c\n1,"x,1\n2,y",1,1\n', "Lines 2 to 3 are one row of 4 cells, but the header has 3"
    ),
    "endless cell": Bad(
        'a,b\n1,"' + "x" * 200_000 + '"\n', "row that begins on line 2 cannot be read"
    ),
    "unknown encoding": Bad(
        PLAIN, "encoding 'klingon' is not known", options=ReadOptions(encoding="klingon")
    ),
    "codec that is no encoding": Bad(
        PLAIN, "encoding 'zlib' is not known", options=ReadOptions(encoding="zlib")
    ),
    "encoding that lets half a character pass": Bad(
        b"a,b\n+2AA-,1\n", "Line 2 of the file is not utf-7", options=ReadOptions(encoding="utf-7")
    ),
    "codec with an error of its own": Bad(
        b"a,b-\\\n1,2\n", "of the file is not punycode", options=ReadOptions(encoding="punycode")
    ),
    "wrong encoding from the user": Bad(
        "a,b\n1,é\n".encode("cp1252"),
        "Line 2 of the file is not utf-8",
        options=ReadOptions(encoding="utf-8"),
    ),
    "utf-8 with one bad byte": Bad(
        "âge,état,décès\n34,é,à\n".encode() + b"45,\xe9,x\n", "Line 3 of the file is not UTF-8"
    ),
    "odd number of bytes in utf-16": Bad(PLAIN.encode("utf-16") + b"x", "is not utf-16"),
}


def as_bytes(raw: bytes | str) -> bytes:
    return raw if isinstance(raw, bytes) else raw.encode()


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_file_is_read(case: Good) -> None:
    table = read_table(as_bytes(case.raw), case.options)
    assert list(table.frame.columns) == case.names
    assert table.frame.to_numpy().tolist() == case.rows
    report = table.report
    assert (report.encoding, report.delimiter) == (case.encoding, case.delimiter)
    assert report.decimal == case.decimal
    assert (report.n_rows, report.n_columns) == (len(case.rows), len(case.names))
    if case.note is None:
        assert report.notes == ()
    else:
        assert any(re.search(case.note, note) for note in report.notes), report.notes


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_file_is_refused(case: Bad) -> None:
    with pytest.raises(InputError, match=case.message) as caught:
        read_table(as_bytes(case.raw), case.options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
