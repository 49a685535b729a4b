"""How the cost of the exact search grows: with rows, with columns, with depth.

    python -m benchmarks.search_growth [--limit 20]

It writes three figures to docs/images and prints the numbers: CPU seconds of the search with one
thread, from the encoded table. The figures leave out what is not proved within the limit.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

import numpy as np

from benchmarks.search_problems import problem
from benchmarks.search_scale import synthetic
from odt_core.problem import EncodedData, Feature, FeatureKind, Problem
from odt_core.solvers.control import Control
from odt_core.solvers.search import solve_search, warm_up
from odt_core.topology import Topology

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)
COLUMNS = (20, 50, 100, 200, 500)
DEPTHS = (1, 2, 3, 4)
DATA_SETS = ("monks-1", "krkp", "bc", "a1a", "heloc")
Curve = list[tuple[float, float]]


def seconds(data: EncodedData, depth: int, limit: float) -> float | None:
    """CPU seconds to a proof; None if there is none within the limit."""
    task = Problem(data, Topology.parse(f"depth-{depth}"), max_card=2)
    cpu = time.process_time()
    outcome = solve_search(task, Control(limit))
    cpu = time.process_time() - cpu
    return cpu if outcome.proved else None


def wide(columns: int, rows: int = 1_000, size: int = 5, seed: int = 0) -> EncodedData:
    """Independent features of five categories; labels from three of them, with noise."""
    generator = np.random.default_rng(seed)
    share = 1 / np.arange(1, size + 1)
    codes = generator.choice(size, (rows, columns // size), p=share / share.sum()).astype(np.int32)
    planted = np.where(codes[:, 0] < 1, codes[:, 1] < 2, codes[:, 2] < 1)
    y = planted ^ (generator.random(rows) < 0.25)
    features = tuple(
        Feature(f"f{g}", FeatureKind.CATEGORICAL, tuple(f"v{v}" for v in range(size)))
        for g in range(codes.shape[1])
    )
    return EncodedData(codes, y, np.ones(rows, np.int64), features)


def curve(label: str, points: list[tuple[int, EncodedData]], depth: int, limit: float) -> Curve:
    """One line of a figure; ends where the limit is met."""
    found: Curve = []
    for x, data in points:
        cpu = seconds(data, depth, limit)
        print(f"{label:24s} {x:8d}: {'not proved' if cpu is None else f'{cpu:.4f}'}", flush=True)
        if cpu is None:
            break
        found.append((x, cpu))
    return found


def draw(path: Path, title: str, unit: str, curves: dict[str, Curve], log_x: bool = True) -> None:
    """A small figure with a logarithmic axis of seconds, as SVG."""
    width, height, left, bottom, top, right = 560, 320, 56, 44, 30, 96
    points = [point for line in curves.values() for point in line]
    scale = math.log10 if log_x else float
    x0, x1 = (pick(scale(x) for x, _ in points) for pick in (min, max))
    y0 = math.floor(min(math.log10(y) for _, y in points))
    y1 = math.ceil(max(math.log10(y) for _, y in points))

    def at(x: float, y: float) -> tuple[float, float]:
        across = (scale(x) - x0) / (x1 - x0) * (width - left - right)
        return left + across, height - bottom - (math.log10(y) - y0) / (y1 - y0) * (
            height - bottom - top
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="18">{title}</text>',
    ]
    for power in range(y0, y1 + 1):
        _, y = at(points[0][0], 10.0**power)
        parts.append(
            f'<path d="M{left} {y:.0f}H{width - right}" stroke="#ddd"/>'
            f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{10.0**power:g} s</text>'
        )
    for x in sorted({x for x, _ in points}):
        across, _ = at(x, 10.0**y0)
        parts.append(
            f'<text x="{across:.0f}" y="{height - bottom + 18}" text-anchor="middle">{x:,}</text>'
        )
    middle = (left + width - right) / 2
    parts.append(f'<text x="{middle:.0f}" y="{height - 8}" text-anchor="middle">{unit}</text>')
    colours = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4ea3", "#8a6d00")
    for colour, (label, line) in zip(colours, curves.items(), strict=False):
        places = [at(x, y) for x, y in line]
        path_ = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path_}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        x, y = places[-1]
        parts.append(f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" fill="{colour}">{label}</text>')
    path.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=20.0)
    options = parser.parse_args()
    warm_up()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    by_columns = [(columns, wide(columns)) for columns in COLUMNS]
    lines = {
        f"depth {depth}": curve(f"columns, depth {depth}", by_columns, depth, options.limit)
        for depth in DEPTHS
    }
    draw(IMAGES / "growth-columns.svg", "1,000 rows", "columns", lines)
    lines = {}
    for name in DATA_SETS:
        tables = [(depth, problem(name, "depth-1", rows=None).data) for depth in DEPTHS]
        lines[name] = [
            (depth, cpu)
            for depth, data in tables
            if (cpu := seconds(data, depth, options.limit)) is not None
        ]
        print(f"{name}: {[(depth, round(cpu, 4)) for depth, cpu in lines[name]]}", flush=True)
    draw(IMAGES / "growth-depth.svg", "All rows of five data sets", "depth", lines, log_x=False)
    by_rows = [(rows, synthetic(rows)) for rows in ROWS]
    lines = {
        f"depth {depth}": curve(f"rows, depth {depth}", by_rows, depth, options.limit)
        for depth in DEPTHS
    }
    draw(IMAGES / "growth-rows.svg", "14 features, 120 columns", "rows", lines)


if __name__ == "__main__":
    main()
