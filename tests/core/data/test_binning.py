"""Bins: where the cuts lie and what the bins are called."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.data import Binning
from odt_core.data.binning import BinMethod, Values, bin_codes, fit_bins

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def fit(values: list[float], binning: Binning | None = None):
    return fit_bins([Values(np.array(values, dtype=float), binning or Binning.deciles())])[0]


def test_few_values_keep_a_bin_each() -> None:
    bins = fit([3, 1, 2, 2, 10])
    assert bins.cuts == (1.5, 2.5, 6.0)
    assert bins.labels == ("1", "2", "3", "10")


def test_ten_values_still_have_a_bin_each() -> None:
    assert fit([*range(10), 0, 0, 0]).cuts == tuple(i + 0.5 for i in range(9))


def test_deciles_of_evenly_spread_values() -> None:
    bins = fit([float(i) for i in range(1, 101)])
    assert bins.cuts == tuple(10 * j + 0.5 for j in range(1, 10))
    assert bins.labels[:2] == ("<= 10.5", "10.5 to 20.5")
    assert bins.labels[-1] == "> 90.5"


def test_quantiles_follow_the_rows_not_the_values() -> None:
    values = [0.0] * 60 + [float(i) for i in range(1, 41)]
    bins = fit(values, Binning.quantiles(5))
    assert bins.cuts == (0.5, 20.5)
    assert bins.labels == ("0", "0.5 to 20.5", "> 20.5")


def test_a_heavy_largest_value_gets_its_own_bin() -> None:
    values = [float(i) for i in range(15)] + [50.0] * 85
    bins = fit(values)
    assert bins.cuts == (9.5, 30.0)
    assert bins.labels == ("<= 9.5", "9.5 to 30", "50")


def test_given_cuts_are_taken_as_they_are() -> None:
    bins = fit([1, 2, 3], Binning.at([0, 18, 65.5]))
    assert bins.cuts == (0, 18, 65.5)
    assert bins.labels == ("<= 0", "0 to 18", "18 to 65.5", "> 65.5")


def test_many_columns_have_the_bins_that_each_has_alone() -> None:
    columns = [
        Values(np.array([3.0, 1, 2, 2, 10]), Binning.deciles()),
        Values(np.array([7.0]), Binning.deciles()),
        Values(np.array([1.0, 2]), Binning.at([0, 18])),
        Values(np.arange(-40.0, 60) / 7, Binning.quantiles(5), np.arange(1, 101)),
        Values(np.array([0.5, 0.25, 0.125]), Binning(BinMethod.EVERY)),
    ]
    alone = [found for each in columns for found in fit_bins([each])]
    assert fit_bins(columns) == alone
    assert [len(bins.cuts) for bins in alone] == [3, 0, 2, 4, 2]
    assert fit_bins([]) == []


def test_a_value_on_a_cut_belongs_below_it() -> None:
    codes = bin_codes(np.array([-5, 0, 0.001, 18, 18.5]), (0.0, 18.0))
    assert codes.tolist() == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (17.35, 17.42, 17.4),
        (17.38, 17.39, 17.385),
        (0.1, 0.2, 0.15),
        (36.6, 36.7, 36.65),
        (3, 4, 3.5),
        (3, 10, 6),
        (950, 1105, 1000),
        (99, 10500, 5000),
        (-5, 12, 0),
        (-12, -5, -8),
        (0.00012, 0.00019, 0.00015),
        (20180130120028, 20180130120029, 20180130120028.5),
    ],
)
def test_a_cut_is_the_shortest_decimal_between_two_values(low, high, cut) -> None:
    assert fit([low, high]).cuts == (cut,)


SMALL = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


@given(st.lists(st.one_of(SMALL, FINITE), min_size=2, max_size=40, unique=True))
def test_no_shorter_decimal_lies_between(values: list[float]) -> None:
    values.sort()
    cuts = fit(values, Binning(BinMethod.EVERY)).cuts
    assert len(cuts) == len(values) - 1
    for low, cut, high in zip(values, cuts, values[1:], strict=False):
        assert low <= cut < high
        if low < 0 < high:
            assert cut == 0
            continue
        middle = low / 2 + high / 2
        shorter = next((c for d in range(17) if low < (c := float(f"{middle:.{d}e}")) < high), low)
        assert cut == shorter


def test_every_value_has_a_bin() -> None:
    values = [float(value) for value in range(3000)]
    bins = fit(values * 2, Binning(BinMethod.EVERY))
    assert bins.cuts == tuple(value + 0.5 for value in values[:-1])
    assert len(bins.labels) == 3000
    assert (bins.labels[0], bins.labels[1234], bins.labels[-1]) == ("0", "1234", "2999")
    assert Binning.from_json(Binning(BinMethod.EVERY).to_json()) == Binning(BinMethod.EVERY)


def test_labels_are_a_sequence_that_equals_the_same_texts() -> None:
    labels = fit([1, 2, 2, 3, 3, 9], Binning.at([2.5, 4])).labels.with_missing()
    assert labels == ("<= 2.5", "2.5 to 4", "> 4", "(missing)") == tuple(labels)
    assert hash(labels) == hash(tuple(labels))
    assert (labels[-1], labels[1:3]) == ("(missing)", ("2.5 to 4", "> 4"))
    assert labels != ("<= 2.5", "2.5 to 4", "> 4")
    with pytest.raises(IndexError):
        labels[4]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1.0, math.nextafter(1.0, 2)),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (-1.7e308, 1.7e308),
        (1.7e308, 1.75e308),
        (123456789012345.0, 123456789012346.0),
        (-1e-300, 1e-300),
    ],
)
def test_cuts_separate_the_closest_and_the_farthest(low: float, high: float) -> None:
    (cut,) = fit([low, high]).cuts
    assert low <= cut < high


@given(st.lists(FINITE, min_size=1, max_size=60), st.integers(2, 12))
def test_bins_are_what_they_say(values: list[float], n_bins: int) -> None:
    bins = fit(values, Binning.quantiles(n_bins))
    distinct = sorted(set(values))
    codes = bin_codes(np.array(distinct), bins.cuts)
    assert len(bins.labels) == len(bins.cuts) + 1 == len(set(bins.labels)) <= n_bins
    assert list(bins.cuts) == sorted(set(bins.cuts))
    assert all(math.isfinite(cut) for cut in bins.cuts)
    # Every bin has a training value, and the codes rise with the values.
    assert sorted(set(codes.tolist())) == list(range(len(bins.labels)))
    assert codes.tolist() == sorted(codes.tolist())
    if len(distinct) <= n_bins:
        assert codes.tolist() == list(range(len(distinct)))


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=200), st.integers(2, 10))
def test_bins_hold_about_their_share(values: list[int], n_bins: int) -> None:
    bins = fit([float(value) for value in values], Binning.quantiles(n_bins))
    codes = bin_codes(np.array(values, dtype=float), bins.cuts)
    counts = np.bincount(codes)
    largest = max(np.bincount(np.array(values) + 50))
    assert counts.max() <= len(values) / n_bins + largest
