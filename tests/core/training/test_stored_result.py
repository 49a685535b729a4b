"""The typed view of a stored result says what the run said."""

import json
from dataclasses import replace

import pytest

from odt_core.data import SplitSpec, Table
from odt_core.evaluation import metrics
from odt_core.solution import MipRole, Status
from odt_core.solvers import Engine
from odt_core.training import StoredResult, TrainResult, TrainSpec, run_training


def stored(result: TrainResult) -> StoredResult:
    """The result as it comes back from the store."""
    return StoredResult(json.loads(json.dumps(result.to_json())))


def test_the_view_says_what_the_run_said(table: Table, spec: TrainSpec) -> None:
    result = run_training(table, replace(spec, engine=Engine.HYBRID, split=SplitSpec.parse("60%")))
    found, solution = stored(result), result.solution
    assert solution.tree is not None and solution.confusion is not None
    assert result.prepared.test is not None
    assert found.has_tree and found.status is solution.status is Status.OPTIMAL
    codes = result.prepared.test.codes
    assert found.tree.apply(codes).tolist() == solution.tree.apply(codes).tolist()
    assert found.train == metrics(solution.confusion)
    assert found.test == metrics(solution.tree.confusion(result.prepared.test))
    assert found.errors == solution.confusion.errors
    assert (found.total, found.total_bound) == (solution.total, solution.bound)
    assert found.words.proof == result.proof_sentence
    assert found.words.status == result.status_sentence
    assert found.cart_train == metrics(result.cart.confusion(result.prepared.train))
    assert found.cart_test == metrics(result.cart.confusion(result.prepared.test))
    assert found.cart_tree.n_leaves == result.cart.n_leaves
    assert [point.incumbent for point in found.trace] == [p.incumbent for p in solution.trace]
    assert solution.mip is not None and found.mip is not None
    assert (found.mip.columns, found.mip.role) == (solution.mip.columns, MipRole(solution.mip.role))


def test_without_test_rows_or_without_a_tree_there_is_no_result(
    table: Table, spec: TrainSpec
) -> None:
    alone = stored(run_training(table, replace(spec, split=SplitSpec.parse("all"))))
    assert alone.test is None and alone.cart_test is None
    nothing = StoredResult({"status": "infeasible", "tree": None, "train": None, "test": None})
    assert not nothing.has_tree and nothing.train is None
    with pytest.raises(ValueError, match="no tree"):
        _ = nothing.tree
