"""Training runs: from a table and a specification to a trained and tested tree."""

from odt_core.training.hooks import SILENT, BestSoFar, Hooks, Stage
from odt_core.training.result import TrainedTree, TrainResult
from odt_core.training.run import (
    build_problem,
    fit_peer,
    prepare_training,
    run_training,
    train_tree,
)
from odt_core.training.settings import (
    conditions_of,
    node_rule_words,
    settings_words,
    trees_words,
)
from odt_core.training.spec import FeatureSelection, NodeRuleSpec, RulesSpec, TrainSpec
from odt_core.training.stored_result import StoredResult

__all__ = [
    "SILENT",
    "BestSoFar",
    "FeatureSelection",
    "Hooks",
    "NodeRuleSpec",
    "RulesSpec",
    "Stage",
    "StoredResult",
    "TrainResult",
    "TrainedTree",
    "TrainSpec",
    "build_problem",
    "conditions_of",
    "fit_peer",
    "node_rule_words",
    "prepare_training",
    "run_training",
    "settings_words",
    "train_tree",
    "trees_words",
]
