"""Solver logs: lines as CBC 2.935 (cbcbox) and HiGHS 1.15.1 write them."""

from __future__ import annotations

import pytest

from odt_core.solvers.mip.logs import CbcLog, HighsLog, LogReader, LogReading, bound_of, value_of

CBC = """
▶ Root LP relaxation

  LP auto: recommended dual_pesteep_psi1_pertv61
Cbc0045I MIPStart provided solution with cost 105
Cbc0012I Integer solution of 105 found by Reduced search after 0 iterations and 0 nodes

▶ Root node heuristics

  Round   Pass   Fractional       Suminf Status                BestSol  Time(s)
 ★    2      2            1       0.0429 solution             -371.439    0.350

▶ Cut generation (root node)

  Pass     Rows    Tight   Frac     Suminf        Objective  Time(s)
  ──── ──────── ──────── ────── ────────── ──────────────── ────────
     1       97        0      5        2.5                0    0.000
     2       99        2      5        2.5          84.4999    0.010

✔ Cut generation complete — 7 cuts, obj 0 → 90.833 in 6 passes

▶ Branch and bound

     Nodes   OnTree  Depth         BestSol Method                 BestBound     Gap%   Time(s)
  ──────── ──────── ────── ─────────────── ──────────────── ─────────────── ──────── ─────────
         0        1      0               —                          90.8334        —     0.180
 ★       7        6      7             104 strong branching         90.8334   12.66%     0.350
 ★    1.2K        8     13            98.5 B&B                      91.5      7.11%      0.750
      1434       31     18            98.5                          1e+50    inf%        4.03

✔ Stopped (time limit) — BestSol: 98.5   Bound: 91.5   Gap: 7.11%   Nodes: 2266   Time: 5.08s
  Max depth: 24   Vars fixed on cost: 358   Fathoming: 84 times, 1480 nodes, 48.1K iters
Lower bound:                    91.5
"""

CUT_SHORT = """
▶ Root LP relaxation

Cbc0045I MIPStart provided solution with cost 48

▶ Cut generation (root node)

  Pass     Rows    Tight   Frac     Suminf        Objective  Time(s)
  ──── ──────── ──────── ────── ────────── ──────────────── ────────
     1     2287        0     75      6.982                1    0.300
     2     2293        6     75      7.177              200    0.650

✔ Stopped (time limit) — BestSol: 48   Bound: 200   Gap: 316.67%   Nodes: 0   Iters: 1075

✔ Cut generation complete — 59 cuts, obj -8.52651e-14 → 200 in 2 passes

Result - Stopped on time limit
Lower bound:                    48
"""

OLD_CBC = """
Cbc0010I After 0 nodes, 1 on tree, 1e+50 best solution, best possible 95.3 (1.20 seconds)
Cbc0004I Integer solution of 98 found after 123 iterations and 4 nodes (1.30 seconds)
Cbc0010I After 100 nodes, 12 on tree, 98 best solution, best possible 96 (2.20 seconds)
"""

HIGHS = """
MIP start solution is feasible, objective value is 9

        Nodes      |    B&B Tree     |            Objective Bounds              | ...
Src  Proc. InQueue |  Leaves   Expl. | BestBound       BestSol              Gap | ...

 J       0       0         0   0.00%   -inf            9        Large  0  0  0     0  0.0s
         0       0         0   0.00%   2               inf      inf    0  0 11   116  0.1s
 L       0       0         0   0.00%   2.3041664564    7       48.33%  9 23  0  1169  1.8s
  Primal bound      7
"""


def readings(log: LogReader, text: str) -> list[LogReading]:
    return [found for line in text.splitlines() if (found := log.read(line)) is not None]


def test_cbc() -> None:
    start, found, pass_1, pass_2, cuts, *rows, stop = readings(CbcLog(), CBC)
    assert start == LogReading(incumbent=105, start_taken=True)
    assert found == LogReading(incumbent=105)
    assert (pass_1.bound, pass_2.bound) == (-0.5, pytest.approx(84.49985))
    assert cuts.bound == pytest.approx(90.8325)
    assert [row.incumbent for row in rows] == [None, 104, 98.5, 98.5]
    assert [row.bound for row in rows] == [
        pytest.approx(90.83335),
        pytest.approx(90.83335),
        pytest.approx(91.45),
        None,
    ]
    assert stop == LogReading(stopped=True)


def test_cbc_stopped_in_the_midst_of_a_root_program() -> None:
    """The 200 are what the interrupted program leaves: the optimum of that run is 47."""
    assert readings(CbcLog(), CUT_SHORT) == [
        LogReading(incumbent=48, start_taken=True),
        LogReading(bound=pytest.approx(0.5)),
        LogReading(stopped=True),
    ]


def test_older_cbc_messages() -> None:
    assert readings(CbcLog(), OLD_CBC) == [
        LogReading(None, pytest.approx(95.25)),
        LogReading(98),
        LogReading(98, 95.5),
    ]


def test_highs() -> None:
    assert readings(HighsLog(), HIGHS) == [
        LogReading(9, start_taken=True),
        LogReading(9, None),
        LogReading(None, 1.5),
        LogReading(7, pytest.approx(2.3041664564)),
    ]


@pytest.mark.parametrize(
    ("printed", "least"),
    [("96", 95.5), ("95.01", 95.005), ("1.23457e+06", 1234565), ("-293", -293.5), ("0", -0.5)],
)
def test_a_logged_bound_is_lowered_by_half_its_last_digit(printed: str, least: float) -> None:
    assert bound_of(printed) == pytest.approx(least)


@pytest.mark.parametrize(
    "printed", ["—", "-inf", "inf", "nan", "1e+50", "-1.79769e+308", "", "12%"]
)
def test_what_is_no_value_is_dropped(printed: str) -> None:
    assert value_of(printed) is None
    assert bound_of(printed) is None
