"""The content of the installed package. Its facts stand in one place."""

import json
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import Distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import odt_core
from tests.installing import Installed, install

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(tmp_path_factory.mktemp("installed"))


def pins(name: str) -> dict[str, str]:
    """The packages that a requirements file pins itself, with their versions."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if re.match("[a-z]", line)]
    return {each.name: str(each.specifier).removeprefix("==") for each in pinned}


@pytest.mark.parametrize(
    ("file", "declared"),
    [
        ("requirements.txt", PROJECT["dependencies"]),
        ("requirements-test.txt", PROJECT["optional-dependencies"]["test"]),
        ("requirements-bench.txt", PROJECT["optional-dependencies"]["bench"]),
    ],
)
def test_what_was_run_is_what_the_project_declares(file: str, declared: list[str]) -> None:
    pinned = pins(file)
    required = {each.name: each.specifier for each in map(Requirement, declared)}
    assert set(pinned) == set(required), f"pyproject.toml and {file} name other packages"
    for name, version in pinned.items():
        assert version in required[name], f"{name} {version}"


def test_one_version_everywhere(installed: Installed) -> None:
    version = odt_core.__version__
    assert installed.run("--version").stdout.strip() == f"odt {version}"
    metadata = next(installed.folder.glob("*.dist-info"))
    assert Distribution.at(metadata).version == version
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == version


def test_nothing_but_the_package_is_installed_at_the_top(installed: Installed) -> None:
    found = {path.name for path in installed.folder.iterdir()}
    assert found == {"bin", "odt_core", f"odt_studio-{odt_core.__version__}.dist-info"}


def test_every_file_of_the_package_and_of_the_dashboard_travels(installed: Installed) -> None:
    package = installed.folder / "odt_core"

    def files(folder: Path) -> set[Path]:
        found = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder) for path in found if path.parent.name != "__pycache__"}

    dashboard = {path for path in files(package) if path.parts[0] == "dashboard"}
    assert files(package) - dashboard == files(ROOT / "odt_core")
    assert files(package / "dashboard" / "pages") == files(ROOT / "pages")
    settings = Path(".streamlit", "config.toml")
    for name in (Path("app.py"), settings):
        assert (package / "dashboard" / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_installed_command_trains_and_its_library_reads_the_model(
    installed: Installed,
) -> None:
    sample = installed.run("sample", "monks-1", "--output", "monks-1.csv")
    assert sample.returncode == 0, sample.stderr
    options = "--target class --positive monk --train-size all --engine search --json".split()
    done = installed.run("train", "monks-1.csv", *options, "--output", "model.json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["status"], result["errors"]) == ("optimal", 96)
    rules = installed.run("export", "model.json", "--format", "rules")
    assert "head_shape is octagon" in rules.stdout


def test_the_message_about_a_wrong_option_has_the_commands_name(installed: Installed) -> None:
    done = installed.run("train", "absent.csv")
    assert done.returncode == 2
    assert done.stderr.startswith("odt: ")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="the scripts need bash")
@pytest.mark.parametrize(
    "script", sorted((ROOT / "scripts").glob("*.sh")), ids=lambda path: path.name
)
def test_the_shell_can_read_each_script(script: Path) -> None:
    """`make test` skips the browser tests if the script that finds the browser fails."""
    checked = subprocess.run(
        ["bash", "-n", str(script)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
