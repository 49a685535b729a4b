"""Text in the database: which characters it may have, and how it is searched."""

from __future__ import annotations

from odt_core.errors import InputError

LONGEST_NAME = LONGEST_SEARCH = 200
LONGEST_NOTE = 20_000
LONGEST_OWNER = 255


def one_line(text: str, what: str, longest: int = LONGEST_NAME) -> str:
    """Clean a name: one line without control characters.

    Raises
    ------
    InputError
        If it is longer than `longest` characters.
    """
    line = " ".join(_storable(text).split())
    if len(line) > longest:
        raise InputError(f"{what} has {len(line)} characters: shorten it to {longest}.")
    return line


def cut_line(text: str, longest: int = LONGEST_NAME) -> str:
    """Clean text that the user did not choose just now, and cut it if it is too long."""
    line = " ".join(_storable(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def many_lines(text: str) -> str:
    """Clean a note: any text, with its line breaks.

    Raises
    ------
    InputError
        If it is longer than `LONGEST_NOTE` characters.
    """
    note = _storable(text).strip()
    if len(note) > LONGEST_NOTE:
        raise InputError(f"The note has {len(note)} characters: shorten it to {LONGEST_NOTE}.")
    return note


def check_owner(owner: str) -> str:
    """Return an owner's id after checking it: not empty, storable, and not too long.

    Raises
    ------
    InputError
        If the id is not valid.
    """
    if not owner or owner != _storable(owner) or len(owner) > LONGEST_OWNER:
        raise InputError("This sign-in gives no usable identity: sign in in another way.")
    return owner


def is_id(text: str) -> bool:
    """Whether a text, perhaps from an address bar, has the form of an id or a hash."""
    return text.isascii() and text.isalnum() and len(text) <= 64


def searchable(*texts: str) -> str:
    """Join texts in the form that searches compare: without case."""
    return "\n".join(texts).casefold()


def search_words(search: str) -> list[str]:
    """Split a search into words, in the form of `searchable`.

    Only the first `LONGEST_SEARCH` characters count, because databases refuse long patterns.
    """
    return _storable(search[:LONGEST_SEARCH]).casefold().split()


def _storable(text: str) -> str:
    """Remove U+0000, which PostgreSQL refuses, and lone surrogates, which have no encoding."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
