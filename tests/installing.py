"""The package as a user has it: a wheel that was built and installed elsewhere."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Installed:
    """A folder into which the wheel was installed, without its dependencies.

    Attributes
    ----------
    folder : Path
        The installed packages; the command is in its ``bin``.
    elsewhere : Path
        A folder to work in: somebody's own Streamlit project, with a package called `pages`.
    """

    folder: Path
    elsewhere: Path

    @property
    def command(self) -> str:
        """The command ``odt``."""
        return str(self.folder / "bin" / "odt")

    @property
    def environment(self) -> dict[str, str]:
        """In which Python finds the installed package; what it depends on comes from here.

        The search's kernels are not compiled: that would take minutes for each place.
        """
        return os.environ | {"PYTHONPATH": str(self.folder), "ODT_COMPILED": "0"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run ``odt`` in the other project."""
        return subprocess.run(
            [self.command, *words],
            cwd=self.elsewhere,
            env=self.environment,
            capture_output=True,
            text=True,
        )


def install(folder: Path) -> Installed:
    """Build the wheel and install it below a folder."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheels, target = folder / "wheels", folder / "packages"
    made = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run([*pip, *made], check=True)
    (wheel,) = wheels.glob("*.whl")
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)],
        check=True,
    )
    other_pages = folder / "project" / "pages"
    other_pages.mkdir(parents=True)
    (other_pages / "__init__.py").write_text("raise ImportError('these are not the pages')\n")
    return Installed(target, other_pages.parent)
