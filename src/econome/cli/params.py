"""Click options made from the table of options, so that both readers of a command line agree."""

from __future__ import annotations

import click

from econome.cli.texts import OPTIONS
from econome.errors import UsageError
from econome.usage.asking import USAGE, Option, convert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])
    _Type = click.ParamType[str | int]
else:
    _Type = click.ParamType  # not generic before click 8.4

__all__ = ["params"]

_BY_NAME = {option.name: option for option in USAGE}
_METAVARS = {"day": "DATE", "count": "N", "text": "TEXT"}
_OWN_METAVARS = {
    "root": "DIR",
    "data-dir": "DIR",
    "timezone": "ZONE",
    "project": "PATH",
    "session": "ID",
}


class _Value(_Type):
    """What an option of the table accepts."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.name = option.kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | int:
        """Return the converted value, or fail as click does."""
        if not isinstance(value, str):
            return int(value)
        try:
            return convert(self.option, value)
        except UsageError as error:
            self.fail(error.reason, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """Return what stands for the value in the help page."""
        if self.option.choices:
            return f"[{'|'.join(self.option.choices)}]"
        return _OWN_METAVARS.get(self.option.name, _METAVARS[self.option.kind])

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Offer the choices."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.option.choices if word.startswith(incomplete)]


def params(*names: str) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options of these names."""

    def decorate(command: Command) -> Command:
        for name in reversed(names):
            option = _BY_NAME[name]
            text = OPTIONS[name]
            if option.kind == "flag":
                command = click.option(f"--{name}", is_flag=True, help=text)(command)
            else:
                command = click.option(
                    f"--{name}", type=_Value(option), multiple=option.repeatable, help=text
                )(command)
        return command

    return decorate
