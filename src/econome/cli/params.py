"""Click options made from the table of options, so that both readers of a command line agree."""

from __future__ import annotations

import click

from econome.cli.texts import OPTIONS
from econome.errors import UsageError
from econome.usage.asking import USAGE, Option, convert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    Command = TypeVar("Command", bound=Callable[..., Any])
    _Type = click.ParamType[str | int]
else:
    _Type = click.ParamType  # not generic before click 8.4

__all__ = ["params"]

_METAVARS = {"day": "DATE", "days": "N|all", "count": "N", "text": "TEXT"}
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


def params(
    *names: str, table: Sequence[Option] = USAGE, texts: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options of these names.

    They stand in *table*; *texts* say what they mean where that differs from what they mean in `econome usage`.
    """
    by_name = {option.name: option for option in table}
    meant = {**OPTIONS, **(texts or {})}

    def decorate(command: Command) -> Command:
        for name in reversed(names):
            option = by_name[name]
            text = meant[name]
            if option.kind == "flag":
                command = click.option(f"--{name}", is_flag=True, help=text)(command)
            else:
                command = click.option(
                    f"--{name}", type=_Value(option), multiple=option.repeatable, help=text
                )(command)
        return command

    return decorate
