"""Splits: sizes, stratification, seeds."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import resample

from odt_core.data import SplitSpec, split_rows
from odt_core.errors import InputError
from tests.examples import examples

pytestmark = pytest.mark.filterwarnings("error")


def classes(n_positive: int, n_negative: int) -> np.ndarray:
    y = np.zeros(n_positive + n_negative, dtype=bool)
    y[np.random.default_rng(0).permutation(len(y))[:n_positive]] = True
    return y


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("600", 600),
        ("0.9", Fraction(9, 10)),
        (".5", Fraction(1, 2)),
        ("90%", Fraction(9, 10)),
        ("33.3 %", Fraction(333, 1000)),
        ("2/3", Fraction(2, 3)),
        ("1", 1),
        ("1.0", Fraction(1)),
        (" All ", "all"),
        ("paper", "paper"),
    ],
)
def test_sizes_in_words(text: str, size: object) -> None:
    assert SplitSpec.parse(text).train_size == size
    assert type(SplitSpec.parse(text).train_size) is type(size)


@pytest.mark.parametrize(
    "text", ["", "many", "-5", "0", "0.0", "1.5", "150%", "1e3", "nan", ".", "%", "1/0", "half"]
)
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="train-size"):
        SplitSpec.parse(text)


def test_test_size_is_parsed_and_checked() -> None:
    assert SplitSpec.parse("600", "200").test_size == 200
    assert SplitSpec.parse("600", "50%").test_size == Fraction(1, 2)
    assert SplitSpec.parse("600", "").test_size is None
    with pytest.raises(InputError, match="test-size is 'all'"):
        SplitSpec.parse("600", "all")
    with pytest.raises(InputError, match="leave out test-size"):
        SplitSpec.parse("all", "0.5")
    with pytest.raises(InputError, match="seed is -1"):
        SplitSpec.parse("600", seed=-1)


@pytest.mark.parametrize("spec", ["600", "0.9", "2/3", "all", "paper"])
def test_json_round_trip(spec: str) -> None:
    split = SplitSpec.parse(spec, None if spec == "all" else "1/3", seed=7)
    assert SplitSpec.from_json(json.loads(json.dumps(split.to_json()))) == split


@pytest.mark.parametrize("rest", [{}, {"test_size": None, "seed": 1.5}])
def test_damaged_json_is_refused(rest: dict[str, object]) -> None:
    with pytest.raises(InputError, match="split is damaged"):
        SplitSpec.from_json({"train_size": "all", **rest})


@pytest.mark.parametrize(
    ("spec", "n_rows", "n_train", "n_test"),
    [
        (SplitSpec("all"), 683, 683, 0),
        (SplitSpec("paper"), 683, 600, 83),
        (SplitSpec("paper"), 432, 388, 44),
        (SplitSpec("paper"), 267, 240, 27),
        (SplitSpec(Fraction(9, 10)), 958, 862, 96),
        (SplitSpec(600), 683, 600, 83),
        (SplitSpec(600, 50), 683, 600, 50),
        (SplitSpec(Fraction(1, 2), Fraction(1, 2)), 1000, 500, 250),
        (SplitSpec(683), 683, 683, 0),
        (SplitSpec(Fraction(1)), 683, 683, 0),
        (SplitSpec(682), 683, 682, 1),
    ],
)
def test_how_many_rows(spec: SplitSpec, n_rows: int, n_train: int, n_test: int) -> None:
    train, test = split_rows(classes(n_rows // 3, n_rows - n_rows // 3), spec)
    assert (len(train), len(test)) == (n_train, n_test)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (SplitSpec(11), "train-size is 11, but there are only 10 rows"),
        (SplitSpec(Fraction(1, 100)), "train-size gives no row out of 10"),
        (SplitSpec(6, 5), "test-size is 5, but there are only 4 rows"),
        (SplitSpec(6, Fraction(1, 5)), "test-size gives no row out of 4"),
        (SplitSpec(10, 1), "test-size is 1, but there are only 0 rows"),
    ],
)
def test_too_few_rows(spec: SplitSpec, message: str) -> None:
    with pytest.raises(InputError, match=message):
        split_rows(classes(5, 5), spec)


@examples(30)
@given(
    n_positive=st.integers(1, 60),
    n_negative=st.integers(1, 60),
    share=st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20),
    test_share=st.none() | st.fractions(Fraction(1, 3), 1, max_denominator=9),
    seed=st.integers(0, 2**32 - 1),
)
def test_samples_are_disjoint_and_stratified(
    n_positive: int, n_negative: int, share: Fraction, test_share: Fraction | None, seed: int
) -> None:
    y = classes(n_positive, n_negative)
    spec = SplitSpec(share, test_share, seed)
    try:
        train, test = split_rows(y, spec)
    except InputError:
        assert share * len(y) < 1 or test_share is not None
        return
    assert len(np.intersect1d(train, test)) == 0
    assert list(train) == sorted(set(train)) and list(test) == sorted(set(test))
    assert abs(y[train].sum() - n_positive * len(train) / len(y)) < 1
    rest = np.setdiff1d(np.arange(len(y)), train)
    assert abs(y[test].sum() - y[rest].sum() * len(test) / len(rest)) < 1
    if test_share is None:
        assert np.array_equal(test, rest)
    again_train, again_test = split_rows(y, spec)
    assert np.array_equal(train, again_train) and np.array_equal(test, again_test)


def test_seed_matters() -> None:
    y = classes(50, 50)
    first, second = (split_rows(y, SplitSpec(50, seed=seed))[0] for seed in (0, 1))
    assert not np.array_equal(first, second)


def test_all_rows_come_in_file_order() -> None:
    train, test = split_rows(classes(3, 7), SplitSpec("all", seed=5))
    assert train.tolist() == list(range(10))
    assert test.tolist() == []


GROUPS = np.repeat(np.arange(40), [1, 2, 3, 4] * 10)


@pytest.mark.parametrize("size", ["60", "80%", "paper", "25"])
@pytest.mark.parametrize("seed", range(5))
def test_rows_of_a_group_are_never_divided(size: str, seed: int) -> None:
    y = GROUPS % 3 == 0
    spec = SplitSpec.parse(size, seed=seed)
    train, test = split_rows(y, spec, GROUPS)
    assert not set(GROUPS[train]) & set(GROUPS[test])
    assert sorted([*train, *test]) == list(range(len(y)))
    n = spec.n_train(len(y))
    assert n - 4 < len(train) <= n  # no group has more than four rows
    assert abs(y[train].mean() - y.mean()) < 0.1
    assert np.array_equal(train, split_rows(y, spec, GROUPS)[0])


def test_a_smaller_test_set_has_whole_groups_too() -> None:
    train, test = split_rows(GROUPS % 2 == 0, SplitSpec.parse("50", "20"), GROUPS)
    assert len(train) <= 50 and 0 < len(test) <= 20
    assert all((GROUPS[test] == group).sum() in (0, group % 4 + 1) for group in range(40))
    assert not set(GROUPS[train]) & set(GROUPS[test])


def test_groups_that_do_not_fit_are_reported() -> None:
    y = np.arange(20) < 10
    with pytest.raises(InputError, match="train-size gives 5 rows, but every group has more"):
        split_rows(y, SplitSpec.parse("5"), np.repeat([0, 1], 10))


@pytest.mark.parametrize(
    ("n_positive", "n_negative"), [(5, 5), (7, 3), (100, 1), (0, 9), (9, 0), (33, 67), (400, 212)]
)
def test_a_sample_equals_scikit_learns_sample(n_positive: int, n_negative: int) -> None:
    y = classes(n_positive, n_negative)
    for n in range(1, min(len(y), 40)):
        for seed in range(3):
            train, _ = split_rows(y, SplitSpec(n, seed=seed))
            expected = resample(
                np.arange(len(y)), replace=False, n_samples=n, stratify=y, random_state=seed
            )
            assert train.tolist() == sorted(expected)
