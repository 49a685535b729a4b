"""Names of files that the browser saves."""

from __future__ import annotations

import re


def file_stem(table: str, topology: str) -> str:
    """A file name that says what it is: the table's name and the shape.

    Examples
    --------
    >>> file_stem("ward 7 (new).csv", "depth-2"), file_stem("x.csv.gz", "((. .)(. .))")
    ('ward-7-new-depth-2', 'x-tree')
    """
    table = re.sub(r"\.(csv|tsv|txt|gz)\b", "", table, flags=re.IGNORECASE)
    shape = topology if topology[0].isalpha() else "tree"
    return re.sub(r"[^\w.]+", "-", f"{table}-{shape}").strip("-.")[:80] or "tree"
