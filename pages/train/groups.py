"""The tree's rates in groups of test rows."""

from __future__ import annotations

import streamlit as st

from odt_core.data import Prepared
from odt_core.evaluation import Judged, column_subgroups, subgroup_columns
from odt_core.jobs import Job
from odt_core.tree import Tree
from pages.common.results import draw_subgroups
from pages.common.tables import table_of_run

GROUPS, EXPANDER = "train_groups", "train_groups_expander"
"""Keys of the choice of a column and of its expander."""


def draw_groups_expander(job: Job, tree: Tree, rows: Prepared) -> None:
    """Draw an expander with the groups. They are counted only when it is open."""
    expander = st.expander("Groups of test rows", key=EXPANDER, on_change="rerun")
    if expander.open:
        with expander:
            _draw_groups(job, tree, rows)


def _draw_groups(job: Job, tree: Tree, rows: Prepared) -> None:
    """Draw the tree's rates on the test rows by the values of a column."""
    if rows.test is None:
        st.caption(
            "There are no test rows. Rates of training rows would be too good in each group."
        )
        return
    table, schema = table_of_run(job), job.spec.train.schema
    judged = Judged(rows.test_rows, rows.test.y, tree.predict(rows.test.codes))
    draw_subgroups(
        table.remember(("subgroup columns", schema), lambda: subgroup_columns(table, schema)),
        lambda column: column_subgroups(table, schema, column, judged),
        key=GROUPS,
        positive=tree.positive_label,
        negative=tree.negative_label,
        rows="test",
    )
