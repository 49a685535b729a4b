"""Messages between manager and workers arrive unchanged."""

from __future__ import annotations

import json

from odt_core.jobs import JobSpec
from odt_core.worker.lines import to_line


def test_a_job_comes_back_from_its_json_as_it_was(easy: JobSpec) -> None:
    assert JobSpec.from_json(json.loads(json.dumps(easy.to_json()))) == easy


def test_every_message_is_one_line() -> None:
    message = {"type": "error", "job": "1", "message": "line\nbreak \u2028 and \udce9"}
    line = to_line(message)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert json.loads(line) == message
