"""Text that goes into the database: what it may hold, and how it is searched."""

from __future__ import annotations

from odt_core.errors import InputError

LONGEST_NAME = LONGEST_SEARCH = 200
LONGEST_NOTE = 20_000
LONGEST_OWNER = 255


def one_line(text: str, what: str, longest: int = LONGEST_NAME) -> str:
    """A name: one line, no control characters.

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
    """The same for words that the user did not choose just now: cut rather than refused."""
    line = " ".join(_storable(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def many_lines(text: str, what: str, longest: int = LONGEST_NOTE) -> str:
    """A note: any text, its line breaks kept.

    Raises
    ------
    InputError
        If it is longer than `longest` characters.
    """
    note = _storable(text).strip()
    if len(note) > longest:
        raise InputError(f"{what} has {len(note)} characters: shorten it to {longest}.")
    return note


def check_owner(owner: str) -> str:
    """An owner's id as it is; it must be there, storable and not too long.

    Raises
    ------
    InputError
        If not.
    """
    if not owner or owner != _storable(owner) or len(owner) > LONGEST_OWNER:
        raise InputError("This sign-in gives no usable identity: sign in in another way.")
    return owner


def is_id(text: str) -> bool:
    """Whether a text, perhaps out of an address bar, can be an id or a hash at all."""
    return text.isascii() and text.isalnum() and len(text) <= 64


def searchable(*texts: str) -> str:
    """Texts in the form that searches compare: without case."""
    return "\n".join(texts).casefold()


def like_patterns(search: str) -> list[str]:
    """LIKE patterns (escape sign ``!``) of a search's words, all of which must match.

    Only the first `LONGEST_SEARCH` characters count, because databases refuse long patterns.
    """
    words = _storable(search[:LONGEST_SEARCH]).casefold().split()
    return [f"%{_escaped(word)}%" for word in words]


def _escaped(word: str) -> str:
    return word.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _storable(text: str) -> str:
    """Without U+0000, which PostgreSQL refuses, and lone surrogates, which nobody can encode."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
