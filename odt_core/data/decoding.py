"""The encoding of a file: from bytes to text."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

from odt_core.errors import InputError

CANDIDATES = ("cp1252", "cp1250", "cp1251", "cp1253", "cp932", "gb18030", "big5", "euc_kr")
"""Encodings to try if the bytes are not Unicode. If several fit equally, the first is used."""

_SAMPLE_BYTES = 32_768

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(raw: bytes, encoding: str | None = None) -> tuple[str, str, tuple[str, ...]]:
    """Decode a table's bytes.

    UTF-8 and UTF-16 (with a byte-order mark, or recognised by charset-normalizer) are certain
    enough to be used without a note. Otherwise charset-normalizer ranks `CANDIDATES`, and a note
    names the guess.

    Parameters
    ----------
    encoding : str, optional
        The encoding, if the user knows it.

    Returns
    -------
    text, encoding, notes : str, str, tuple of str
        The text without a byte-order mark, the encoding, and sentences for the user.

    Raises
    ------
    InputError
        If the bytes are not text in the given encoding, or in any encoding that is tried.
    """
    notes: tuple[str, ...] = ()
    if encoding is not None:
        text, encoding = _decode_as(raw, encoding)
    else:
        text, encoding, notes = _detect(raw)
    text = text.removeprefix("\ufeff").removesuffix("\x1a")
    _refuse_nul(text)
    return text, encoding, notes


def _decode_as(raw: bytes, encoding: str) -> tuple[str, str]:
    try:
        codec = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"The encoding {encoding!r} is not known: give one such as utf-8, utf-16 or cp1252."
        ) from error
    name = "utf-8-sig" if codec.name == "utf-8" and raw.startswith(codecs.BOM_UTF8) else codec.name
    try:
        text = raw.decode(name)
        text.encode()  # some encodings let halves of characters pass
        return text, name
    except UnicodeError as error:
        line = raw.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise InputError(
            f"Line {line} of the file is not {encoding}: choose another encoding, such as "
            f"{'cp1252' if 'utf' in name else 'utf-8'}."
        ) from error


def _detect(raw: bytes) -> tuple[str, str, tuple[str, ...]]:
    for mark, name in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return (*_decode_as(raw, name), ())
    if b"\0" in raw[:_SAMPLE_BYTES]:
        return (*_detect_utf16(raw), ())
    try:
        return raw.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError as error:
        _refuse_broken_utf8(raw, error.start)
    return _guess_code_page(raw)


def _detect_utf16(raw: bytes) -> tuple[str, str]:
    """Recognise UTF-16 without a byte-order mark: each delimiter or digit has a zero byte."""
    from charset_normalizer import from_bytes

    sample = raw[:_SAMPLE_BYTES]
    best = from_bytes(sample, cp_isolation=["utf_16_le", "utf_16_be"]).best()
    if best is None:
        raise InputError(
            "The file holds zero bytes, so it is not a text table: save it as CSV and read that."
        )
    return _decode_as(raw, best.encoding)


def _refuse_broken_utf8(raw: bytes, position: int) -> None:
    """Refuse UTF-8 with one bad byte: another encoding would make all its accents wrong."""
    text = raw.decode("utf-8", errors="replace")
    n_bad = text.count("\ufffd")
    n_good = len(text) - len(text.encode("ascii", errors="ignore")) - n_bad
    if n_good > n_bad:
        line = raw.count(b"\n", 0, position) + 1
        raise InputError(
            f"Line {line} of the file is not UTF-8, but the rest is: correct that line, or name "
            "the encoding."
        )


def _guess_code_page(raw: bytes) -> tuple[str, str, tuple[str, ...]]:
    for name in _rank_code_pages(b"".join(_non_ascii_lines(raw))):
        try:
            text = raw.decode(name)
        except UnicodeDecodeError:
            continue
        note = (
            f"The file does not state its encoding. It was read as {name}: name another encoding "
            "if accents look wrong."
        )
        return text, name, (note,)
    raise InputError(
        "The file is not text in a known encoding: save it as UTF-8, or name its encoding."
    )


def _rank_code_pages(sample: bytes) -> list[str]:
    """List the `CANDIDATES` that are possible, the likeliest first."""
    from charset_normalizer import from_bytes

    western = sample.decode("cp1252", errors="ignore")
    if not any(character.isalpha() for character in western if not character.isascii()):
        return list(CANDIDATES)  # only signs such as the euro, but no letters to compare
    ranked = []
    for rank, name in enumerate(CANDIDATES):
        best = from_bytes(sample, cp_isolation=[name], threshold=1.0).best()
        if best is not None:
            ranked.append((best.chaos, rank, name))
    return [name for _, _, name in sorted(ranked)]


def _non_ascii_lines(raw: bytes) -> Iterator[bytes]:
    """Yield lines that are not plain ASCII, up to `_SAMPLE_BYTES` in total."""
    size = 0
    for line in io.BytesIO(raw):
        if not line.isascii():
            size += len(line)
            yield line[:_SAMPLE_BYTES]
            if size > _SAMPLE_BYTES:
                return


def _refuse_nul(text: str) -> None:
    position = text.find("\0")
    if position >= 0:
        line = text.count("\n", 0, position) + 1
        raise InputError(
            f"Line {line} of the file holds a zero byte, so it is not a plain text table: save "
            "it as CSV again, or correct that line."
        )
