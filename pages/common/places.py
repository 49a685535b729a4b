"""The pages' files, so that one can link to another."""

from __future__ import annotations

from enum import StrEnum

from streamlit.runtime.scriptrunner import get_script_run_ctx


class Place(StrEnum):
    """A page, by its file below the folder of `dashboard.py`."""

    DATA = "data/page.py"
    TRAIN = "train/page.py"
    SENSITIVITY = "sensitivity/page.py"
    COMPARE = "compare/page.py"
    PREDICT = "predict/page.py"
    RUNS = "runs/page.py"


def this_page() -> str:
    """The name that Streamlit has for the page that is drawn now."""
    context = get_script_run_ctx()
    return "" if context is None else context.page_script_hash
