"""What may be done to the answers of a tool, and what an answer is after that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from econome.errors import MenuError

__all__ = ["AnswerRule", "Shaped"]


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """What may be done to the answers of a tool; as it stands, nothing is lost.

    *limit* rows of a collection, *rows* the field that holds them (dotted; None: found by type), *max_bytes* of one
    answer as it is sent, its note among them, *encode* in the smallest form, *more* gives a handle for what was cut, *repeats* refers to an earlier answer.
    *json* says that JSON in its texts is data, or that it never is; None: by what `payload.py` tells a file by.

    Raises:
        MenuError: a limit or a cap below 1.
    """

    limit: int | None = None
    rows: str | None = None
    max_bytes: int | None = None
    encode: bool = True
    more: bool = True
    repeats: bool = False
    json: bool | None = None

    @property
    def lossless(self) -> bool:
        """Tell whether nothing of an answer may be left out or referred to."""
        return self.limit is None and self.max_bytes is None and not self.repeats

    def __post_init__(self) -> None:
        """Refuse what could never be met."""
        for name, bound in (("limit", self.limit), ("max_bytes", self.max_bytes)):
            if bound is not None and bound < 1:
                raise MenuError(f"{name} {bound}: must be at least 1")


@dataclass(frozen=True, slots=True)
class Shaped:
    """An answer after its economies.

    *result* goes on the wire; *before* and *after* are what the model would have read and reads. *cut* holds the compact
    texts of the whole and of what was kept of it, None where nothing was left out. *handle* reads the rest. *remark* is the
    text of the block that says of a selection that it could not be carried out.
    """

    result: dict[str, Any]
    before: str
    after: str
    form: str
    cut: tuple[str, str] | None = None
    rows_cut: int = 0
    handle: str | None = None
    remark: str = ""
