"""Every error econome raises on purpose has an answer in each face and a place in its own docstring's tree."""

from __future__ import annotations

import inspect

from econome import errors
from econome.errors import EconomeError


def _errors() -> set[type[EconomeError]]:
    """Return every exception class of the errors module."""
    return {
        value
        for _, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, EconomeError)
    }


def test_every_error_has_a_row_in_the_command_line_table() -> None:
    from econome.cli.failures import FAILURES

    assert set(FAILURES) == _errors()


def test_every_error_has_a_row_in_the_table_of_the_http_face() -> None:
    from econome.server.failures import STATUS

    assert set(STATUS) == _errors()
    assert {status for status in STATUS.values() if status >= 500} == {503}


def test_every_error_stands_in_the_tree_of_the_module() -> None:
    tree = inspect.getdoc(errors) or ""
    assert [error.__name__ for error in _errors() if error.__name__ not in tree] == []


def test_every_error_says_what_it_is_in_one_sentence() -> None:
    for error in _errors():
        first = (inspect.getdoc(error) or "").partition("\n")[0]
        assert first.endswith("."), error.__name__
