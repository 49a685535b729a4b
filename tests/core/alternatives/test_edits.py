"""Changes at one question, as training runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from odt_core.alternatives.edits import PlacedTree, fixed_rule, is_edit_of, without_rules
from odt_core.alternatives.question import run_ranking
from odt_core.data import SAMPLES, SplitSpec, Table, read_table
from odt_core.errors import InputError
from odt_core.solution import Engine, Solution, Status
from odt_core.topology import AnyShape, Shape, Topology
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec, run_training, settings_words
from odt_core.tree import Decision, Tree


@pytest.fixture(scope="module")
def table() -> Table:
    """560 patients with categories and numbers."""
    return read_table(SAMPLES["triage"].csv(), name="triage.csv")


SHAPE = Topology.parse("depth-2.5")


def spec_of(shape: Shape = SHAPE, **changes: object) -> TrainSpec:
    spec = TrainSpec(
        schema=SAMPLES["triage"].schema(),
        split=SplitSpec.parse("200"),
        topology=shape,
        engine=Engine.SEARCH,
        time_limit=30.0,
    )
    return replace(spec, **changes)  # type: ignore[arg-type]


def solve(table: Table, spec: TrainSpec) -> Solution:
    return run_training(table, spec).solution


def placed(table: Table, spec: TrainSpec) -> PlacedTree:
    solution = solve(table, spec)
    assert solution.status is Status.OPTIMAL and solution.tree is not None
    return PlacedTree.of(spec, solution.tree)


@pytest.fixture(scope="module")
def start(table: Table) -> PlacedTree:
    """The best tree of depth 2.5."""
    return placed(table, spec_of())


def name_at(tree: Tree, question: int) -> str:
    return tree.features[tree.decisions[question].split.feature].name


def splits(node: object) -> list[object]:
    """The questions of a subtree in order."""
    if not isinstance(node, Decision):
        return []
    return [node.split, *splits(node.left), *splits(node.right)]


def test_the_arranged_problem_has_the_same_optimum(table: Table, start: PlacedTree) -> None:
    assert solve(table, start.arranged).total == solve(table, start.spec).total


def test_asking_a_column_reaches_what_the_ranking_says(table: Table, start: PlacedTree) -> None:
    spec, part = start.ranking_of(1, others_kept=False)
    ranking = run_ranking(table, spec, part)
    assert ranking.status is Status.OPTIMAL
    for column in ranking.columns:
        solution = solve(table, start.ask_column(1, column.name))
        assert solution.total == column.reach.total
        assert solution.tree is not None
        if column.helps(ranking.without):
            again = PlacedTree.of(start.ask_column(1, column.name), solution.tree)
            node = start.node_of(1)
            asked = [place.question for place in again.root.walk()][node]
            assert asked is not None and name_at(solution.tree, asked) == column.name
    own = next(c for c in ranking.columns if c.name == name_at(start.tree, 1))
    assert own.reach.total == ranking.columns[0].reach.total == solve(table, start.spec).total


def test_with_the_others_kept_only_one_question_changes(table: Table, start: PlacedTree) -> None:
    spec, part = start.ranking_of(1, others_kept=True)
    ranking = run_ranking(table, spec, part)
    free = run_ranking(table, *start.ranking_of(1, others_kept=False))
    best = {column.name: column.reach.total for column in free.columns}
    for column in ranking.columns:
        total = column.reach.total
        assert total is not None and total <= (best[column.name] or 0)
    rules = tuple(
        replace(fixed_rule(start.tree, node), node=number)
        for number, node in enumerate(start.tree.decisions, start=1)
        if number != 2
    )
    assert spec.rules.nodes == rules
    own = next(c for c in ranking.columns if c.name == name_at(start.tree, 1))
    assert own.reach.total == solve(table, start.spec).total


def test_a_column_that_is_never_asked_here_stays_excluded(table: Table, start: PlacedTree) -> None:
    first = start.never_ask(0)
    name = name_at(start.tree, 0)
    assert settings_words(first)["Rules"] == f"question 1: not about {name}"
    again = placed(table, first)
    assert name_at(again.tree, 0) != name
    second = again.never_ask(0)
    assert second.rules.nodes[0].never == (name, name_at(again.tree, 0))
    assert TrainSpec.from_json(second.to_json()) == second


def test_of_allowed_columns_the_last_one_cannot_be_excluded(
    table: Table, start: PlacedTree
) -> None:
    names = tuple(name_at(start.tree, question) for question in (0, 1))
    assert len(set(names)) == 2
    tree = placed(table, spec_of(rules=RulesSpec((), (NodeRuleSpec(1, features=names),))))
    assert name_at(tree.tree, 0) in names
    one = tree.never_ask(0)
    other = placed(table, one)
    with pytest.raises(InputError, match="Question 1 may only be about"):
        other.never_ask(0)


def test_a_kept_subtree_stays_and_the_rest_is_free(table: Table, start: PlacedTree) -> None:
    cut = placed(table, start.make_leaf(2))
    kept = cut.keep_subtree(1)
    solution = solve(table, kept)
    assert solution.tree is not None and solution.total is not None
    assert solution.total >= (solve(table, cut.spec).total or 0)
    question = cut.tree.decisions[1]
    assert any(splits(node) == splits(question) for node in solution.tree.decisions)


def test_a_leaf_takes_a_questions_place(table: Table, start: PlacedTree) -> None:
    assert isinstance(start.spec.topology, Topology)
    cut = start.make_leaf(1)
    assert isinstance(cut.topology, Topology)
    assert cut.topology.n_nodes < start.spec.topology.n_nodes
    assert start.spec.topology.includes(cut.topology)
    assert (solve(table, cut).total or 0) <= (solve(table, start.spec).total or 0)


def test_the_first_question_cannot_become_a_leaf(start: PlacedTree) -> None:
    with pytest.raises(InputError, match="first question cannot become a leaf"):
        start.make_leaf(0)


def test_changes_add_up(table: Table, start: PlacedTree) -> None:
    never = placed(table, start.never_ask(0))
    last = len(never.tree.decisions) - 1
    exact = never.ask_exactly(last, NodeRuleSpec(0, feature="age", threshold=_cut(never)))
    assert len(exact.rules.nodes) == 2
    assert "not about" in settings_words(exact)["Rules"]
    assert "age ≤" in settings_words(exact)["Rules"]
    solution = solve(table, exact)
    assert solution.total is not None
    assert solution.total <= (solve(table, never.spec).total or 0)
    if solution.tree is not None and len(solution.tree.decisions) == last + 1:
        PlacedTree.of(exact, solution.tree)


def _cut(tree: PlacedTree) -> float:
    feature = next(feature for feature in tree.tree.features if feature.name == "age")
    return feature.cuts[len(feature.cuts) // 2]


def test_a_tree_of_any_shape_is_changed_in_its_own(table: Table) -> None:
    spec = spec_of(AnyShape(3))
    tree = placed(table, spec)
    changed = tree.never_ask(0)
    assert isinstance(changed.topology, Topology)
    assert changed.topology.n_nodes == len(tree.tree.decisions)


def test_which_runs_are_changes_of_which(start: PlacedTree) -> None:
    edit = start.never_ask(0)
    assert is_edit_of(edit, start.spec)
    assert is_edit_of(start.make_leaf(1), start.spec)
    assert not is_edit_of(start.spec, start.spec)
    assert not is_edit_of(replace(edit, time_limit=2.0), start.spec)
    assert not is_edit_of(replace(edit, rules=RulesSpec(("age",))), start.spec)
    assert without_rules(edit).rules == RulesSpec()
