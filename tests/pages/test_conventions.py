"""Rules for the code of all pages (CONTRIBUTING.md)."""

import ast
from collections.abc import Iterator
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "pages"
WITH_VALUES = {
    *("checkbox", "date_input", "multiselect", "number_input", "pills", "radio", "select_slider"),
    *("segmented_control", "selectbox", "slider", "text_area", "text_input", "toggle"),
}
STARTS = {"value", "index", "default"}
DIALOGS = {"runs/actions.py", "runs/stored_data.py"}
"""A dialog's widgets begin with the stored value each time that it opens."""
SETTERS = {"show_value", "start_value"}


def calls(path: Path) -> Iterator[tuple[str, dict[str | None, ast.expr]]]:
    """The name and the keyword arguments of every call of a method, such as `st.slider`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, {each.arg: each.value for each in node.keywords}


def begins_with_text(key: ast.expr | None) -> bool:
    """Whether a key is written out, and no constant names it."""
    if isinstance(key, ast.Call) and isinstance(key.func, ast.Name) and key.func.id in SETTERS:
        key = key.args[0]
    if isinstance(key, ast.JoinedStr):
        key = key.values[0]
    return key is None or isinstance(key, ast.Constant)


def widgets() -> Iterator[tuple[str, str, dict[str | None, ast.expr]]]:
    for path in sorted(PAGES.rglob("*.py")):
        for name, arguments in calls(path):
            if name in WITH_VALUES:
                yield path.relative_to(PAGES).as_posix(), name, arguments


def test_a_constant_names_the_key_of_every_value() -> None:
    found = [(file, name) for file, name, given in widgets() if begins_with_text(given.get("key"))]
    assert found == []


def test_values_come_from_the_session() -> None:
    """With a default of its own, a widget would have a second place for its value."""
    none = ast.dump(ast.Constant(None))
    found = [
        (file, name)
        for file, name, given in widgets()
        if file not in DIALOGS
        and any(ast.dump(given[each]) != none for each in STARTS & set(given))
    ]
    assert found == []
