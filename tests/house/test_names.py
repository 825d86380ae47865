"""What a module promises in `__all__` is what it has, and every package says what it promises."""

from __future__ import annotations

import ast
import importlib
import tomllib
from pathlib import Path

import pytest

import econome
from tests.house.source import SOURCE, module_name, modules, parsed


def _assigned(statement: ast.stmt) -> list[str]:
    """Return the plain names that an assignment at module level binds."""
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets: list[ast.expr] = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    else:
        return []
    return [
        name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
    ]


def _public(path: Path) -> set[str]:
    """Return the public names that the module at *path* defines; in a package, what it imports too, lazily or not."""
    names: set[str] = set()
    for statement in _statements(path):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.ImportFrom) and path.name == "__init__.py":
            names |= {alias.asname or alias.name for alias in statement.names}
        else:
            names |= set(_assigned(statement))
    kept_private = {"TYPE_CHECKING", "annotations"}
    return {name for name in names if not name.startswith("_")} - kept_private


def _statements(path: Path) -> list[ast.stmt]:
    """Return the statements at module level; in a package, those for type checkers too, where lazy names are imported."""
    body = parsed(path).body
    functions = {one.name for one in body if isinstance(one, ast.FunctionDef)}
    if path.name != "__init__.py" or "__getattr__" not in functions:
        return body
    lazy = [
        one for one in body if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"
    ]
    return body + [inner for one in lazy for inner in one.body]


def _promised(path: Path) -> list[str] | None:
    """Return the `__all__` of the module at *path*, or None where it has none."""
    for statement in parsed(path).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _assigned(statement) == [
            "__all__"
        ]:
            assert statement.value is not None
            promised = ast.literal_eval(statement.value)
            assert isinstance(promised, list)
            return promised
    return None


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_a_module_promises_its_public_names(path: Path) -> None:
    promised = _promised(path)
    if promised is None:
        is_package = path.name == "__init__.py"
        assert not (is_package and _public(path)), "a package with public names lists them"
        return
    assert len(promised) == len(set(promised))
    assert {name for name in promised if not name.startswith("__")} == _public(path)


@pytest.mark.parametrize("path", modules(), ids=module_name)
def test_every_promise_can_be_imported(path: Path) -> None:
    module = importlib.import_module(module_name(path))
    assert [name for name in _promised(path) or () if not hasattr(module, name)] == []


def test_the_package_has_the_version_of_the_project() -> None:
    project = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == econome.__version__
