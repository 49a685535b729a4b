"""The controls for expert rules: forbidden columns, and rules for single questions."""

from __future__ import annotations

import streamlit as st

from odt_core.errors import InputError, quoted
from odt_core.exact import shortest_decimal
from odt_core.problem import Feature
from odt_core.topology import AnyShape, Shape, Topology
from odt_core.training import NodeRuleSpec, RulesSpec, node_rule_words
from odt_core.words import capitalized, printable
from pages.common.settings import TrainKey
from pages.common.text import plain, shorten
from pages.common.widgets import start_value

_RULES = TrainKey.RULES
_RULE, _NODE, _KIND = "train_rule", "train_rule_node", "train_rule_kind"
_ALLOWED = "train_rule_allowed"
_ONLY, _WHOLE = "Only these columns", "Exactly this question"


def choose_rules(features: tuple[Feature, ...], topology: Shape) -> RulesSpec:
    """Draw the rules and the controls that add rules.

    Parameters
    ----------
    features : tuple of Feature
        The features.
    topology : Topology or AnyShape
        The shape that the rules apply to.
    """
    names = [feature.name for feature in features]
    forbidden = _columns(
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
    rules: tuple[NodeRuleSpec, ...] = st.session_state.get(_RULES, ())
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
    st.session_state[_RULES] = rules[:number] + rules[number + 1 :]


def _draw_new_rule(features: tuple[Feature, ...], topology: Topology) -> None:
    node = st.selectbox(
        "Question",
        range(1, topology.n_nodes + 1),
        format_func=lambda node: _node_name(node, topology),
        key=_NODE,
        help="Numbered from the top: first a question, then all questions below its left branch, "
        "then all below its right branch.",
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
    allowed = _columns("Columns it may be about", _ALLOWED, names)
    return NodeRuleSpec(node, features=tuple(allowed)) if allowed else None


def draw_question(
    node: int, features: tuple[Feature, ...], key: str = _RULE
) -> NodeRuleSpec | None:
    """Draw the choice of a whole question.

    Parameters
    ----------
    node : int
        Decision node, from 1, that the rule is for.
    features : tuple of Feature
        The features that it can be about.
    key : str
        The prefix of the controls' keys.

    Returns
    -------
    NodeRuleSpec or None
        The rule; None while a part of it is not chosen.
    """
    g = st.selectbox(
        "Column",
        range(len(features)),
        format_func=lambda g: shorten(printable(features[g].name)),
        key=f"{key}_column",
    )
    feature = features[g]
    if not feature.is_numerical:
        left = _columns("Categories that answer yes", f"{key}_left", list(feature.values))
        if not left:
            return None
        return NodeRuleSpec(node, feature=feature.name, categories=tuple(left))
    if not feature.cuts:
        st.caption("This column has a single bin, so there is nothing to ask.")
        return None
    cut = st.selectbox(
        "Yes up to the cut point",
        feature.cuts,
        format_func=shortest_decimal,
        key=f"{key}_cut",
        help="The column's cut points. You can set other cut points on the Data page.",
    )
    missing_left = feature.has_missing and st.checkbox(
        "Missing values answer yes", key=f"{key}_missing"
    )
    return NodeRuleSpec(
        node, feature=feature.name, threshold=float(cut), missing_left=bool(missing_left)
    )


def _add(rule: NodeRuleSpec) -> None:
    """Add a rule. It replaces an earlier rule for the same question."""
    others = tuple(kept for kept in _kept_rules() if kept.node != rule.node)
    st.session_state[_RULES] = tuple(sorted((*others, rule), key=lambda kept: kept.node))


def _columns(label: str, key: str, options: list[str], *, persist: bool = False) -> list[str]:
    """Draw a choice of several names. Names that are not in the data are dropped."""
    if key in st.session_state:
        st.session_state[key] = [name for name in st.session_state[key] if name in options]
    chosen = st.multiselect(
        label,
        options,
        format_func=lambda name: shorten(printable(name)),
        key=key,
        placeholder="none",
        persist_state="session" if persist else None,
    )
    unknown = [name for name in chosen if name not in options]
    if unknown:
        raise InputError(f"{quoted(unknown[0])} is not in the list: choose from the list.")
    return list(chosen)
