"""Counting right and wrong answers."""

from __future__ import annotations

import numpy as np

from odt_core.confusion import Confusion

Y = np.array([True, True, True, False, False])
PREDICTED = np.array([True, False, True, True, False])


def test_rows_count_once():
    confusion = Confusion.count(Y, PREDICTED)
    assert confusion == Confusion(tp=2, fp=1, tn=1, fn=1)
    assert (confusion.n, confusion.errors) == (5, 2)
    assert (confusion.n_positive, confusion.n_negative) == (3, 2)


def test_rows_count_with_their_weights():
    weight = np.array([1, 10, 100, 1000, 10000], dtype=np.int64)
    assert Confusion.count(Y, PREDICTED, weight) == Confusion(tp=101, fp=1000, tn=10000, fn=10)
