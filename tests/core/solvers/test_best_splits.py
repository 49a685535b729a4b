"""One node's best question by counting, against trying every question."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from odt_core.solvers.mip.best_splits import best_split
from tests.properties.referee import questions
from tests.properties.strategies import random_problem


@pytest.mark.parametrize("seed", range(150))
def test_the_best_question_is_found(seed: int) -> None:
    random, problem = Random(seed), random_problem(seed)
    codes = problem.data.codes
    advantage = np.array([random.randint(-3, 3) for _ in codes], dtype=np.int64)
    for node in range(problem.topology.n_nodes):

        def worth(g: int, left: frozenset[int]) -> int:
            return int(advantage[np.isin(codes[:, g], sorted(left))].sum())

        split = best_split(problem, node, codes, advantage)
        asked = questions(problem, node)
        assert (split.feature, split.left) in asked
        assert worth(split.feature, split.left) == max(worth(g, left) for g, left in asked)


def test_no_rows_leave_a_legal_question() -> None:
    for seed in range(40):
        problem = random_problem(seed)
        none = problem.data.codes[:0]
        split = best_split(problem, 0, none, np.zeros(0, dtype=np.int64))
        assert (split.feature, split.left) in questions(problem, 0)
