"""Checked reading of a JSON file, with errors that name the field."""

from __future__ import annotations

from typing import Any, TypeVar

from odt_core.errors import MALFORMED, InputError
from odt_core.json_data import JsonData

Data = TypeVar("Data", bound=JsonData)


class Fields:
    """A JSON object with checked fields.

    Parameters
    ----------
    record : Any
        The object.
    path : str
        Its place in the file, for messages (``tree.root.left``).

    Raises
    ------
    InputError
        If `record` is not an object. Each method raises it if its field is absent or has another
        type.
    """

    def __init__(self, record: Any, path: str) -> None:
        self.path = path
        if not isinstance(record, dict):
            raise self._damaged(path, "is not an object with named fields")
        self._record: dict[str, Any] = record

    def __contains__(self, name: str) -> bool:
        return name in self._record

    def is_null(self, name: str) -> bool:
        """Whether the field is null."""
        return self._get(name) is None

    def error(self, name: str, reason: str) -> InputError:
        """Return an error about a field."""
        return self._damaged(self._at(name), reason)

    def text(self, name: str) -> str:
        """A string."""
        value = self._get(name)
        if not isinstance(value, str):
            raise self.error(name, "is not a text")
        return value

    def flag(self, name: str) -> bool:
        """Read true or false."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise self.error(name, "is neither true nor false")
        return value

    def count(self, name: str) -> int:
        """Read a whole number from 0."""
        value = self._get(name)
        if not _is_count(value):
            raise self.error(name, "is not a whole number from 0")
        return int(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of strings."""
        return tuple(self._list(name, lambda value: isinstance(value, str), "texts"))

    def counts(self, name: str) -> tuple[int, ...]:
        """Read a list of whole numbers from 0."""
        return tuple(self._list(name, _is_count, "whole numbers from 0"))

    def numbers(self, name: str) -> tuple[float, ...]:
        """Read a list of numbers."""
        return tuple(float(value) for value in self._list(name, _is_number, "numbers"))

    def record(self, name: str) -> Fields:
        """Read an object."""
        return Fields(self._get(name), self._at(name))

    def records(self, name: str) -> tuple[Fields, ...]:
        """Read a list of objects."""
        found = self._list(name, lambda value: True, "objects")
        return tuple(Fields(value, f"{self._at(name)}[{i}]") for i, value in enumerate(found))

    def value(self, name: str, kind: type[Data]) -> Data:
        """Read an object as a dataclass that is kept as JSON."""
        record = self.raw(name)
        try:
            return kind.from_json(record)
        except MALFORMED as error:
            raise self.error(name, "lacks a value or has a wrong one") from error

    def raw(self, name: str) -> dict[str, Any]:
        """Read an object without checks of its fields."""
        return self.record(name)._record

    def _get(self, name: str) -> Any:
        if name not in self._record:
            raise self.error(name, "is missing")
        return self._record[name]

    def _list(self, name: str, is_right: Any, what: str) -> list[Any]:
        value = self._get(name)
        if not isinstance(value, list) or not all(is_right(entry) for entry in value):
            raise self.error(name, f"is not a list of {what}")
        return value

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    @staticmethod
    def _damaged(path: str, reason: str) -> InputError:
        where = f"its field {path!r} {reason}" if path else f"it {reason}"
        return InputError(f"The model file is damaged: {where}; export or train it again.")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
