"""Changes at one question, as training runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from odt_core.alternatives.edits import (
    ChangeKind,
    PlacedTree,
    QuestionChange,
    fixed_rule,
    interchangeable,
    is_edit_of,
    rules_cost_words,
    rules_in_drawing,
    without_rules,
)
from odt_core.alternatives.placement import placed_nodes
from odt_core.alternatives.question import Loss, Others, Reach, run_ranking
from odt_core.data import SAMPLES, SplitSpec, Table, read_table
from odt_core.errors import InputError
from odt_core.problem import Feature, FeatureKind, Goal, Split
from odt_core.solution import Engine, Solution, Status
from odt_core.topology import AnyShape, Shape, Topology
from odt_core.training import NodeRuleSpec, RulesSpec, TrainSpec, run_training, settings_words
from odt_core.tree import Decision, Leaf, Node, Tree


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


def never(placed: PlacedTree, question: int, others: Others = Others.FREE) -> TrainSpec:
    return placed.with_changes([QuestionChange(question, ChangeKind.NEVER)], others)


def keep(placed: PlacedTree, question: int) -> TrainSpec:
    return placed.with_changes([QuestionChange(question, ChangeKind.KEEP)])


def leaf(placed: PlacedTree, question: int) -> TrainSpec:
    return placed.with_changes([QuestionChange(question, ChangeKind.LEAF)])


def ask(placed: PlacedTree, question: int, rule: NodeRuleSpec) -> TrainSpec:
    return placed.with_changes([QuestionChange(question, ChangeKind.ASK, rule)])


def splits(node: object) -> list[object]:
    """The questions of a subtree in order."""
    if not isinstance(node, Decision):
        return []
    return [node.split, *splits(node.left), *splits(node.right)]


def test_the_arranged_problem_has_the_same_optimum(table: Table, start: PlacedTree) -> None:
    assert solve(table, start.ranking_of(0, Others.FREE)[0]).total == solve(table, start.spec).total


def test_asking_a_column_reaches_what_the_ranking_says(table: Table, start: PlacedTree) -> None:
    spec, part = start.ranking_of(1, Others.FREE)
    ranking = run_ranking(table, spec, part)
    assert ranking.status is Status.OPTIMAL
    for column in ranking.columns:
        solution = solve(table, start.with_changes([QuestionChange.column(1, column.name)]))
        assert solution.total == column.reach.total
        assert solution.tree is not None
        if column.helps(ranking.without):
            again = PlacedTree.of(
                start.with_changes([QuestionChange.column(1, column.name)]), solution.tree
            )
            asked = [place.question for place in again.root.walk()][part.node]
            assert asked is not None and name_at(solution.tree, asked) == column.name
    own = next(c for c in ranking.columns if c.name == name_at(start.tree, 1))
    assert own.reach.total == ranking.columns[0].reach.total == solve(table, start.spec).total


def test_with_the_others_kept_only_one_question_changes(table: Table, start: PlacedTree) -> None:
    spec, part = start.ranking_of(1, Others.KEPT)
    ranking = run_ranking(table, spec, part)
    free = run_ranking(table, *start.ranking_of(1, Others.FREE))
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
    taken = start.with_changes([QuestionChange.column(1, "age")], Others.KEPT)
    assert solve(table, taken).total == {c.name: c.reach.total for c in ranking.columns}["age"]
    assert len(taken.rules.nodes) == len(start.tree.decisions)
    own = next(c for c in ranking.columns if c.name == name_at(start.tree, 1))
    assert own.reach.total == solve(table, start.spec).total


def test_a_column_that_is_never_asked_here_stays_excluded(table: Table, start: PlacedTree) -> None:
    first = never(start, 0)
    name = name_at(start.tree, 0)
    assert settings_words(first)["Rules"] == f"question 1: not about {name}"
    assert placed(table, first).rules_words() == (f"question 1: not about {name}",)
    again = placed(table, first)
    assert name_at(again.tree, 0) != name
    second = never(again, 0)
    assert second.rules.nodes[0].never == (name, name_at(again.tree, 0))
    assert TrainSpec.from_json(second.to_json()) == second


def test_a_column_stays_excluded_where_nothing_else_may_change(
    table: Table, start: PlacedTree
) -> None:
    first = placed(table, never(start, 0))
    second = placed(table, never(first, 0, Others.KEPT))
    names = [name_at(each.tree, 0) for each in (start, first, second)]
    assert len(set(names)) == 3
    assert second.rules_words()[0] == f"question 1: not about {' or '.join(names[:2])}"


def test_of_allowed_columns_the_last_one_cannot_be_excluded(
    table: Table, start: PlacedTree
) -> None:
    names = tuple(name_at(start.tree, question) for question in (0, 1))
    assert len(set(names)) == 2
    tree = placed(table, spec_of(rules=RulesSpec((), (NodeRuleSpec(1, features=names),))))
    assert name_at(tree.tree, 0) in names
    one = never(tree, 0)
    other = placed(table, one)
    with pytest.raises(InputError, match="question 1 may only be about"):
        never(other, 0)


def test_a_kept_subtree_stays_and_the_rest_is_free(table: Table, start: PlacedTree) -> None:
    cut = placed(table, leaf(start, 2))
    kept = keep(cut, 1)
    solution = solve(table, kept)
    assert solution.tree is not None and solution.total is not None
    assert solution.total >= (solve(table, cut.spec).total or 0)
    question = cut.tree.decisions[1]
    assert any(splits(node) == splits(question) for node in solution.tree.decisions)


def test_a_leaf_takes_a_questions_place(table: Table, start: PlacedTree) -> None:
    assert isinstance(start.spec.topology, Topology)
    cut = leaf(start, 1)
    assert isinstance(cut.topology, Topology)
    assert cut.topology.n_nodes < start.spec.topology.n_nodes
    assert start.spec.topology.includes(cut.topology)
    assert (solve(table, cut).total or 0) <= (solve(table, start.spec).total or 0)


def test_the_first_question_cannot_become_a_leaf(start: PlacedTree) -> None:
    with pytest.raises(InputError, match="first question cannot become a leaf"):
        leaf(start, 0)


def test_changes_add_up(table: Table, start: PlacedTree) -> None:
    spec = never(start, 0)
    found = solve(table, spec)
    assert found.status is Status.OPTIMAL and found.tree is not None
    without = PlacedTree.of(spec, found.tree)
    last = len(without.tree.decisions) - 1
    exact = ask(without, last, NodeRuleSpec(0, feature="age", threshold=_cut(without)))
    assert len(exact.rules.nodes) == 2
    assert "not about" in settings_words(exact)["Rules"]
    assert "age ≤" in settings_words(exact)["Rules"]
    solution = solve(table, exact)
    assert solution.total is not None
    assert solution.total <= (found.total or 0)
    if solution.tree is not None and len(solution.tree.decisions) == last + 1:
        PlacedTree.of(exact, solution.tree)


def _cut(tree: PlacedTree) -> float:
    feature = next(feature for feature in tree.tree.features if feature.name == "age")
    return feature.cuts[len(feature.cuts) // 2]


def test_a_tree_of_any_shape_is_changed_in_its_own(table: Table) -> None:
    spec = spec_of(AnyShape(3))
    tree = placed(table, spec)
    changed = never(tree, 0)
    assert isinstance(changed.topology, Topology)
    assert changed.topology.n_nodes == len(tree.tree.decisions)


def test_which_runs_are_changes_of_which(start: PlacedTree) -> None:
    edit = never(start, 0)
    assert is_edit_of(edit, start.spec)
    assert is_edit_of(leaf(start, 1), start.spec)
    assert not is_edit_of(start.spec, start.spec)
    assert not is_edit_of(replace(edit, time_limit=2.0), start.spec)
    assert not is_edit_of(replace(edit, rules=RulesSpec(("age",))), start.spec)
    assert without_rules(edit).rules == RulesSpec()


def test_with_the_questions_above_kept_the_same_rows_come_to_it(
    table: Table, start: PlacedTree
) -> None:
    """The first question stays; those below may all change."""
    spec, part = start.ranking_of(1, Others.BELOW)
    first = replace(fixed_rule(start.tree, start.tree.decisions[0]), node=1)
    assert spec.rules.nodes == (first,)
    ranking = run_ranking(table, spec, part)
    totals = {
        others: {c.name: c.reach.total or 0 for c in run_ranking(table, *where).columns}
        for others in (Others.FREE, Others.KEPT)
        if (where := start.ranking_of(1, others))
    }
    for column in ranking.columns:
        total = column.reach.total or 0
        assert totals[Others.KEPT][column.name] <= total <= totals[Others.FREE][column.name]
        changed = start.with_changes([QuestionChange.column(1, column.name)], Others.BELOW)
        assert solve(table, changed).total == total


@pytest.mark.parametrize("others", list(Others))
def test_a_column_that_is_never_asked_here_is_not_asked_by_turning_round(
    table: Table, others: Others
) -> None:
    """Mirror images of the tree do not bring the column back to where it was."""
    start = placed(table, spec_of(Topology.parse("depth-2")))
    for question in range(1, len(start.tree.decisions)):
        name = name_at(start.tree, question)
        again = placed(table, never(start, question, others))
        numbers = [again.root.number_of(at) for at in range(len(again.tree.decisions))]
        base, part = start.ranking_of(question, others)
        assert isinstance(base.topology, Topology)
        if part.node in numbers:
            assert name_at(again.tree, numbers.index(part.node)) != name


def test_which_nodes_can_take_each_others_place() -> None:
    whole = placed_nodes(Topology.parse("depth-3"), {})
    assert sorted(interchangeable(whole, 2)) == [2, 3, 5, 6]
    assert sorted(interchangeable(whole, 1)) == [1, 4]
    assert interchangeable(whole, 0) == (0,)
    fixed = NodeRuleSpec(1, feature="age", threshold=5.0)
    assert sorted(interchangeable(placed_nodes(Topology.parse("depth-3"), {0: fixed}), 2)) == [2, 3]
    assert interchangeable(placed_nodes(Topology.parse("depth-2.5"), {}), 4) == (4,)


def test_several_changes_are_made_in_one_run(table: Table) -> None:
    """One run with two changes has the tree of two runs with one change each."""
    start = placed(table, spec_of(Topology.parse("depth-2")))
    first = QuestionChange.column(0, "age")
    last = QuestionChange(2, ChangeKind.LEAF)
    together = start.with_changes([last, first])
    apart = placed(table, start.with_changes([last])).with_changes([first])
    assert len(together.rules.nodes) == len(apart.rules.nodes) == 1
    assert solve(table, together).total == solve(table, apart).total
    for others, kept in ((Others.FREE, 0), (Others.BELOW, 0), (Others.KEPT, 1)):
        found = start.with_changes([first, last], others)
        assert len([rule for rule in found.rules.nodes if rule.feature]) == kept
        assert NodeRuleSpec(1, features=("age",)) in found.rules.nodes
    both = start.with_changes([QuestionChange.column(1, "age")], Others.BELOW)
    assert [rule.node for rule in both.rules.nodes if rule.feature] == [1]


def test_two_columns_are_excluded_at_two_questions_only() -> None:
    """The first question may be turned round, but the two others have rules of their own."""
    tree = balanced_tree()
    spec = tree.with_changes([QuestionChange(at, ChangeKind.NEVER) for at in (1, 2)])
    assert [(rule.node, rule.never) for rule in spec.rules.nodes] == [(2, ("b",)), (3, ("c",))]
    one = tree.with_changes([QuestionChange(1, ChangeKind.NEVER)])
    assert [(rule.node, rule.never) for rule in one.rules.nodes] == [(2, ("b",)), (3, ("b",))]
    exact = NodeRuleSpec(0, feature="c", categories=("x",))
    mixed = tree.with_changes(
        [QuestionChange(1, ChangeKind.NEVER), QuestionChange(2, ChangeKind.ASK, exact)]
    )
    assert [rule.never for rule in mixed.rules.nodes] == [("b",), ()]


def test_a_column_is_excluded_here_and_below() -> None:
    spec = balanced_tree().with_changes([QuestionChange(0, ChangeKind.NEVER, and_below=True)])
    assert [rule.never for rule in spec.rules.nodes] == [("a",)] * 3
    asked = QuestionChange(1, ChangeKind.ASK, NodeRuleSpec(0, feature="a", categories=("x",)))
    with pytest.raises(InputError, match="a question below question 1 is about a"):
        balanced_tree().with_changes([QuestionChange(0, ChangeKind.NEVER, and_below=True), asked])


@pytest.mark.parametrize("kind", [ChangeKind.KEEP, ChangeKind.LEAF])
def test_what_is_kept_or_cut_off_cannot_change_too(kind: ChangeKind) -> None:
    tree = chain_tree()
    with pytest.raises(InputError, match="so question 3 below it cannot change"):
        tree.with_changes([QuestionChange.column(2, "a"), QuestionChange(1, kind)])


def test_where_nothing_may_change_nothing_can_be_improved() -> None:
    with pytest.raises(InputError, match="nothing to improve"):
        balanced_tree().with_changes([QuestionChange(1, ChangeKind.KEEP)], Others.KEPT)


def test_changes_are_reported_in_words() -> None:
    tree = balanced_tree().tree
    changes = [
        QuestionChange.column(0, "b"),
        QuestionChange(1, ChangeKind.NEVER, and_below=True),
        QuestionChange(2, ChangeKind.KEEP),
        QuestionChange(2, ChangeKind.LEAF),
    ]
    assert [change.words(tree) for change in changes] == [
        "question 1: only about b",
        "question 2: not about b, here or below",
        "question 3: as it is, with all below it",
        "question 3: a leaf takes its place",
    ]


@pytest.mark.parametrize("shape", ["depth-1", "cues-4", "imbalanced", "depth-4"])
def test_each_question_of_each_shape_can_change(shape: str) -> None:
    """Every change of every question is a specification of a shape within the first one."""
    topology = Topology.parse(shape)
    names = [f"c{at}" for at in range(topology.n_nodes)]
    features = tuple(Feature(name, FeatureKind.CATEGORICAL, ("x", "y")) for name in names)
    numbers = iter(range(topology.n_nodes))

    def visit(child: int) -> Node:
        if child < 0:
            return Leaf(child % 2 == 0, 2, 3)
        at = next(numbers)
        left, right = (visit(below) for below in topology.children(child))
        return Decision(Split(at, frozenset({0})), left, right, frozenset({0, 1}))

    tree = PlacedTree.of(spec_of(topology), Tree(visit(0), features))
    assert len(tree.tree.decisions) == topology.n_nodes
    for at in range(topology.n_nodes):
        for kind in ChangeKind:
            rule = NodeRuleSpec(0, features=("c0",)) if kind is ChangeKind.ASK else None
            if kind is ChangeKind.LEAF and at == 0:
                continue
            for others in Others if kind is not ChangeKind.KEEP else (Others.FREE,):
                spec = tree.with_changes([QuestionChange(at, kind, rule)], others)
                assert isinstance(spec.topology, Topology) and topology.includes(spec.topology)
                assert TrainSpec.from_json(spec.to_json()) == spec
                nodes = [node for node, _ in spec.rules.resolve(features).nodes]
                assert all(node < spec.topology.n_nodes for node in nodes)


FEATURES = tuple(Feature(name, FeatureKind.CATEGORICAL, ("x", "y")) for name in "abc")


def question_about(feature: int, left: Node, right: Node) -> Decision:
    return Decision(Split(feature, frozenset({0})), left, right, frozenset({0, 1}))


def balanced_tree() -> PlacedTree:
    """It asks about a, then about b or c."""
    yes, no = (question_about(at, Leaf(False, 1, 2), Leaf(True, 2, 1)) for at in (1, 2))
    tree = Tree(question_about(0, yes, no), FEATURES)
    return PlacedTree.of(spec_of(Topology.parse("depth-2")), tree)


def chain_tree() -> PlacedTree:
    """It asks about a, then b, then c, each only if the answer before was no."""
    node: Node = Leaf(True, 0, 4)
    for feature in (2, 1, 0):
        node = question_about(feature, Leaf(False, 2, 1), node)
    return PlacedTree.of(spec_of(Topology.parse("cues-3")), Tree(node, FEATURES))


def test_rules_are_numbered_as_in_the_drawing() -> None:
    """The shape's first branch is the drawing's last one, and asks nothing on one node."""
    rules = RulesSpec((), (NodeRuleSpec(2, features=("c",)), NodeRuleSpec(4, never=("a",))))
    shape = Topology.parse("((. .)((. .)(. .)))")
    yes, no = question_about(1, Leaf(False, 1, 1), Leaf(True, 1, 2)), Leaf(True, 0, 3)
    tree = Tree(question_about(0, yes, question_about(2, Leaf(False, 2, 0), no)), FEATURES)
    words = rules_in_drawing(spec_of(shape, rules=rules), tree)
    assert words == ("question 3: only about c", "a question that is not asked: not about a")
    assert rules_in_drawing(spec_of(shape, rules=rules), Tree(no, FEATURES)) == (
        "question 2: only about c",
        "question 4: not about a",
    )


ERRORS = Loss(Goal.ACCURACY, is_weighted=False, most=100, unit=1)


@pytest.mark.parametrize(
    ("ruled", "free", "words"),
    [
        (
            Reach(Status.OPTIMAL, 83, 83),
            Reach(Status.OPTIMAL, 86, 86),
            "The rules cost 3 more training errors than the best tree without rules (17 against "
            "14).",
        ),
        (
            Reach(Status.OPTIMAL, 85, 85),
            Reach(Status.OPTIMAL, 86, 86),
            "The rules cost 1 more training error than the best tree without rules (15 against "
            "14).",
        ),
        (
            Reach(Status.OPTIMAL, 86, 86),
            Reach(Status.OPTIMAL, 86, 86),
            "The rules cost nothing: without them the best tree has 14 training errors, too.",
        ),
        (
            Reach(Status.FEASIBLE, 83, 85),
            Reach(Status.FEASIBLE, 86, 90),
            "This tree has 17 training errors, and the best one found without rules has 14. "
            "At least one is not proved. The rules cost at least 1 and at most 7 more training "
            "errors.",
        ),
        (
            Reach(Status.FEASIBLE, 83, None),
            Reach(Status.OPTIMAL, 86, 86),
            "This tree has 17 training errors, and the best one found without rules has 14. "
            "At least one is not proved, so the cost of the rules is not known.",
        ),
        (
            Reach(Status.OPTIMAL, 83, 83),
            Reach(Status.FEASIBLE, None, 90),
            "The cost of the rules is not known: no tree was found to compare with.",
        ),
    ],
)
def test_the_cost_of_rules_is_reported_as_far_as_proved(
    ruled: Reach, free: Reach, words: str
) -> None:
    assert rules_cost_words(ERRORS, ruled, free) == words


def test_a_loss_is_reported_in_words_of_the_goal() -> None:
    balanced = Loss(Goal.BALANCED, is_weighted=False, most=200, unit=200)
    assert balanced.words(balanced.value(190)) == "5.0% balanced error in training"
    missed = Loss(Goal.MAX_TPR, is_weighted=False, most=40, unit=1)
    assert missed.words(missed.value(39)) == "1 missed case in training"
    weighted = Loss(Goal.ACCURACY, is_weighted=True, most=75, unit=2)
    assert weighted.words(weighted.value(72)) == "1.5 weighted training errors"
    for loss in (balanced, missed, weighted):
        assert Loss.from_json(loss.to_json()) == loss
