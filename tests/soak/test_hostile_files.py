"""Thousands of hostile files: nothing is executed, each is refused in words or harmless."""

from __future__ import annotations

import ast
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from odt_core.cli.predict import predict_table
from odt_core.data import read_table
from odt_core.errors import InputError
from odt_core.export import ExportFormat, Model, export_model
from odt_core.storage import LOCAL_OWNER, Store
from pages.runs.run_file import check_run_file
from tests.core.worker.hostile_json import WRONG, changed, paths
from tests.runs import Maker

RUN_FILES = 3000
MODELS = 3000
SHOWN = 30
"""How many of the imported run files are opened in the pages."""
ROOT = Path(__file__).resolve().parents[2]
TEXTS = (
    "<script>alert(1)</script>", "__import__('os').system('id')", "'); DROP TABLE runs; --",
    "=HYPERLINK(\"http://evil.example\")", "{{7*7}}", "../../../etc/passwd", "\u202egpj.exe",
    "![x](http://evil.example/x.png)", "\"\"\"\nimport os\n", "$(id)", "a\nb", "x" * 50_000,
)  # fmt: skip
FORBIDDEN = (
    "os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen",
    "socket.connect", "socket.getaddrinfo", "pickle.find_class", "ctypes.dlopen", "os.remove",
)  # fmt: skip

pytestmark = pytest.mark.soak


class Guard:
    """Notes all code and calls that run while it watches."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.watches = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, details: tuple[Any, ...]) -> None:
        if self.watches and event in FORBIDDEN:
            self.seen.append(f"{event} {details!r}"[:200])

    @contextmanager
    def watching(self) -> Iterator[None]:
        self.watches = True
        try:
            yield
        finally:
            self.watches = False


@pytest.fixture(scope="module")
def guard() -> Guard:
    """One for all tests, since an audit hook can never be removed."""
    return Guard()


def damaged(record: dict[str, Any], rng: random.Random) -> bytes:
    """The record with one to three values changed, or its text with a few bytes changed."""
    if rng.random() < 0.3:
        text = bytearray(json.dumps(record).encode())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 3)] = rng.randbytes(rng.randint(0, 3))
        return bytes(text)
    places = list(paths(record))
    for place in rng.sample(places, rng.randint(1, 3)):
        wrong = rng.choice((*WRONG, *TEXTS, copy.deepcopy(record)))
        try:
            record = changed(record, place, wrong)
        except (KeyError, TypeError, IndexError):
            continue  # an earlier change took this place away
    return json.dumps(record).encode()


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(Store(folder=tmp_path / "data"))


def test_damaged_run_files_are_refused_in_words_or_harmless(
    maker: Maker, guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, rng, outcome = maker.store, random.Random(11), Counter[str]()
    runs = [maker.done(name="whole"), maker.interrupted(name="cut short")]
    texts = [store.exchange.export_run(LOCAL_OWNER, run.id, with_data=True) for run in runs]
    for text in texts:  # modules that are imported when first needed are not part of the test
        store.exchange.import_run("first", text, check_run_file)
        with pytest.raises(InputError):
            store.exchange.import_run("first", text.replace('"run"', '"walk"'), check_run_file)
    taken: list[str] = []
    for number in range(RUN_FILES):
        file = damaged(json.loads(texts[number % 2]), rng)
        with guard.watching():
            try:
                taken.append(store.exchange.import_run(LOCAL_OWNER, file, check_run_file).id)
                outcome["taken in"] += 1
            except InputError as error:
                assert str(error).endswith(".") and "\n" not in str(error)
                outcome["refused in words"] += 1
        assert guard.seen == []
    print(f"{RUN_FILES} damaged run files: {dict(outcome)}")
    assert outcome["taken in"] and outcome["refused in words"]

    monkeypatch.setenv("ODT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(ROOT)
    for run_id in rng.sample(taken, min(SHOWN, len(taken))):
        app = AppTest.from_file(str(ROOT / "pages" / "dashboard.py"), default_timeout=120)
        app.query_params["run"] = run_id
        assert not app.switch_page("train/page.py").run().exception
        assert not app.switch_page("runs/page.py").run().exception


def names_called(code: str) -> set[str]:
    """Whatever a piece of Python code imports or calls by name."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            found.add(ast.unparse(node.func))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.add(ast.unparse(node))
    return found


def test_hostile_models_are_refused_in_words_or_harmless(maker: Maker, guard: Guard) -> None:
    rng, outcome = random.Random(13), Counter[str]()
    run = maker.done()
    whole = maker.store.runs.get(LOCAL_OWNER, run.id).model
    assert whole is not None
    table = read_table(maker.content, name=maker.name)
    formats = [ExportFormat.PYTHON, ExportFormat.SQL, ExportFormat.RULES, ExportFormat.JSON]
    usual = names_called(export_model(Model.from_json(whole), ExportFormat.PYTHON).decode())
    for _ in range(MODELS):
        file = damaged(whole, rng)
        with guard.watching():
            try:
                model = Model.from_json(json.loads(file))
                written = {format: export_model(model, format) for format in formats}
                predict_table(model, table)
            except (InputError, ValueError) as error:
                assert isinstance(error, InputError | json.JSONDecodeError | UnicodeDecodeError)
                outcome["refused in words"] += 1
                continue
        outcome["read"] += 1
        assert names_called(written[ExportFormat.PYTHON].decode()) <= usual
    assert guard.seen == []
    print(f"{MODELS} damaged models: {dict(outcome)}")
    assert outcome["read"] and outcome["refused in words"]
