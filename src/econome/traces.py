"""Where in the code something went wrong: what may be told of an error whose text may be a client's.

It knows tracebacks, and reads no text of an error.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["place"]


def place(trace: TracebackType | None) -> str:
    """Return the module and line where an exception began."""
    found = "?"
    while trace is not None:
        found = f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
