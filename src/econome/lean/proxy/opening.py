"""What a proxy begins with: the rules of this user, the budgets of this directory, a tokenizer, a ledger."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from econome.errors import SettingsError
from econome.lean.rules import (
    FILE,
    Budget,
    Named,
    Rules,
    ServerRules,
    ToolRules,
    budgets_only,
    rules_of,
)
from econome.settings import Settings
from econome.tokenizers import DEFAULT, tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.lean.ledger import Writer
    from econome.lean.proxy.shared import Due, Lean

__all__ = [
    "Ledger",
    "Opening",
    "Wishes",
    "budgets_here",
    "budgets_in",
    "named_after",
    "opened",
    "rules_in",
]

_MOST_BYTES = 1024 * 1024
"""A file of budgets that is larger than this is none."""

_QUICK = ("features-v1", "chars/")
"""Methods that are quick enough to count by while a client waits."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line says, over what the rules say."""

    name: str
    menu: str | None = None
    client: str | None = None
    tokenizer: str | None = None
    rules: str | None = None
    answers: ToolRules = field(default_factory=ToolRules)
    passing: bool = False


class Ledger:
    """The lean ledger of a data directory, opened with the first record: until then a client waits for the proxy."""

    def __init__(self, data_dir: str) -> None:
        self._data_dir = data_dir
        self._writer: Writer | None = None

    def __call__(self, due: Due, held_bytes: int) -> None:
        """Take what makes a record, and the bytes that it holds."""
        if self._writer is None:
            from econome.lean.ledger import Writer, lean_dir

            self._writer = Writer(lean_dir(self._data_dir))
        self._writer(due, held_bytes)

    def close(self) -> None:
        """Write what waits."""
        if self._writer is not None:
            self._writer.close()


@dataclass(frozen=True, slots=True)
class Opening:
    """A proxy that is ready to begin: `ledger` has to be closed at its end. `named` is what the `file` of rules names."""

    lean: Lean
    ledger: Ledger
    rules: ServerRules
    budget: Budget
    estimate: bool
    named: Named
    file: str


def opened(settings: Settings, wishes: Wishes) -> Opening:
    """Return what a proxy of this user in this directory begins with.

    Raises:
        SettingsError: a file of rules cannot be read, or says what cannot be used.
        UsageError: the tokenizer is unknown, or what it needs is not installed.
    """
    # What a proxy is made of is imported only where one opens: others read rules and budgets here.
    from econome.lean.kept import Kept
    from econome.lean.policies import defers
    from econome.lean.proxy.shared import Lean

    rules = _rules(settings, wishes.rules)
    here = Rules(budgets=budgets_here(settings, wishes.rules))
    own = rules.server(wishes.name).under(wishes.answers)
    measuring = tokenizer(wishes.tokenizer or own.tokenizer or DEFAULT)
    quick = measuring.name.startswith(_QUICK)
    choosing = measuring if quick else tokenizer(DEFAULT)
    ledger = Ledger(settings.data_dir)
    named = rules.named(wishes.name)
    budget = rules.budget(wishes.name).within(here.budget(wishes.name))
    lean = Lean(
        name=wishes.name,
        count=choosing.count,
        measure=measuring.count,
        tokenizer=measuring.name,
        ticks=time.perf_counter_ns,
        record=ledger,
        rules=own,
        tables=rules.clients,
        kept=Kept(time.monotonic, lambda: os.urandom(16).hex()),
        client=wishes.client,
        form=wishes.menu,
        passing=wishes.passing,
        defers=defers(settings.variable("ENABLE_TOOL_SEARCH")),
        budget=budget,
        named=named.tools,
        warn=_warn,
        last=None if quick else measuring.count,
    )
    file = _path(settings, wishes.rules)
    return Opening(lean, ledger, own, budget, measuring.estimate, named, file)


def _warn(line: str) -> None:
    print(f"econome: {line}", file=sys.stderr, flush=True)


def _path(settings: Settings, named: str | None) -> str:
    return named or os.path.join(os.path.dirname(settings.config_file), FILE)


def _rules(settings: Settings, named: str | None) -> Rules:
    if named is not None:
        return rules_in(named)
    path = _path(settings, None)
    found = _decoded(path)
    return Rules() if found is None else rules_of(found[0], path, found[1])


def rules_in(path: str) -> Rules:
    """Return the rules of a file that was named.

    Raises:
        SettingsError: it cannot be read, or says what cannot be used.
    """
    found = _decoded(path)
    if found is None:
        raise SettingsError(path, "", "no such file")
    return rules_of(found[0], path, found[1])


def budgets_here(settings: Settings, named: str | None) -> Mapping[str, Budget]:
    """Return the budgets of the working directory, none where its file is the user's own or was named.

    Whoever made the directory may have written that file, so one that is wrong is left out with a line: it must not be
    able to keep the user's servers from starting.
    """
    try:
        return budgets_in(FILE, besides=(_path(settings, named),))
    except SettingsError as error:
        _warn(f"{error}; nothing of this file is used")
        return {}


def budgets_in(path: str, besides: Iterable[str | None] = ()) -> Mapping[str, Budget]:
    """Return the budgets of a file that may hold nothing else, none where there is no file, or it is one of *besides*.

    Raises:
        SettingsError: it cannot be read, or says what cannot be used.
    """
    if any(other is not None and _is_same(path, other) for other in besides):
        return {}
    found = _decoded(path) if _is_plain(path) else None
    return {} if found is None else budgets_only(found[0], path, found[1])


def _is_same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:  # one of them is not there
        return False


def _is_plain(path: str) -> bool:
    """Tell whether a path is a file that can be read through: no pipe that never ends, no gigabyte."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        if not os.path.islink(path):
            return False
        raise SettingsError(path, "", "it is a link to a file that is not there") from None
    except OSError as error:
        raise SettingsError(path, "", error.strerror or "cannot be read") from None
    if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES:
        return True
    raise SettingsError(path, "", f"expected a file of at most {_MOST_BYTES:,} bytes")


def _decoded(path: str) -> tuple[dict[str, Any], str] | None:
    """Return what a TOML file holds, and its text; None where there is none."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(path, "", error.strerror or "cannot be read") from None
    from tomllib import TOMLDecodeError, loads

    try:
        text = data.decode("utf-8")
        return loads(text), text
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(path, "", str(error)) from None


_RUNNERS = {
    "npx",
    "uvx",
    "bunx",
    "pipx",
    "pnpm",
    "yarn",
    "node",
    "python",
    "python3",
    "deno",
    "bun",
}


def named_after(command: Sequence[str], url: str | None = None) -> str:
    """Return a name for a server by the command that starts it: `github` for `npx -y @scope/server-github`."""
    if url is not None:
        host = url.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
        return _safe(host.removeprefix("www.").removeprefix("mcp.").removeprefix("api."))
    words = [os.path.basename(command[0]).removesuffix(".exe").removesuffix(".cmd")]
    if words[0] in _RUNNERS:
        words = [word for word in command[1:] if not word.startswith("-")] or words
        words = words[1:] if words[0] in ("run", "dlx", "exec") and len(words) > 1 else words
    last = words[0].replace("\\", "/").rstrip("/").rpartition("/")[2] or words[0]
    bare = last.partition("@")[0] or last
    for ending in (".py", ".js", ".mjs", ".ts"):
        bare = bare.removesuffix(ending)
    for part in ("mcp-server-", "server-", "mcp-"):
        bare = bare.removeprefix(part)
    for part in ("-mcp-server", "-mcp"):
        bare = bare.removesuffix(part)
    return _safe(bare)


def _safe(bare: str) -> str:
    safe = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in bare)
    return safe.strip("_")[:48] or "server"
