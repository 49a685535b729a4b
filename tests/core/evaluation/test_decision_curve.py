"""Net benefit and decision curves."""

from __future__ import annotations

import numpy as np
import pytest

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.evaluation import decision_curve, net_benefit
from odt_core.problem import EncodedData
from tests.core.trees import mushroom_tree


def test_net_benefit_weighs_false_positives_by_the_odds():
    confusion = Confusion(tp=30, fp=20, tn=40, fn=10)
    assert net_benefit(confusion, 0.2) == pytest.approx(30 / 100 - 20 / 100 * 0.25)
    assert net_benefit(confusion, 0) == pytest.approx(0.3)


def test_net_benefit_at_a_prevalence_of_ones_own():
    confusion = Confusion(tp=30, fp=20, tn=40, fn=10)
    assert net_benefit(confusion, 0.2, 0.4) == pytest.approx(net_benefit(confusion, 0.2))
    # per 1000: 50 positive, of whom 3/4 are found; 950 others, of whom 1/3 are treated
    assert net_benefit(confusion, 0.2, 0.05) == pytest.approx(0.0375 - 0.95 / 3 / 4)
    with pytest.raises(InputError, match="rows of both classes"):
        net_benefit(Confusion(tp=3, fp=0, tn=0, fn=1), 0.2, 0.05)


@pytest.mark.parametrize(
    ("confusion", "threshold", "message"),
    [
        (Confusion(1, 1, 1, 1), 1.0, "threshold is 1"),
        (Confusion(1, 1, 1, 1), -0.1, "threshold is -0.1"),
        (Confusion(0, 0, 0, 0), 0.5, "at least one row"),
    ],
)
def test_what_has_no_net_benefit_is_refused(confusion, threshold, message):
    with pytest.raises(InputError, match=message):
        net_benefit(confusion, threshold)


def test_leaves_are_treated_from_their_training_risk_up():
    tree = mushroom_tree()  # risks: 95/97, 3/23, 0/80
    codes = np.array([[0, 0]] * 4 + [[0, 2]] * 3 + [[2, 0]] * 3, dtype=np.int32)
    y = np.array([True, True, True, False, True, False, False, False, False, True])
    data = EncodedData(codes, y, np.ones(10, dtype=np.int64), tree.features)
    curve = decision_curve(tree, tree.leaf_counts(data), [0.0, 0.1, 0.5, 0.99])
    expected = [
        net_benefit(Confusion(5, 5, 0, 0), 0.0),
        net_benefit(Confusion(4, 3, 2, 1), 0.1),
        net_benefit(Confusion(3, 1, 4, 2), 0.5),
        0.0,
    ]
    assert curve.tree == pytest.approx(expected)
    assert curve.treat_all[0] == curve.tree[0] == 0.5
    assert curve.treat_all[2] == pytest.approx(0.0)
    assert curve.thresholds == (0.0, 0.1, 0.5, 0.99)
