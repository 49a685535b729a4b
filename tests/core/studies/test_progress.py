"""The pieces of work of a study, done one after the other."""

from __future__ import annotations

from odt_core.studies import StudyProgress
from odt_core.studies.progress import run_parts


def test_pieces_count_by_their_size() -> None:
    told: list[StudyProgress] = []
    found = run_parts([3, 2], lambda n: "x" * n, size=lambda n: n, on_progress=told.append)
    assert found == ["xxx", "xx"]
    assert [(each.done, each.total) for each in told] == [(3, 5), (5, 5)]


def test_a_piece_that_was_cut_short_is_kept_and_not_counted() -> None:
    told: list[StudyProgress] = []
    begun: list[int] = []

    def begin(n: int) -> int:
        begun.append(n)
        return n

    found = run_parts(
        range(150),
        begin,
        on_progress=told.append,
        should_stop=lambda: len(begun) == 2,  # comes while the second piece is done
    )
    assert found == begun == [0, 1]
    assert [each.done for each in told] == [1]


def test_a_study_that_is_stopped_at_once_has_nothing() -> None:
    assert run_parts([1], lambda n: n, should_stop=lambda: True) == []
