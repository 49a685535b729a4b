"""Dataclasses come back from their JSON, and wrong values are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from odt_core.confusion import Confusion
from odt_core.errors import MALFORMED
from odt_core.json_data import JsonData
from odt_core.topology import Topology


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Plain:
    name: str


@dataclass(frozen=True)
class Whole(JsonData):
    colour: Colour
    shape: Topology
    counts: Confusion | None
    pairs: tuple[tuple[str, Fraction], ...]
    parts: tuple[Plain, ...]
    codes: frozenset[int]
    names: Sequence[str]
    answer: bool | Inner
    share: float
    facts: Mapping[str, Any]
    limit: int | None = None


@dataclass(frozen=True)
class Inner(JsonData):
    yes: bool | Inner


WHOLE = Whole(
    Colour.RED,
    Topology.parse("depth-2"),
    Confusion(1, 2, 3, 4),
    (("a", Fraction(1, 3)),),
    (Plain("x"),),
    frozenset({3, 1}),
    ("n",),
    Inner(Inner(True)),
    0.5,
    {"k": [1]},
    7,
)


def test_it_comes_back_from_its_json() -> None:
    record = json.loads(json.dumps(WHOLE.to_json()))
    assert Whole.from_json(record) == WHOLE
    assert record["shape"] == "((. .)(. .))" and record["pairs"] == [["a", "1/3"]]
    assert record["counts"] == {"tp": 1, "fp": 2, "tn": 3, "fn": 4}


def test_an_absent_field_gets_its_default_and_others_are_ignored() -> None:
    record = WHOLE.to_json() | {"counts": None, "of_later": 1}
    del record["limit"]
    found = Whole.from_json(record)
    assert found.limit is None and found.counts is None
    del record["share"]
    with pytest.raises(KeyError, match="share"):
        Whole.from_json(record)


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "blue"},
        {"shape": 3},
        {"counts": {"tp": 1, "fp": 2, "tn": 3}},
        {"counts": {"tp": 1, "fp": 2, "tn": 3, "fn": -4}},
        {"counts": {"tp": 1, "fp": 2, "tn": 3, "fn": True}},
        {"pairs": [["a"]]},
        {"pairs": [["a", 0.5]]},
        {"pairs": [["a", "1/0"]]},
        {"parts": [{"name": 1}]},
        {"parts": "x"},
        {"answer": 1},
        {"answer": {"yes": {"yes": "no"}}},
        {"share": float("nan")},
        {"share": "0.5"},
        {"facts": []},
        {"limit": 7.0},
    ],
)
def test_a_wrong_value_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MALFORMED):
        Whole.from_json(WHOLE.to_json() | change)
