"""The controls for expert rules: forbidden columns, and rules for single questions."""

from __future__ import annotations

import streamlit as st

from odt_core.problem import Feature
from odt_core.topology import AnyShape, Shape, Topology
from odt_core.training import NodeRuleSpec, RulesSpec, node_rule_words
from odt_core.words import capitalized
from pages.common.controls import choose_names, draw_question
from pages.common.markup import plain, shorten
from pages.common.settings import TrainKey
from pages.common.widgets import start_value

_NODE, _KIND = "train_rule_node", "train_rule_kind"
_ALLOWED = "train_rule_allowed"
_ONLY, _WHOLE = "Only these columns", "Exactly this question"


def choose_rules(features: tuple[Feature, ...], topology: Shape) -> RulesSpec:
    """Draw the rules for a shape, and the controls that add rules."""
    names = [feature.name for feature in features]
    forbidden = choose_names(
        "Columns that no question may be about", TrainKey.FORBIDDEN, names, persist=True
    )
    rules = _kept_rules()
    for number, rule in enumerate(rules):
        _draw_rule(number, rule)
    if isinstance(topology, AnyShape):
        st.caption("Rules for single questions need a fixed shape: choose one above.")
        return RulesSpec(tuple(forbidden), rules)
    with st.popover("Add a rule for one question", width="stretch"):
        _draw_new_rule(features, topology)
    return RulesSpec(tuple(forbidden), rules)


def _kept_rules() -> tuple[NodeRuleSpec, ...]:
    rules: tuple[NodeRuleSpec, ...] = st.session_state.get(TrainKey.RULES, ())
    return rules


def _draw_rule(number: int, rule: NodeRuleSpec) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(plain(shorten(capitalized(node_rule_words(rule)), 160)))
        st.button(
            "Remove",
            key=f"train_rule_remove_{number}",
            type="tertiary",
            help=f"Remove the rule for question {rule.node}",
            on_click=_remove,
            args=(number,),
        )


def _remove(number: int) -> None:
    rules = _kept_rules()
    st.session_state[TrainKey.RULES] = rules[:number] + rules[number + 1 :]


def _draw_new_rule(features: tuple[Feature, ...], topology: Topology) -> None:
    node = st.selectbox(
        "Question",
        range(1, topology.n_nodes + 1),
        format_func=lambda node: _node_name(node, topology),
        key=_NODE,
        help="The questions are numbered from the top: first a question, then all questions below "
        "its left branch, then all below its right branch.",
    )
    kind = st.segmented_control(
        "What may the question be?", [_ONLY, _WHOLE], required=True, key=start_value(_KIND, _ONLY)
    )
    rule = _draw_only_columns(node, features) if kind == _ONLY else draw_question(node, features)
    st.button(
        "Add the rule",
        key="train_rule_add",
        type="primary",
        disabled=rule is None,
        on_click=_add,
        args=(rule,),
    )


def _node_name(node: int, topology: Topology) -> str:
    """Name a node by its number and its path from the top."""
    steps: list[str] = []
    below = node - 1
    for above in range(node - 2, -1, -1):
        if below in topology.children(above):
            steps.append("yes" if topology.left[above] == below else "no")
            below = above
    return f"{node}: " + (f"after {', '.join(reversed(steps))}" if steps else "the first")


def _draw_only_columns(node: int, features: tuple[Feature, ...]) -> NodeRuleSpec | None:
    names = [feature.name for feature in features]
    allowed = choose_names("Columns it may be about", _ALLOWED, names)
    return NodeRuleSpec(node, features=tuple(allowed)) if allowed else None


def _add(rule: NodeRuleSpec) -> None:
    """Add a rule. It replaces an earlier rule for the same question."""
    others = tuple(kept for kept in _kept_rules() if kept.node != rule.node)
    st.session_state[TrainKey.RULES] = tuple(sorted((*others, rule), key=lambda kept: kept.node))
