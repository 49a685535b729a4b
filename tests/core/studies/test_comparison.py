"""Comparisons: what a fold trains is what a training run trains, and the choice is by the rules."""

from __future__ import annotations

import csv
import io
import json
import statistics
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from odt_core.confusion import Confusion
from odt_core.data import (
    SAMPLES,
    BinMethod,
    Binning,
    ColumnKind,
    Fold,
    Folding,
    ReadOptions,
    SplitSpec,
    infer_schema,
    read_table,
    split_rows,
)
from odt_core.errors import InputError
from odt_core.evaluation import Baseline, Measure
from odt_core.problem import Goal, Objective
from odt_core.solution import Engine, Status
from odt_core.studies import (
    ComparisonFold,
    ComparisonSpec,
    CutPoints,
    FoldRun,
    TreeCandidate,
    compare_runs,
    comparison_csv,
    run_fold,
)
from odt_core.studies.comparison_words import verdict_words
from odt_core.topology import Topology
from odt_core.training import FeatureSelection, Hooks, RulesSpec, TrainSpec, run_training
from tests.core.studies.parts import run_comparison

ONE, TWO = Topology.parse("depth-1"), Topology.parse("depth-2")
SPEC = TrainSpec(
    schema=SAMPLES["triage"].schema(),
    split=SplitSpec.parse("240", seed=7),
    topology=ONE,
    engine=Engine.SEARCH,
)
PLAN = ComparisonSpec.grid((ONE, TWO), (1,), folding=Folding(3, repeats=2))
TABLE = SAMPLES["triage"].load()
NUMERICAL = ColumnKind.NUMERICAL


@pytest.fixture(scope="module")
def runs() -> tuple[FoldRun, ...]:
    return run_comparison(TABLE, SPEC, PLAN)


def test_each_candidate_is_trained_and_tested_on_each_fold(runs: tuple[FoldRun, ...]) -> None:
    assert len(runs) == 6 * (2 + len(Baseline))
    for fold in PLAN.folding:
        here = [run for run in runs if run.fold == fold]
        assert [run.candidate for run in here] == list(PLAN.candidates)
        for run in here:
            assert run.train is not None and run.test is not None
            assert (run.train.n, run.test.n) == (160, 80), "only training rows are divided"
    for run in runs:
        if isinstance(run.candidate, TreeCandidate):
            assert run.status is Status.OPTIMAL
    shallow, deep = (
        [run.train.errors for run in runs if run.candidate == candidate and run.train is not None]
        for candidate in PLAN.candidates[:2]
    )
    assert all(more <= fewer for more, fewer in zip(deep, shallow, strict=True))


def test_a_fold_is_a_training_run_of_its_own(runs: tuple[FoldRun, ...]) -> None:
    fold = Fold(1, 2, parts=3)
    candidate = PLAN.candidates[1]
    assert isinstance(candidate, TreeCandidate)
    spec = candidate.apply(replace(SPEC, split=replace(SPEC.split, fold=fold)))
    result = run_training(TABLE, spec)
    (run,) = (run for run in runs if (run.candidate, run.fold) == (candidate, fold))
    tree, test = result.solution.tree, result.prepared.test
    assert tree is not None and test is not None
    assert (run.train, run.test) == (tree.confusion(result.prepared.train), tree.confusion(test))
    assert run.leaves == tree.n_leaves and run.questions == 2


def test_it_is_the_same_again_by_seed_and_part_by_part(runs: tuple[FoldRun, ...]) -> None:
    part = ComparisonFold.from_json(json.loads(json.dumps(PLAN.fold_parts()[4].to_json())))
    assert part == PLAN.fold_parts()[4]
    again = run_fold(TABLE, SPEC, part)
    before = [run for run in runs if run.fold == part.fold]
    assert [replace(run, seconds=0) for run in again] == [replace(run, seconds=0) for run in before]


def test_runs_survive_json(runs: tuple[FoldRun, ...]) -> None:
    records = json.loads(json.dumps([run.to_json() for run in runs]))
    assert tuple(FoldRun.from_json(record) for record in records) == runs


def test_means_differences_and_spread(runs: tuple[FoldRun, ...]) -> None:
    found = compare_runs(runs[::-1], SPEC.objective)
    assert found.n_folds == 6 and found.best is not None
    best = found.rows[found.best]
    for row in found.rows:
        mine = [run for run in runs if run.candidate == row.candidate]
        rates = [(run.test.tp + run.test.tn) / run.test.n for run in mine if run.test]
        assert row.score is not None and row.score.mean == pytest.approx(statistics.mean(rates))
        accuracy = row.test(Measure.ACCURACY)
        assert accuracy.mean == pytest.approx(row.score.mean)
        assert accuracy.deviation == pytest.approx(statistics.stdev(rates))
        assert row.score.error == pytest.approx(statistics.stdev(rates) * (1 / 6 + 0.5) ** 0.5)
        if row is not best:
            theirs = [(r.test.tp + r.test.tn) / r.test.n for r in best.runs if r.test]
            apart = [a - b for a, b in zip(rates, theirs, strict=True)]
            assert row.difference is not None
            assert row.difference.mean == pytest.approx(statistics.mean(apart))
    trees = [row for row in found.rows if not row.is_baseline]
    assert best.difference is None and best in trees
    assert best.score is not None
    assert best.score.mean == max(row.score.mean for row in trees if row.score is not None)


def made(candidate: TreeCandidate | Baseline, rights: list[int | None]) -> list[FoldRun]:
    """Runs with so many right answers of 20 test rows; None for no tree."""
    folds = list(Folding(len(rights)))
    return [
        FoldRun(candidate, fold, Status.INFEASIBLE, None, None, None, None, 1.0)
        if right is None
        else FoldRun(
            candidate, fold, Status.OPTIMAL, Confusion(40, 0, 40, 0),
            Confusion(right // 2, 10 - right // 2, right - right // 2, 10 - right + right // 2),
            2, 1.0, 1.0,
        )
        for fold, right in zip(folds, rights, strict=True)
    ]  # fmt: skip


def test_the_simplest_within_one_standard_error_of_the_best() -> None:
    """The best has a mean of 0.9 and a standard error of 0.029; the capped one has 0.8875."""
    plain, capped = TreeCandidate(ONE), TreeCandidate(ONE, max_card=1)
    deep, far = TreeCandidate(TWO), TreeCandidate(Topology.parse("(. .)"), max_card=2)
    runs = made(deep, [18, 17, 19, 18])
    runs += made(plain, [17, 18, 18, 18]) + made(capped, [18, 17, 18, 18]) + made(far, [9] * 4)
    runs += made(Baseline.CART_PRUNED, [20] * 4)
    found = compare_runs(runs, Objective())
    assert found.best is not None and found.simplest is not None
    assert found.rows[found.best].candidate == deep, "a baseline is no choice"
    assert found.rows[found.simplest].candidate == capped, "fewer questions, then smaller sets"
    assert [row.words for row in found.better_baselines] == ["CART, pruned"]
    text = " ".join(verdict_words(found))
    assert "Best: depth-2. Accuracy on the test rows of the folds 90.0%" in text
    assert "depth-1, sets of at most 1." in text and "CART, pruned does better" in text


def test_one_answer_for_all_that_beats_the_simplest_tree_is_named() -> None:
    deep, simple = TreeCandidate(TWO), TreeCandidate(ONE)
    runs = made(deep, [20, 12, 19, 17]) + made(simple, [15, 15, 15, 15])
    found = compare_runs(runs + made(Baseline.COMMONER_CLASS, [16, 16, 16, 16]), Objective())
    assert found.best == 0 and found.simplest == 1 and not found.better_baselines
    text = " ".join(verdict_words(found))
    assert "Accuracy 75.0% (the same in every fold)." in text, "no interval without width"
    assert "Always the same class does better than the simplest tree: 80.0%" in text
    lower = compare_runs(runs + made(Baseline.COMMONER_CLASS, [14, 14, 14, 14]), Objective())
    assert "Always the same class" not in " ".join(verdict_words(lower))


def test_of_equally_good_ones_the_simplest_is_best() -> None:
    runs = made(TreeCandidate(TWO), [15, 16]) + made(TreeCandidate(ONE), [16, 15])
    found = compare_runs(runs, Objective())
    assert found.best is not None and found.rows[found.best].candidate == TreeCandidate(ONE)
    assert found.best == found.simplest
    assert "There is no simpler candidate." in verdict_words(found)
    runs = made(TreeCandidate(TWO), [19, 18, 19]) + made(TreeCandidate(ONE), [12, 12, 13])
    text = " ".join(verdict_words(compare_runs(runs, Objective())))
    assert "No simpler tree comes within one standard error" in text


def test_the_best_of_a_stopped_comparison_is_the_best_so_far() -> None:
    runs = made(TreeCandidate(ONE), [15, 16])
    first = verdict_words(compare_runs(runs, Objective(), 5))[0]
    assert first.startswith("Best so far: depth-1, after 2 of 5 folds. Accuracy on the test rows")
    assert verdict_words(compare_runs(runs, Objective(), 2))[0].startswith("Best: depth-1.")


def test_with_a_floor_the_rates_lead_and_not_the_accuracy() -> None:
    runs = made(TreeCandidate(ONE), [20, 18, 16])  # 10, 9 and 8 of 10 rows of each class
    objective = Objective(min_tpr=Fraction(9, 10))
    assert verdict_words(compare_runs(runs, objective))[0].startswith(
        "Best: depth-1. Sensitivity 90.0% (the floor of 90% held in 2 of 3 folds), "
        "specificity 90.0% and accuracy 90.0% ("
    )
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(17, 20), min_tnr=Fraction(1))
    first = verdict_words(compare_runs(runs, objective))[0]
    assert "Sensitivity 90.0% (the floor of 85% held in 2 of 3 folds) and specificity" in first
    assert first.endswith("(the floor of 100% held in 1 of 3 folds) on the test rows of the folds.")


def test_a_candidate_without_a_tree_in_a_fold_is_not_the_best() -> None:
    lacking, whole = TreeCandidate(TWO), TreeCandidate(ONE)
    found = compare_runs(made(lacking, [20, None]) + made(whole, [12, 12]), Objective())
    assert found.best is not None and found.rows[found.best].candidate == whole
    assert "Depth-2 has a tree in 1 of 2 folds" in " ".join(verdict_words(found))
    none = compare_runs(made(lacking, [20, None]), Objective())
    assert none.best is None and "none can be called the best" in verdict_words(none)[0]


def test_floors_hold_in_training_and_the_goal_is_compared_in_test() -> None:
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(9, 10))
    spec = replace(SPEC, objective=objective)
    runs = run_comparison(TABLE, spec, ComparisonSpec.grid((TWO,), (1,), folding=Folding(3)))
    for run in runs:
        assert run.train is not None
        assert run.train.tp >= 0.9 * run.train.n_positive, run.candidate
    found = compare_runs(runs, objective)
    row = found.rows[0]
    assert found.measure is Measure.SPECIFICITY and row.score is not None
    assert row.score.mean == pytest.approx(row.test(Measure.SPECIFICITY).mean)
    below = sum(run.test.tp < 0.9 * run.test.n_positive for run in row.runs if run.test is not None)
    assert row.n_below(Measure.SENSITIVITY, Fraction(9, 10)) == below
    assert f"the floor of 90% held in {3 - below} of 3 folds" in verdict_words(found)[0]
    record = found.to_json()["candidates"][0]
    assert record["below_floor_in_test"] == {"sensitivity": below}


def test_accuracy_counts_negative_rows_as_the_goal_does() -> None:
    counts = Confusion(tp=3, fp=1, tn=4, fn=2)
    assert Measure.ACCURACY.of(counts) == Fraction(7, 10)
    assert Measure.ACCURACY.of(counts, Fraction(2)) == Fraction(3 + 8, 5 + 10)
    assert Measure.BALANCED_ACCURACY.of(counts) == (Fraction(3, 5) + Fraction(4, 5)) / 2
    assert Measure.SENSITIVITY.of(Confusion(0, 1, 4, 0)) is None


def test_cut_points_and_selection_are_the_candidates_own() -> None:
    schema = SAMPLES["breast-cancer"].schema()
    schema = schema.with_binning("worst_radius", Binning.at([15.0]))
    spec = replace(SPEC, schema=schema)
    every = TreeCandidate(ONE, 2, CutPoints.EVERY, FeatureSelection.CART).apply(spec)
    methods = {c.name: c.binning.method for c in every.schema.columns if c.kind is NUMERICAL}
    assert methods.pop("worst_radius") is BinMethod.CUTS
    assert set(methods.values()) == {BinMethod.EVERY}
    assert (every.topology, every.max_card) == (ONE, 2)
    assert every.feature_selection is FeatureSelection.CART
    assert TreeCandidate(ONE).apply(spec).schema == schema


def test_what_is_trained_on_a_fold_does_not_depend_on_its_test_rows() -> None:
    """A column that tells the outcome of test rows alone changes nothing in training."""
    fold = Fold(0, 1, parts=3)
    candidates = (
        TreeCandidate(TWO, None, CutPoints.EVERY, FeatureSelection.CART),
        TreeCandidate(ONE, None, CutPoints.DECILES),
        *Baseline,
    )
    rng = np.random.default_rng(5)
    y = rng.random(90) < 0.4
    noise = rng.integers(0, 30, 90) + 6 * y
    plain = [(int(noise[i]), "ab"[i % 2], "no" if i % 5 else "yes") for i in range(90)]

    def table(cells: list[tuple[int, str, str]]):
        lines = [f"{a},{b},{c},{int(label)}" for (a, b, c), label in zip(cells, y, strict=True)]
        text = "number,letter,flag,y\n" + "\n".join(lines)
        return read_table(text.encode(), ReadOptions(), name="leak.csv")

    schema = infer_schema(table(plain), target="y", positive="1")
    spec = replace(SPEC, schema=schema, split=SplitSpec("all", seed=3))
    train, test = split_rows(y, replace(spec.split, fold=fold))
    leaky = list(plain)
    for row in test:
        leaky[row] = (5000 if y[row] else -5000, f"leak{int(y[row])}", "yes" if y[row] else "no")
    part = ComparisonFold(candidates, fold)
    before, after = (run_fold(table(cells), spec, part) for cells in (plain, leaky))
    assert len(train) == 60
    assert [run.train for run in before] == [run.train for run in after]
    assert [run.leaves for run in before] == [run.leaves for run in after]
    assert [run.test for run in before] != [run.test for run in after], "the rows did change"


def test_groups_stay_together_and_a_forbidden_column_may_be_constant_in_a_fold() -> None:
    lines = [
        f"{i // 4},{i % 7},{'rare' if i == 0 else 'usual'},{int(i % 7 > 3)}" for i in range(80)
    ]
    text = "patient,x,seldom,y\n" + "\n".join(lines)
    table = read_table(text.encode(), ReadOptions(), name="groups.csv")
    kinds = {"x": NUMERICAL, "seldom": ColumnKind.CATEGORICAL, "patient": ColumnKind.IGNORE}
    schema = infer_schema(table, target="y", positive="1").with_kinds(kinds).with_group("patient")
    spec = replace(
        SPEC, schema=schema, split=SplitSpec("all"), rules=RulesSpec(forbidden=("seldom",))
    )
    runs = run_comparison(table, spec, ComparisonSpec.grid((ONE,), folding=Folding(4)))
    for run in runs:
        assert run.test is not None and run.test.n % 4 == 0, "patients have four rows each"
        if not isinstance(run.candidate, Baseline) or run.candidate is Baseline.CART_DEPTH_3:
            assert run.test.errors == 0


def test_a_fold_that_is_stopped_has_no_result() -> None:
    part = PLAN.fold_parts()[0]
    assert run_fold(TABLE, SPEC, part, Hooks(should_stop=lambda: True)) == ()


def test_the_table_as_csv(runs: tuple[FoldRun, ...]) -> None:
    found = compare_runs(runs, SPEC.objective)
    rows = list(csv.DictReader(io.StringIO(comparison_csv(found).decode())))
    assert [row["candidate"] for row in rows] == [row.words for row in found.rows]
    assert found.best is not None and "best" in rows[found.best]["choice"]
    score = found.rows[0].score
    assert score is not None
    assert float(rows[0]["test_mean_percent"]) == pytest.approx(100 * score.mean, abs=1e-3)


@pytest.mark.parametrize(
    ("shapes", "caps", "says"),
    [((), (1,), "has no trees"), ((ONE,), range(1, 101), "has 103 candidates")],
)
def test_plans_that_cannot_be_compared_are_refused(shapes, caps, says: str) -> None:
    with pytest.raises(InputError, match=says):
        ComparisonSpec.grid(shapes, tuple(caps))
