"""What differs between two trees."""

from __future__ import annotations

from odt_core.evaluation import tree_changes
from odt_core.problem import Feature, FeatureKind, Split
from odt_core.tree import Decision, Leaf, Tree

FEATURES = (
    Feature("age", FeatureKind.NUMERICAL, ("low", "mid", "high"), (40.0, 60.0)),
    Feature("pain", FeatureKind.CATEGORICAL, ("none", "some")),
)


def tree(second: Split, last: bool = True) -> Tree:
    """Age at the root; below yes a leaf, below no a question and two leaves."""
    inner = Decision(second, Leaf(False, 3, 1), Leaf(last, 1, 4))
    return Tree(Decision(Split(0, frozenset({0})), Leaf(False, 5, 0), inner), FEATURES)


def test_a_tree_does_not_differ_from_itself() -> None:
    same = tree(Split(1, frozenset({0})))
    assert tree_changes(same, same).is_empty


def test_another_question_is_marked_and_described() -> None:
    changes = tree_changes(tree(Split(1, frozenset({0}))), tree(Split(0, frozenset({0, 1}))))
    assert changes.before == changes.after == frozenset({2})
    assert changes.sentences == (
        "If no to “age ≤ 40?”: the question “age ≤ 60?” instead of the question “pain is none?”.",
    )


def test_where_one_tree_goes_on_all_of_that_is_marked() -> None:
    short = Tree(Decision(Split(0, frozenset({0})), Leaf(False, 5, 0), Leaf(True, 4, 5)), FEATURES)
    changes = tree_changes(short, tree(Split(1, frozenset({0}))))
    assert changes.before == frozenset({2}) and changes.after == frozenset({2, 3, 4})


def test_another_label_marks_the_leaf_only() -> None:
    split = Split(1, frozenset({0}))
    changes = tree_changes(tree(split), tree(split, last=False))
    assert changes.before == frozenset({4})
    assert "“negative” at once instead of “positive” at once" in changes.sentences[0]
