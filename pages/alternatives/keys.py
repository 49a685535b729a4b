"""Keys of the Alternatives page's widgets and styled parts."""

from __future__ import annotations

# Near-optimal trees: the list
NUMBER, WITHIN, SECONDS = "near_number", "near_within", "near_seconds"
COSTS, COSTLY = "near_costs", "near_costly"
COST = "near_cost_"
"""The prefix of the keys of costs, before the column's name."""
MOST_TOTAL_COST = "near_most_total_cost"
LIST, STOP_LIST = "near_go", "near_cancel"
CURRENT_TREE = "near_current"

# Near-optimal trees: the result
PROOF, GALLERY, CARD, SHOW = "near_proof", "near_gallery", "near_card_", "near_show_"
WITHOUT, ONLY, MOST_COST = "near_without", "near_only", "near_most_cost"
LIST_LIMITED = "near_go_limited"
CHOSEN, PAGE = "near_chosen", "near_page"
PAIR, BESIDE = "near_pair", "near_beside"
BEST_TREE, CHOSEN_TREE = "near_best_tree", "near_chosen_tree"
MAKE = "near_make"
TABLE, WORTH, WORTH_TABLE = "near_table", "near_columns", "near_columns_table"
KEEP_FORMULAS = "near_keep_formulas"

# Change a question: the question and the ranking of columns
QUESTION, OTHERS, TREE = "question_chosen", "question_others", "question_tree"
RANKING_SECONDS = "question_seconds"
RANKING, LIVE_RANKING, RANKING_TABLE = "question_chart", "question_chart_live", "question_table"
RANKING_PROGRESS, STOP_RANKING, RANK_AGAIN = "question_line", "question_stop", "question_again"

# Change a question: the change
CHANGE, COLUMN, EXACT, BELOW = "edit_change", "edit_column_", "edit_exact", "edit_below"
SOLVE, ADD, REMOVE = "edit_solve", "edit_add", "edit_remove_"
STEPS, UNDO, REDO = "edit_steps", "edit_undo", "edit_redo"
FREE, STOP_FREE = "edit_free", "edit_free_stop"
