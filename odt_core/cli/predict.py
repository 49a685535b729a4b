"""``predict``: apply a model to a table."""

from __future__ import annotations

import argparse
import csv
import io

from odt_core.cli.inputs import load_table, note
from odt_core.cli.models import load_model
from odt_core.cli.output import write_output
from odt_core.data import Encoder, Table
from odt_core.export import Model


def run(options: argparse.Namespace) -> int:
    """Write the table with the prediction, the leaf's rule and a note on unseen values added."""
    model = load_model(options.model)
    table = load_table(options)
    write_output(options.output, predict_table(model, table))
    return 0


def predict_table(model: Model, table: Table) -> bytes:
    """The table as CSV (UTF-8) with three columns added.

    ``predicted`` is the class, ``share_positive`` the share of positive training rows in the leaf,
    ``unseen`` names the columns whose value no training row had where a question met one.
    """
    tree = model.tree
    codes = Encoder.from_json(model.encoder).encode(table)
    reached = tree.apply(codes)
    met_unseen = tree.meets_unseen(codes)
    if met_unseen.any():
        note(
            f"{int(met_unseen.sum())} of {len(codes)} rows met a question about a value that no "
            "training row had; they followed the branch that most training rows took."
        )
    used = list(tree.used_features)
    taken = list(table.frame.columns)
    added = [_free_name(name, taken) for name in ("predicted", "share_positive", "unseen")]
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*taken, *added])
    leaves = tree.leaves
    for row, cells in enumerate(table.frame.itertuples(index=False, name=None)):
        leaf = leaves[reached[row]]
        share = leaf.n_positive / leaf.n if leaf.n else float("nan")
        unseen = ""
        if met_unseen[row]:
            unseen = "; ".join(tree.features[g].name for g in used if codes[row, g] < 0)
        writer.writerow([*cells, tree.label_name(leaf.label), f"{share:.6g}", unseen])
    return out.getvalue().encode("utf-8")


def _free_name(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


__all__ = ["predict_table", "run"]
