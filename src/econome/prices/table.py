"""The price table of a run: the bundled files, the user's overrides, and what a memo kept of them.

This half touches the world: it looks at the bundled files (`econome.prices.bundle` opens them) and
decides nothing; `econome.prices.tariff` does. It is on the fast path: ``json`` is imported only when
*memo* holds nothing of an earlier run, and other vendors' prices are read only for an id that is
neither Claude's nor overridden.
"""

from __future__ import annotations

import os

from econome import __version__
from econome.prices.amounts import usd as usd
from econome.prices.tariff import PriceTable as PriceTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from econome.prices.rows import Compiled

    class Memo(Protocol):
        """Where compiled prices may be kept between runs: values that ``marshal`` can hold."""

        def get(self, key: str, stamp: str) -> Any:
            """Return what was put under *key* with this *stamp*, else ``None``."""

        def put(self, key: str, stamp: str, obj: Any) -> None:
            """Keep *obj*, and forget what *key* held before."""


_FORMAT = "1"  # of what a memo keeps: a change of the compiled form forgets the old one
_DATA = os.path.join(os.path.dirname(__file__), "data")


def load(
    overrides: Mapping[str, Any] | None = None,
    memo: Memo | None = None,
    settings_path: str = "config.toml",
) -> PriceTable:
    """Return the bundled price table with the user's *overrides* (the raw ``[prices]`` tables).

    *settings_path* is only named in errors.

    Raises:
        SettingsError: an override breaks a rule; the error names its key.
    """
    stamp = _stamp("claude.json")
    compiled = memo.get("prices/claude", stamp) if memo is not None else None
    if compiled is None:
        from econome.prices import bundle

        compiled = bundle.claude()
        if memo is not None:
            memo.put("prices/claude", stamp, compiled)
    extra = None
    if overrides:
        from econome.prices.overrides import compile_overrides

        extra = compile_overrides(overrides, compiled, settings_path)
    return PriceTable(compiled, extra, _vendors(memo))


def _vendors(memo: Memo | None) -> Callable[[str], Compiled | None]:
    """Return the look-up of another vendor's model, which asks *memo* before it opens the file."""

    def look_up(name: str) -> Compiled | None:
        stamp = _stamp("vendors.json") if memo is not None else ""
        kept = memo.get("prices/vendor/" + name, stamp) if memo is not None else None
        if kept is None:
            from econome.prices import bundle

            kept = (bundle.vendor(name),)  # a tuple: "not listed" is worth keeping too
            if memo is not None:
                memo.put("prices/vendor/" + name, stamp, kept)
        compiled: Compiled | None = kept[0]
        return compiled

    return look_up


def _stamp(name: str) -> str:
    """Return what changes whenever a bundled file or the form of its memo does."""
    facts = os.stat(os.path.join(_DATA, name))
    return f"{__version__}:{_FORMAT}:{facts.st_size}:{facts.st_mtime_ns}"
