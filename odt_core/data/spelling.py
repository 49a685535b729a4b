"""Several spellings of one label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from odt_core.data.cells import Joined

_INVISIBLE = r"[\p{Cf}\x{FE0E}\x{FE0F}]"
"""Unicode's format characters, such as zero-width spaces and marks of direction, and the choice
between a letter and its emoji."""
_ACCENTS = r"\p{Mn}"
_STOPS = r"[.,;:!]+$"
_EXACT = 2.0**53
"""Floats can tell whole numbers apart up to this number."""


def folded(texts: pa.Array) -> pa.Array:
    """Remove case, blanks, invisible characters and full stops at the ends of texts.

    Different forms of a letter (composed, decomposed, full width) become one. No-break spaces count
    as blanks, and several blanks become one.

    Examples
    --------
    >>> folded(pa.array(["Yes.", "YES", "very\u00a0 ill", "."])).to_pylist()
    ['yes', 'yes', 'very ill', '.']
    """
    cells = pc.utf8_lower(texts)
    if pc.all(pc.string_is_ascii(texts)).as_py() is False:
        cells = pc.utf8_lower(pc.utf8_normalize(texts, "NFKC"))
        cells = pc.replace_substring_regex(cells, _INVISIBLE, "")
    cells = pc.utf8_trim_whitespace(pc.replace_substring_regex(cells, r"\s+", " "))
    bare = pc.utf8_trim_whitespace(pc.replace_substring_regex(cells, _STOPS, ""))
    return pc.if_else(pc.equal(bare, ""), cells, bare)


def without_accents(texts: Sequence[str]) -> list[str]:
    """Remove accents, too, from `folded` texts.

    Examples
    --------
    >>> without_accents(["Indéterminé", "n.a.", " S\u00ed"])
    ['indetermine', 'n.a', 'si']
    """
    letters = pc.utf8_normalize(folded(pa.array(texts, pa.large_string())), "NFD")
    plain: list[str] = pc.replace_substring_regex(letters, _ACCENTS, "").to_pylist()
    return plain


def spelled(values: Sequence[str]) -> dict[str, str]:
    """Map each `folded` text to the value that it stands for.

    A later spelling is read as the value with the same folded text. If two values fold to the same
    text, the text is left out, because it could mean either.

    Examples
    --------
    >>> spelled(["Yes", "no", "No"])
    {'yes': 'Yes'}
    """
    keys = folded(pa.array(values, pa.large_string())).to_pylist()
    counts = Counter(keys)
    return {key: value for key, value in zip(keys, values, strict=True) if counts[key] == 1}


def alike(
    texts: pa.Array, numbers: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]
) -> Joined:
    """Find texts that are spellings of one label, and pair each with the most frequent spelling.

    Texts are alike if `folded` makes them equal, or if they are the same number (``1`` and
    ``1.0``, but not the codes ``1`` and ``01``).

    Parameters
    ----------
    texts : pyarrow.Array of str[V]
        Distinct texts, none of them missing.
    numbers : float64[V]
        Each text as a number; NaN if it is not a number.
    counts : int64[V]
        Number of rows with each text. Among equally frequent spellings, the first is the label.
    """
    keys = pc.dictionary_encode(folded(texts))
    finite = numbers[np.isfinite(numbers)]
    if len(keys.dictionary) == len(texts) and len(set(finite.tolist())) == len(finite):
        return ()
    codes = np.asarray(keys.indices).astype(np.int64)
    is_number = np.isfinite(numbers) & (np.abs(numbers) < _EXACT)
    if is_number.any():
        is_number &= ~np.asarray(pc.match_substring_regex(texts, "^[+-]?0[0-9]"))
        _, same = np.unique(numbers[is_number], return_inverse=True)
        codes[is_number] = len(codes) + same
    _, group, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    several = np.flatnonzero(sizes[group] > 1)
    pairs: list[tuple[str, str]] = []
    labels: dict[int, str] = {}
    for position in several[np.argsort(-counts[several], kind="stable")].tolist():
        text = texts[position].as_py()
        label = labels.setdefault(int(group[position]), text)
        if label != text:
            pairs.append((text, label))
    return tuple(pairs)
