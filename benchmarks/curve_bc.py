"""The paper's section 5.8: sensitivity curves of breast cancer, beside the paper's table.

``python -m benchmarks.curve_bc [--repeats 30] [--jobs 2]`` runs the command ``curve`` on the
paper's data (malignant positive, ordered features, 600 training rows) and prints Markdown. With
``--positive benign --kind categorical`` it comes out as the paper printed it (docs/benchmarks.md).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from pathlib import Path

from odt_core.cli import main

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "bc.csv"

PAPER = {
    "depth-2": {
        100: (79.6, 99.1, 76.8), 99.5: (85.4, 98.9, 82.4), 99: (89.5, 97.7, 89.4),
        98.5: (92, 98.1, 90.9), 98: (92.7, 97.7, 91.0), 97: (95.8, 97.5, 94.7),
        96: (97.3, 96.4, 93.9), 95: (98.4, 96.2, 98.0),
    },
    "depth-3": {
        100: (91.6, 97.2, 83.6), 99.5: (94.6, 97.4, 89.7), 99: (97.2, 96.8, 90.0),
        98.5: (97.2, 97.2, 90.9), 98: (98.7, 96.4, 94.6), 97: (99.4, 96.6, 96.1),
        96: (99.9, 94.2, 94.7), 95: (100.0, 93.9, 93.0),
    },
}  # fmt: skip
"""Training TNR, test TPR, test TNR by floor, as printed in the paper (means of 30 runs)."""


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", default="30")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--max-card", default="none")
    parser.add_argument("--kind", choices=["numerical", "categorical"], default="numerical")
    parser.add_argument("--positive", choices=["malignant", "benign"], default="malignant")
    parser.add_argument("--topologies", default="depth-2,depth-3")
    options = parser.parse_args()
    columns = DATA.read_text().split("\n", 1)[0].split(",")[:-1]
    words = ["curve", str(DATA), "--target", "class", "--positive", options.positive]
    words += [f"--{options.kind}", ",".join(columns), "--train-size", "paper"]
    words += ["--repeats", options.repeats, "--jobs", options.jobs, "--json"]
    words += ["--max-card", options.max_card, "--topologies", options.topologies]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(words)
    print(table(json.loads(out.getvalue())))


def table(record: dict) -> str:
    """Our rows beside the paper's, as Markdown."""
    lines = [
        f"{record['repeats_done']} splits, {record['seconds']} s.",
        "",
        "| shape | floor | training TPR | training TNR | test TPR | test TNR | paper: training TNR "
        "| test TPR | test TNR |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in record["table"]:
        paper = PAPER.get(row["topology"], {}).get(row["level"])
        rates = [row[which][rate] for which in ("train", "test") for rate in ("tpr", "tnr")]
        cells = [f"{100 * r['mean']:.1f} ({1e4 * (r['variance'] or 0):.1f})" for r in rates]
        theirs = ["-"] * 3 if paper is None else [f"{value:.1f}" for value in paper]
        lines.append(
            f"| {row['topology']} | {row['level']:g} | {' | '.join(cells)} | {' | '.join(theirs)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    run()
