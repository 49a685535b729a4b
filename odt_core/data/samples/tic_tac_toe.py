"""Tic-tac-toe endgames: every board on which a game has just ended."""

from __future__ import annotations

from odt_core.data.samples.sample import Content, Sample

_SQUARES = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _wins(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _endgames() -> list[str]:
    """Final boards (``x``, ``o``, ``b`` for blank; x moves first), sorted."""
    seen: set[str] = set()
    final: set[str] = set()

    def play(board: str, player: str, other: str) -> None:
        if board in seen:
            return
        seen.add(board)
        if _wins(board, other) or "b" not in board:
            final.add(board)
            return
        for square in range(9):
            if board[square] == "b":
                play(board[:square] + player + board[square + 1 :], other, player)

    play("b" * 9, "x", "o")
    return sorted(final)


def _content() -> Content:
    rows = [(*board, "positive" if _wins(board, "x") else "negative") for board in _endgames()]
    return (*_SQUARES, "class"), rows


TIC_TAC_TOE = Sample(
    key="tic-tac-toe",
    title="Tic-tac-toe endgames",
    description="All 958 boards on which a game of tic-tac-toe has just ended, x having moved "
    "first. Nine squares, each x, o or b (blank); positive where x has three in a row. Generated "
    "from the rules; the same rows as the UCI set of that name.",
    target="class",
    positive="positive",
    content=_content,
)
