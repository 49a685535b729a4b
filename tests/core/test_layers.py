"""Imports go downward only, no page imports another, and only pages import streamlit.

See docs/architecture.md.
"""

import ast
import re
from functools import cache
from pathlib import Path

from odt_core.solvers.search.loader import KERNELS

ROOT = Path(__file__).resolve().parents[2]

LAYERS = [
    {"errors", "folders", "json_data", "processes", "software"},
    {"topology", "confusion", "exact"},
    {"problem"},
    {"tree"},
    {"solution", "cart"},
    {"words", "data", "solvers"},
    {"evaluation", "storage"},
    {"render"},
    {"export"},
    {"training", "scoring"},
    {"studies", "verification"},
    {"alternatives"},
    {"estimator", "figures"},
    {"reports"},
    {"worker"},
    {"jobs"},
    {"cli"},
    {"__main__"},
    {"__init__"},
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def room_of(path: Path) -> str:
    """The module or package directly below odt_core that a file belongs to."""
    return path.relative_to(ROOT / "odt_core").parts[0].removesuffix(".py")


@cache
def imported_modules(path: Path) -> set[str]:
    """Every module name in an import statement, at any depth of the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


CORE_FILES = sorted((ROOT / "odt_core").rglob("*.py"))


def test_every_room_has_a_level() -> None:
    rooms = {room_of(path) for path in CORE_FILES}
    assert rooms == set(LEVEL)


def upward_imports(path: Path) -> list[str]:
    """What a file imports although it stands above, or may not be known to the core at all."""
    room, found = room_of(path), []
    for module in sorted(imported_modules(path)):
        top, *below = module.split(".")
        if top in {"streamlit", "pages", "app"}:
            found.append(module)
        elif top == "odt_core" and below and below[0] in LEVEL and below[0] != room:
            if LEVEL[below[0]] >= LEVEL[room]:
                found.append(module)
    return found


def test_imports_go_downward() -> None:
    found = {str(path.relative_to(ROOT)): upward_imports(path) for path in CORE_FILES}
    assert {file: modules for file, modules in found.items() if modules} == {}


SHARED = (
    {"markup", "session", "widgets"},
    {"layout", "server", "table_requests"},
    {"drawings", "tables"},
    {"results", "settings"},
    {"controls", "current_run", "studies"},
    {"stored"},
)
"""The levels of pages/common."""
SHARED_LEVEL = {module: level for level, modules in enumerate(SHARED) for module in modules}
PAGE_FILES = sorted((ROOT / "pages").glob("*/*.py"))


def test_every_shared_module_has_a_level() -> None:
    shared = {path.stem for path in PAGE_FILES if path.parent.name == "common"}
    assert shared == {"__init__", *SHARED_LEVEL}


def sideways_imports(path: Path) -> list[str]:
    """What a file imports from another page, or from a shared module that is not below it."""
    room, found = path.parent.name, []
    level = SHARED_LEVEL.get(path.stem, 0) if room == "common" else len(SHARED)
    for module in sorted(imported_modules(path)):
        top, *below = module.split(".")
        if top != "pages" or not below:
            continue
        if below[0] not in (room, "common"):
            found.append(module)
        elif below[0] == "common" and len(below) > 1 and SHARED_LEVEL[below[1]] >= level:
            found.append(module)
    return found


def test_pages_share_only_what_is_in_common() -> None:
    assert len({path.parent for path in PAGE_FILES}) > 5
    found = {str(path.relative_to(ROOT)): sideways_imports(path) for path in PAGE_FILES}
    assert {file: modules for file, modules in found.items() if modules} == {}


PAST_THE_API = {"common/controls.py", "frame/address.py", "frame/gate.py"}
"""The pages' modules that need something which no public function of Streamlit does."""


def test_few_modules_import_the_inside_of_streamlit() -> None:
    pages = ROOT / "pages"
    found = {
        path.relative_to(pages).as_posix()
        for path in pages.rglob("*.py")
        for module in imported_modules(path)
        if module.startswith(("streamlit.runtime", "streamlit.proto"))
    }
    assert found == PAST_THE_API


def test_only_the_loader_imports_kernels() -> None:
    """A process that imports them by itself compiles them anew, beside the loader's folders.

    Kernels may import those that the loader loads before them.
    """
    kernels = [f"odt_core.solvers.search.{module}" for module in KERNELS]
    files = [*CORE_FILES, *sorted((ROOT / "tests").rglob("*.py"))]
    found = {path: imported_modules(path) & set(kernels) for path in files}
    for i, module in enumerate(kernels):
        found[ROOT / f"{module.replace('.', '/')}.py"] -= set(kernels[:i])
    assert [path for path, modules in found.items() if modules] == []


ONLY_SOME_SYSTEMS = {"fcntl", "msvcrt", "resource", "pwd", "grp", "termios", "ctypes"}
"""Modules that not every system has, or that reach past Python into the system."""
ONLY_SOME_CALLS = re.compile(
    r"\b(os\.(fork|kill|killpg|getpgid|getpgrp|setsid|getuid|geteuid|uname|getloadavg)\b"
    r"|os\.(name|wait\w*|sched_getaffinity)\b|sys\.platform\b|pass_fds"
    r"|start_new_session|preexec_fn|creationflags"
    r"|signal\.(SIGKILL|SIGTERM|SIGHUP|SIGSTOP|SIGCONT|alarm))"
)


def test_only_one_module_knows_what_systems_do_differently() -> None:
    files = {*CORE_FILES, ROOT / "app.py", *(ROOT / "pages").rglob("*.py")}
    found = {}
    for path in files - {ROOT / "odt_core" / "processes.py"}:
        calls = ONLY_SOME_CALLS.findall(path.read_text(encoding="utf-8"))
        found[str(path.relative_to(ROOT))] = [*calls, *imported_modules(path) & ONLY_SOME_SYSTEMS]
    assert {file: names for file, names in found.items() if names} == {}
