"""Stability: refits are training runs on rows drawn again; numbers are counted from them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from odt_core.confusion import Confusion
from odt_core.data import (
    SAMPLES,
    SplitSpec,
    Table,
    draw_resample,
    infer_schema,
    prepare,
    read_table,
)
from odt_core.errors import InputError
from odt_core.json_data import as_json
from odt_core.problem import Goal, LeafCount, Objective, SmallestLeaf
from odt_core.solution import Engine, Status
from odt_core.studies import (
    OriginalFit,
    Question,
    RangeRun,
    Refit,
    ResampleRange,
    StabilityResult,
    StabilitySpec,
    columns_csv,
    gather_stability,
    rows_csv,
    run_range,
)
from odt_core.studies.stability import outline_of
from odt_core.studies.stability_result import Optimisms
from odt_core.studies.stability_words import (
    PROVED,
    headline_words,
    outline_lines,
    remarks,
    stability_sentences,
)
from odt_core.topology import AnyShape, Topology
from odt_core.training import (
    FeatureSelection,
    Hooks,
    NodeRuleSpec,
    RulesSpec,
    TrainSpec,
    run_training,
)
from tests.core.studies.parts import run_stability

TABLE = SAMPLES["triage"].load()
SPEC = TrainSpec(
    schema=SAMPLES["triage"].schema(),
    split=SplitSpec.parse("200", seed=3),
    topology=Topology.parse("depth-2"),
    max_card=1,
    engine=Engine.SEARCH,
)
N = 30


@pytest.fixture(scope="module")
def runs() -> tuple[RangeRun, ...]:
    return run_stability(TABLE, SPEC, StabilitySpec(N))


@pytest.fixture(scope="module")
def result(runs: tuple[RangeRun, ...]) -> StabilityResult:
    return gather_stability(runs)


def written_out(numbers: list[int], table: Table = TABLE, spec: TrainSpec = SPEC) -> Table:
    """The rows of a resample as a table of its own, each as often as it was drawn."""
    train = prepare(table, spec.schema, spec.split).train_rows
    frame = table.frame.iloc[train[numbers]]
    return read_table(frame.to_csv(index=False).encode())


def test_a_refit_is_the_training_run_of_the_rows_drawn(result: StabilityResult) -> None:
    y = prepare(TABLE, SPEC.schema, SPEC.split).train.y
    for number in (0, 7, 29):
        rows = draw_resample(y, SPEC.split.seed, number).rows.tolist()
        alone = run_training(written_out(rows), replace(SPEC, split=SplitSpec("all")))
        refit = result.refits[number]
        assert refit.number == number and refit.status is Status.OPTIMAL
        assert alone.solution.tree is not None and alone.solution.confusion == refit.resample
        assert refit.tree == outline_of(alone.solution.tree)
        model = alone.model
        assert model is not None
        whole = written_out(list(range(200)))
        codes = alone.prepared.encoder.encode(whole)
        wrong = int((alone.solution.tree.predict(codes) != y).sum())
        assert refit.original is not None and refit.original.errors == wrong


def test_the_tree_of_all_training_rows_is_that_of_the_training_run(result: StabilityResult) -> None:
    trained = run_training(TABLE, SPEC)
    original = result.original
    assert original is not None and trained.solution.tree is not None
    assert original.tree == outline_of(trained.solution.tree)
    assert original.train == trained.solution.confusion
    assert trained.prepared.test is not None
    assert original.test == trained.solution.tree.confusion(trained.prepared.test)
    assert list(original.rows) == trained.prepared.train_rows.tolist()


def test_the_number_and_order_of_parts_change_nothing(result: StabilityResult) -> None:
    parts = [ResampleRange(17, 13), ResampleRange(0, 17)]
    apart = [run_range(TABLE, SPEC, part) for part in parts]
    kept = [RangeRun.from_json(json.loads(json.dumps(run.to_json()))) for run in apart]
    assert kept == apart
    assert gather_stability(kept) == result
    other = gather_stability(
        [
            run_range(
                TABLE, replace(SPEC, split=SplitSpec.parse("200", seed=4)), ResampleRange(0, 17)
            )
        ]
    )
    assert other.refits != result.refits[:17]


def test_columns_are_counted_from_the_trees(result: StabilityResult) -> None:
    texts = [json.dumps(as_json(refit.tree)) for refit in result.fitted]
    assert len(texts) == N == len(result.refits)
    for column in result.columns:
        named = f'"column": {json.dumps(column.name)}, '
        assert column.asked == sum(named in text for text in texts)
        assert column.at_root == sum(text.startswith("{" + named) for text in texts)
        n_questions = sum(text.count(named) for text in texts)
        assert n_questions == sum(c.n for c in column.cuts) + sum(s.n for s in column.sets)
        assert [cut.cut for cut in column.cuts] == sorted({cut.cut for cut in column.cuts})
    assert result.trees == len(set(texts))
    assert 1 < result.structures <= result.trees
    assert result.commonest_n == max(Counter(texts).values())
    assert [column.asked for column in result.columns] == sorted(
        (column.asked for column in result.columns), reverse=True
    )
    lines = columns_csv(result).decode().splitlines()
    assert len(lines) == 1 + len(result.columns)
    root = max(result.columns, key=lambda column: column.at_root)
    assert headline_words(result).startswith(
        f"In {N} resamples the first question was about {root.name} {root.at_root} time"
    )


def test_optimism_is_the_mean_gap_by_a_second_computation(result: StabilityResult) -> None:
    assert result.optimism is not None and result.original is not None
    gaps = []
    for refit in result.refits:
        a, b = refit.resample, refit.original
        assert a is not None and b is not None
        gaps.append(
            (
                (a.tp + a.tn) / (a.tp + a.tn + a.fp + a.fn) - (b.tp + b.tn) / 200,
                a.tp / (a.tp + a.fn) - b.tp / (b.tp + b.fn),
                a.tn / (a.tn + a.fp) - b.tn / (b.tn + b.fp),
            )
        )
    rates, train = result.optimism, result.original.train
    for rate, gap in zip(
        (rates.accuracy, rates.sensitivity, rates.specificity), np.mean(gaps, axis=0), strict=True
    ):
        assert float(rate.optimism) == pytest.approx(gap)
        assert float(rate.corrected) == pytest.approx(float(rate.apparent) - gap)
    assert rates.accuracy.apparent == Fraction(train.tp + train.tn, 200)
    assert rates.accuracy.optimism > 0


def test_the_interval_is_that_of_the_training_rows_less_the_optimism() -> None:
    """The second formula of Wilson's interval is scipy's."""
    whole, counts = Confusion(70, 20, 80, 30), Confusion(75, 0, 100, 25)
    refits = [
        Refit(n, Status.OPTIMAL, True, Confusion(60 + n % 40, 20, 80, 40 - n % 40), whole)
        for n in range(200)
    ]
    original = OriginalFit(
        Status.OPTIMAL, True, counts, None, ("a",), (0, 1), (0, 0), (True,), (1,)
    )

    def found(n: int) -> Optimisms:
        result = gather_stability([RangeRun(tuple(refits[:n]), (n, n), original)])
        assert result.optimism is not None
        return result.optimism

    optimism = float(np.mean([(60 + n % 40) / 100 for n in range(200)])) - 0.7
    wilson = binomtest(75, 100).proportion_ci(method="wilson")
    sensitivity, specificity = found(200).sensitivity, found(200).specificity
    assert sensitivity.interval == pytest.approx((wilson.low - optimism, wilson.high - optimism))
    assert sensitivity.interval is not None
    assert sensitivity.interval[0] < sensitivity.corrected < sensitivity.interval[1]
    assert specificity.corrected == 1 and specificity.interval is not None
    assert 0.9 < specificity.interval[0] < specificity.interval[1] == 1
    assert found(99).sensitivity.interval is None, "too few refits"


def test_changed_answers_are_counted_row_by_row(result: StabilityResult) -> None:
    """As a check, each refit is trained by itself and predicts each training row."""
    train = prepare(TABLE, SPEC.schema, SPEC.split).train
    whole = written_out(list(range(200)))
    changed = np.zeros(200, dtype=int)
    own = run_training(TABLE, SPEC).solution.tree
    assert own is not None
    few = gather_stability([run_range(TABLE, SPEC, ResampleRange(0, 6))])
    for number in range(6):
        rows = draw_resample(train.y, SPEC.split.seed, number).rows.tolist()
        alone = run_training(written_out(rows), replace(SPEC, split=SplitSpec("all")))
        assert alone.solution.tree is not None
        codes = alone.prepared.encoder.encode(whole)
        changed += alone.solution.tree.predict(codes) != own.predict(train.codes)
    assert few.rows is not None and few.original is not None
    assert list(few.rows.changed) == changed.tolist()
    assert few.rows.mean == pytest.approx(changed.mean() / 6)
    assert few.rows.never == (changed == 0).sum() and few.rows.often == (changed >= 1.5).sum()
    bubbles = few.rows.bubbles(few.original.leaves)
    assert sum(bubble.n for bubble in bubbles) == 200
    assert all(bubble.share in (0, 1) or 0 < bubble.share < 1 for bubble in bubbles)
    zero = sum(bubble.n for bubble in bubbles if bubble.share == 0)
    assert zero == few.rows.never
    lines = rows_csv(few).decode().splitlines()
    assert len(lines) == 201 and lines[1].startswith(f"{few.original.rows[0] + 1},")


def test_a_tree_that_cannot_change_has_one_tree_and_no_instability() -> None:
    rows = "".join(f"{'ab'[i % 2]},{'xyz'[i % 3]},{'yn'[i % 2]}\n" for i in range(60))
    table = read_table(f"sign,noise,outcome\n{rows}".encode())
    spec = TrainSpec(
        schema=infer_schema(table, "outcome", "y"),
        split=SplitSpec("all"),
        topology=Topology.parse("depth-1"),
    )
    found = gather_stability(run_stability(table, spec, StabilitySpec(20)))
    assert (found.trees, found.structures, found.n_same, found.commonest_n) == (1, 1, 20, 20)
    assert found.rows is not None and set(found.rows.changed) == {0}
    assert found.optimism is not None and found.optimism.accuracy.optimism == 0
    sign, noise = found.columns
    assert (sign.name, sign.asked, sign.at_root, noise.asked) == ("sign", 20, 20, 0)
    words = " ".join(stability_sentences(found))
    assert "There is 1 different tree." in words and "changes in 0% of the resamples" in words
    assert found.original is not None and isinstance(found.original.tree, Question)
    lines = outline_lines(found.original.tree, ("n", "y"))
    assert lines[0].startswith("sign is ") and len(lines) == 3


def test_conditions_hold_in_each_refit() -> None:
    spec = replace(
        SPEC,
        objective=Objective(Goal.MAX_TNR, min_tpr=Fraction(9, 10)),
        smallest_leaf=SmallestLeaf(15, LeafCount.ROWS),
        feature_selection=FeatureSelection.CART,
        engine=Engine.CBC,
    )
    found = gather_stability(run_stability(TABLE, spec, StabilitySpec(6)))
    assert found.original is not None and len(found.fitted) == 6 and found.n_proved == 6
    for refit in found.fitted:
        assert (
            refit.resample is not None and 10 * refit.resample.tp >= 9 * refit.resample.n_positive
        )


def test_rules_hold_if_they_can_be_kept_and_the_rest_is_reported() -> None:
    rows = "".join(
        f"{i % 17},{'rare' if i == 0 else 'ab'[i % 2]},{'yn'[i * 7 % 10 < 4]}\n" for i in range(50)
    )
    table = read_table(f"size,kind,outcome\n{rows}".encode())
    spec = TrainSpec(
        schema=infer_schema(table, "outcome", "y"),
        split=SplitSpec("all"),
        topology=Topology.parse("depth-2"),
    )
    cut = prepare(table, spec.schema, spec.split).train.features[0].cuts[4]
    fixed = RulesSpec(nodes=(NodeRuleSpec(1, feature="size", threshold=cut),))
    found = gather_stability(run_stability(table, replace(spec, rules=fixed), StabilitySpec(12)))
    assert not found.left_out, "the column keeps its cut points"
    for refit in found.fitted:
        if isinstance(refit.tree, Question) and refit.tree.column == "size":
            assert refit.tree.cut is not None
    lone = RulesSpec(nodes=(NodeRuleSpec(1, feature="kind", categories=("rare",)),))
    found = gather_stability(run_stability(table, replace(spec, rules=lone), StabilitySpec(12)))
    assert 0 < len(found.left_out) < 12
    assert "'rare', which no training row has" in found.left_out[0].reason
    words = " ".join(stability_sentences(found))
    assert f"{len(found.left_out)} resamples have no tree" in words
    assert found.rows is not None and found.rows.n == len(found.fitted)


def test_groups_are_resampled_together() -> None:
    rows = "".join(f"p{i // 5},{i * 13 % 29},{'yn'[i * 7 % 10 < 4]}\n" for i in range(60))
    table = read_table(f"patient,size,outcome\n{rows}".encode())
    schema = infer_schema(table, "outcome", "y")
    spec = TrainSpec(schema=schema.with_group("patient"), split=SplitSpec("all"),
                     topology=Topology.parse("depth-1"))  # fmt: skip
    found = gather_stability(run_stability(table, spec, StabilitySpec(5)))
    groups = prepare(table, spec.schema, spec.split).groups
    assert groups is not None
    y = prepare(table, spec.schema, spec.split).train.y
    for refit in found.fitted:
        drawn = draw_resample(y, 0, refit.number, groups).rows
        assert refit.resample is not None
        assert refit.resample.n_positive == y[drawn].sum() and refit.resample.n == len(drawn)


def test_it_says_that_trees_are_proved_only_where_they_are(result: StabilityResult) -> None:
    first, *others = result.refits
    cut_short = replace(result, refits=(replace(first, status=Status.FEASIBLE), *others))
    assert PROVED in remarks(result, grouped=False)
    assert PROVED not in remarks(cut_short, grouped=False)
    assert "1 tree is not proved the best" in " ".join(stability_sentences(cut_short))
    assert "not proved" not in " ".join(stability_sentences(result))


def test_a_stopped_study_keeps_whole_refits() -> None:
    asked = iter([False] * 2 + [True] * 1000)
    hooks = Hooks(should_stop=lambda: next(asked))
    found = gather_stability([run_range(TABLE, SPEC, ResampleRange(0, N), hooks)])
    assert len(found.refits) < N and all(refit.tree is not None for refit in found.fitted)
    assert gather_stability([]).to_json()["resamples"] == 0


def test_parts_cover_each_resample_once_and_wrong_numbers_are_refused() -> None:
    for n in (1, 24, 200, 1000, 1001):
        parts = StabilitySpec(n).parts()
        assert [i for part in parts for i in range(part.first, part.first + part.n)] == list(
            range(n)
        )
        assert len(parts) <= 25 and sum(part.n_solves for part in parts) == n + 1
    for n in (0, 10_001):
        with pytest.raises(InputError, match="resamples is"):
            StabilitySpec(n)
    with pytest.raises(TypeError):
        Question.from_json({"column": "a", "predicate": 1, "cut": None, "yes": True, "no": False})


def test_a_tree_of_any_shape_is_refitted_among_all_shapes() -> None:
    one, any_one = (
        run_range(TABLE, replace(SPEC, topology=shape), ResampleRange(0, 3))
        for shape in (Topology.parse("depth-1"), AnyShape(1))
    )
    assert [refit.resample for refit in any_one.refits] == [refit.resample for refit in one.refits]
    two = run_range(TABLE, replace(SPEC, topology=AnyShape(3)), ResampleRange(0, 3))
    for small, large in zip(one.refits, two.refits, strict=True):
        assert small.resample is not None and large.resample is not None
        assert large.resample.errors <= small.resample.errors
        assert large.status is Status.OPTIMAL
