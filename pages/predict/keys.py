"""The keys of the Predict page's widgets."""

from __future__ import annotations

TREE = "predict_tree"
FILE = "predict_file"
UPLOAD = "predict_upload"

ONLY_WARNINGS = "predict_only_warnings"
KEEP_FORMULAS = "predict_keep_formulas"

PART, PART_COLUMN, PART_VALUES = "predict_part", "predict_part_column", "predict_part_values"
VALIDATE, STOP = "predict_validate", "predict_stop"
THRESHOLD = "predict_threshold"
GROUPS = "predict_groups"

OTHERS = "predict_others"
CASE = "predict_case"
"""The prefix of the keys of a case's inputs, before the tree and the feature's number."""
