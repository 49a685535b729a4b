"""Dataclasses that are kept as JSON. The types of their fields say how to write and read them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, eq=False)
class JsonData:
    """A dataclass whose JSON is an object with the fields' names.

    A field may be a number, a text, a truth value, an enum, an exact fraction, a tuple, a sequence,
    a frozen set, a dataclass, a class with methods ``to_json`` and ``from_json``, or one of several
    of these.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Point(JsonData):
    ...     level: Fraction
    ...     counts: tuple[int, ...]
    ...     name: str | None = None
    >>> Point(Fraction(1, 3), (1, 2)).to_json()
    {'level': '1/3', 'counts': [1, 2], 'name': None}
    >>> Point.from_json({"level": "0.5", "counts": [3]})
    Point(level=Fraction(1, 2), counts=(3,), name=None)
    """

    def to_json(self) -> dict[str, Any]:
        """Write the object as a dictionary that `from_json` can read."""
        return {field.name: as_json(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. A field that is absent gets its default.

        Raises
        ------
        LookupError, TypeError, ValueError, ArithmeticError
            If a field is absent or has a wrong value (see `odt_core.errors.MALFORMED`).
        """
        return cls(**_values(cls, record))


_type_hints = cache(get_type_hints)


def as_json(value: Any) -> Any:
    """Write a value as `JsonData` writes a field."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, frozenset):
        return sorted(as_json(each) for each in value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_json(each) for each in value]
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return value


def _values(cls: Any, record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields of a dataclass."""
    hints, values = _type_hints(cls), {}
    for field in fields(cls):
        if field.name in record or field.default is MISSING:
            try:
                values[field.name] = read_json(hints[field.name], record[field.name])
            except TypeError as error:
                raise TypeError(f"{field.name}: {error}") from error
    return values


def read_json(kind: Any, value: Any) -> Any:
    """Read a value of a type, as `JsonData` reads a field."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(parts, value)
    if origin is tuple:
        return _tuple(parts, value)
    if origin in (frozenset, Sequence):
        found = _tuple((*parts, ...), value)
        return frozenset(found) if origin is frozenset else found
    if hasattr(kind, "from_json"):
        return kind.from_json(value)
    if is_dataclass(kind) and isinstance(kind, type):
        return kind(**_values(kind, value))
    if kind is Fraction:
        return Fraction(_checked(str, value))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is float:
        return _finite(value)
    return _checked(origin or kind, value)


def _checked(kind: type, value: Any) -> Any:
    """A value as it is, if it has the type. A truth value is no number."""
    if type(value) is not kind and not (kind is Mapping and isinstance(value, Mapping)):
        raise TypeError(f"{str(value)[:40]!r} where {kind.__name__} is expected")
    return value


def _finite(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise TypeError(f"{str(value)[:40]!r} where a number is expected")
    return float(value)


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    """Read a value as the first type that fits."""
    if value is None and NoneType in kinds:
        return None
    first, *others = (kind for kind in kinds if kind is not NoneType)
    try:
        return read_json(first, value)
    except (LookupError, TypeError):
        if not others:
            raise
    return _one_of(tuple(others), value)


def _tuple(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """Read a list as a tuple."""
    found = _checked(list, value)
    if kinds[-1] is not ...:
        return tuple(read_json(kind, each) for kind, each in zip(kinds, found, strict=True))
    kind = kinds[0]
    if all(type(each) is kind for each in found):  # plain values need no reading
        return tuple(found)
    return tuple(read_json(kind, each) for each in found)
