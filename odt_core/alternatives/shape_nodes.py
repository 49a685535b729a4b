"""The decision nodes of a shape with their questions. Equal subtrees share one node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.questions import Questions, Whole
from odt_core.problem import Problem


@dataclass(frozen=True, eq=False)
class ShapeNode:
    """A decision node of the shape, which stands for all nodes with an equal subtree.

    Attributes
    ----------
    node : int
        The number of one of these nodes in the topology.
    left, right : ShapeNode or None
        The children; None for a leaf.
    level : int
        Number of levels of questions in the subtree.
    asked : int64[A]
        The listed questions that it may ask.
    starts : int64[R]
        The place in `asked` of each group's first question.
    features : int64[R]
        The feature of each group.
    chains : bool[R]
        Whether each group is a chain (see `QuestionGroup`).
    is_fixed : bool
        Whether a rule fixes the question.
    walked : tuple of int
        The walked features that it may ask about (see `questions`).
    """

    node: int
    left: ShapeNode | None
    right: ShapeNode | None
    level: int
    asked: Whole
    starts: Whole
    features: Whole
    chains: tuple[bool, ...]
    is_fixed: bool
    walked: tuple[int, ...]

    @property
    def is_mirrored(self) -> bool:
        """Whether the two children are equal, so that swapping the two sides changes nothing."""
        return self.left is self.right

    @property
    def sizes(self) -> Whole:
        """Number of questions in each group: int64[R]."""
        return np.diff(np.append(self.starts, len(self.asked)))

    def slices(self) -> list[slice]:
        """Return the places of each group in `asked`."""
        ends = [*self.starts[1:].tolist(), len(self.asked)]
        return [slice(a, b) for a, b in zip(self.starts.tolist(), ends, strict=True)]


def shape_nodes(problem: Problem, questions: Questions) -> dict[int, ShapeNode]:
    """Make the nodes of a problem's topology, by their numbers there."""
    topology = problem.topology
    known: dict[object, ShapeNode] = {}
    found: dict[int, ShapeNode] = {}

    def visit(child: int) -> ShapeNode | None:
        if child < 0:
            return None
        left, right = (visit(below) for below in topology.children(child))
        rule = problem.rules.at(child)
        key = (id(left), id(right), rule)
        if key not in known:
            known[key] = _make(problem, questions, child, left, right)
        found[child] = known[key]
        return known[key]

    visit(0)
    return found


def _make(
    problem: Problem,
    questions: Questions,
    node: int,
    left: ShapeNode | None,
    right: ShapeNode | None,
) -> ShapeNode:
    is_fixed = node in questions.fixed
    of_rules = set(questions.fixed.values())
    allowed = set(problem.allowed_features(node))
    if is_fixed:
        groups = [group for group in questions.groups if group.first == questions.fixed[node]]
    else:
        groups = [
            group
            for group in questions.groups
            if group.feature in allowed and group.first not in of_rules
        ]
    sizes = [group.last - group.first for group in groups]
    asked = [np.arange(group.first, group.last) for group in groups]
    return ShapeNode(
        node=node,
        left=left,
        right=right,
        level=1 + max(0 if below is None else below.level for below in (left, right)),
        asked=np.concatenate(asked) if asked else np.zeros(0, np.int64),
        starts=np.cumsum([0, *sizes])[:-1].astype(np.int64),
        features=np.array([group.feature for group in groups], np.int64),
        chains=tuple(group.is_chain for group in groups),
        is_fixed=is_fixed,
        walked=() if is_fixed else tuple(g for g in questions.walked if g in allowed),
    )
