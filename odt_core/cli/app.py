"""``app``: start the dashboard."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

import odt_core
from odt_core.errors import InputError

PACKAGE = Path(odt_core.__file__).parent


def dashboard() -> Path:
    """Find the dashboard's script, inside the installed package or beside it in a checkout.

    Raises
    ------
    InputError
        If it is in neither place.
    """
    for folder in (PACKAGE / "dashboard", PACKAGE.parent):
        if (folder / "pages" / "dashboard.py").is_file():
            return folder / "app.py"
    raise InputError("The dashboard is not installed: install the package again.")


def run(options: argparse.Namespace) -> int:
    """Serve the dashboard in this process until it is stopped."""
    command = ["streamlit", "run", str(dashboard())]
    if options.port is not None:
        command += ["--server.port", str(options.port)]
    if options.no_browser:
        command += ["--server.headless", "true"]
    sys.argv = [*command, *options.streamlit]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0
