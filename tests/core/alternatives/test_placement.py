"""Drawn trees in the shapes that they were found in."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from odt_core.alternatives.edits import fixed_rule
from odt_core.alternatives.placement import PlacedNode, arrange, placed_nodes
from odt_core.problem import NodeRule, Problem, Rules
from odt_core.solvers.search import solve_search
from odt_core.topology import Topology
from odt_core.training import NodeRuleSpec
from odt_core.tree import Tree, build_tree
from tests.core.trees import random_assignment
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import SMALL_TOPOLOGIES, TOPOLOGIES, random_problem


def spec_rules(problem: Problem) -> dict[int, NodeRuleSpec]:
    """A problem's rules for single nodes in names."""
    features = problem.data.features
    found = {}
    for node, rule in problem.rules.nodes:
        if rule.split is not None:
            feature = features[rule.split.feature]
            names = tuple(feature.values[code] for code in sorted(rule.split.left))
            found[node] = NodeRuleSpec(node + 1, feature=feature.name, categories=names)
        elif rule.features is not None:
            names = tuple(features[g].name for g in sorted(rule.features))
            found[node] = NodeRuleSpec(node + 1, features=names)
    return found


def problem_of(problem: Problem, root: PlacedNode[NodeRuleSpec]) -> Problem:
    """The problem with the shape and rules of placed nodes."""
    nodes = tuple((node, rule.resolve(problem.data.features)) for node, rule in root.rules)
    rules = Rules(problem.rules.forbidden, nodes)
    return replace(problem, topology=root.topology, rules=rules)


def placed(problem: Problem, tree: Tree) -> PlacedNode[NodeRuleSpec]:
    root = arrange(tree, placed_nodes(problem.topology, spec_rules(problem)))
    assert root is not None
    return root


def check_places(tree: Tree, root: PlacedNode[NodeRuleSpec]) -> None:
    """Questions stand in the drawn order, each below the one above it."""
    numbers = [root.number_of(question) for question in range(len(tree.decisions))]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("seeds", blocks(0, 30, 4))
def test_an_arranged_shape_is_the_same_problem(seeds: range) -> None:
    for seed in seeds:
        shapes = SMALL_TOPOLOGIES if seed % 6 else TOPOLOGIES
        problem = random_problem(seed, topologies=shapes, smallest_leaf=seed % 2 == 0)
        found = solve_search(problem).assignment
        if found is None:
            continue
        tree = build_tree(problem, found.splits, found.labels)
        root = placed(problem, tree)
        check_places(tree, root)
        arranged = problem_of(problem, root)
        assert referee.best_value(arranged) == referee.best_value(problem)


@pytest.mark.parametrize("seeds", blocks(0, 30, 4))
def test_every_drawn_tree_has_its_questions_at_its_places(seeds: range) -> None:
    """With all questions fixed at their places, the shape reaches what the tree reaches."""
    for seed in seeds:
        problem = random_problem(seed, topologies=TOPOLOGIES)
        splits, labels = random_assignment(Random(seed), problem)
        tree = build_tree(problem, splits, labels)
        root = placed(problem, tree)
        check_places(tree, root)
        assert sorted(t.text for t in both(root.topology)) == sorted(
            t.text for t in both(problem.topology)
        )
        arranged = problem_of(problem, root)
        fixed = tuple(
            (root.number_of(question), NodeRule(split=node.split))
            for question, node in enumerate(tree.decisions)
        )
        others = tuple((at, rule) for at, rule in arranged.rules.nodes if at not in dict(fixed))
        free = replace(
            arranged,
            rules=Rules(problem.rules.forbidden, (*others, *fixed)),
            max_card=None,
            forbid_empty_branches=False,
        )
        outcome = solve_search(free)
        confusion = tree.confusion(problem.data)
        if problem.gains.allows(confusion):
            assert outcome.total is not None
            assert outcome.total >= problem.gains.total(confusion)


def both(topology: Topology) -> set[Topology]:
    """All mirror images of a topology."""

    def texts(child: int) -> set[str]:
        if child < 0:
            return {"."}
        left, right = topology.children(child)
        pairs = [(a, b) for a in texts(left) for b in texts(right)]
        return {f"({a}{b})" for a, b in pairs} | {f"({b}{a})" for a, b in pairs}

    return {Topology.parse(text) for text in texts(0)}


@pytest.mark.parametrize("seed", range(60))
def test_a_question_becomes_a_rule_that_fixes_it(seed: int) -> None:
    problem = random_problem(seed)
    tree = build_tree(problem, *random_assignment(Random(seed), problem))
    for node in tree.decisions:
        assert fixed_rule(tree, node).resolve(tree.features).split == node.split


def test_a_tree_of_another_shape_has_no_place() -> None:
    problem = random_problem(5, topologies=[Topology.parse("depth-2")], plain=True)
    found = solve_search(problem).assignment
    assert found is not None
    tree = build_tree(problem, found.splits, found.labels)
    assert len(tree.decisions) > 1
    assert arrange(tree, placed_nodes(Topology.parse("depth-1"), {})) is None


def test_a_change_below_one_node_leaves_the_others_alone() -> None:
    shape = placed_nodes(Topology.parse("depth-2.5"), {0: "top", 2: "mid", 4: "low"})
    pruned = shape.changed(1, lambda place: None)
    assert pruned is not None
    assert pruned.topology.text == "(. (. .))"
    assert pruned.rules == ((0, "top"), (1, "low"))
    assert shape.changed(0, lambda place: place.right) == PlacedNode(rule="low")
    assert shape.changed(0, lambda place: None) is None
