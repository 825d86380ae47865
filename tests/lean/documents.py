"""Random configurations of clients: JSON, with comments or without, in any layout, that hold one entry to be found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    _SCALARS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)
_STARTED = st.fixed_dictionaries(
    {"command": st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)},
    optional={
        "type": st.just("stdio"),
        "args": st.lists(_TEXTS, max_size=4),
        "env": st.dictionaries(_TEXTS, _TEXTS, max_size=3),
        "cwd": _TEXTS,
        "timeout": st.integers() | st.just(1e22),
    },
)
_REACHED = st.fixed_dictionaries(
    {"type": st.sampled_from(["http", "streamable-http"]), "url": st.just("https://a.example/mcp")},
    optional={
        "headers": st.dictionaries(st.text("abcXYZ-", min_size=1), _TEXTS, min_size=1, max_size=3),
        "timeout": st.integers(),
    },
)
ENTRIES = _STARTED | _REACHED


@dataclass(frozen=True, slots=True)
class Written:
    """A document, and where its entry is in it: `data` is `before`, `entry` and `after`."""

    before: bytes
    entry: str
    after: bytes
    keys: tuple[str, ...]
    value: Any
    comments: bool

    @property
    def data(self) -> bytes:
        """The whole."""
        return self.before + self.entry.encode() + self.after


@st.composite
def documents(draw: st.DrawFn, entries: st.SearchStrategy[Any] = ENTRIES) -> Written:
    """Draw a document that holds an entry under its keys, beside others."""
    comments = draw(st.booleans())
    end = draw(st.sampled_from(["\n", "\r\n"]))
    plain = st.sampled_from(["", " ", "  ", "\t", end, end + "  "])
    remarks = st.sampled_from([f'// {{,] "x{end}', '/* ,} " */', f"/*{end}é*/"])
    space = plain | remarks if comments else plain

    def gap() -> str:
        return draw(space)

    def text_of(value: Any) -> str:
        if isinstance(value, dict):
            inside = [
                f"{gap()}{text_of(key)}{gap()}:{gap()}{text_of(each)}{gap()}"
                for key, each in value.items()
            ]
            return "{" + ",".join(inside) + last(inside) + gap() + "}"
        if isinstance(value, list):
            inside = [f"{gap()}{text_of(each)}{gap()}" for each in value]
            return "[" + ",".join(inside) + last(inside) + gap() + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def last(inside: list[str]) -> str:
        return "," if inside and comments and draw(st.booleans()) else ""

    def beside(taken: str) -> tuple[str, str]:
        """Return members before and after one."""
        others = draw(st.dictionaries(_TEXTS.filter(lambda key: key != taken), VALUES, max_size=3))
        texts = [
            f"{gap()}{text_of(key)}{gap()}:{gap()}{text_of(each)}{gap()}"
            for key, each in others.items()
        ]
        cut = draw(st.integers(0, len(texts)))
        return "".join(f"{text}," for text in texts[:cut]), "".join(
            f",{text}" for text in texts[cut:]
        )

    keys = (*draw(st.lists(_TEXTS, min_size=1, max_size=2)), draw(_TEXTS))
    value = draw(entries)
    before = "\ufeff" if draw(st.booleans()) else ""
    before, after = before + gap(), gap()
    for key in keys:
        left, right = beside(key)
        before += f"{{{left}{gap()}{text_of(key)}{gap()}:{gap()}"
        after = f"{gap()}{right}{last([key])}{gap()}}}{after}"
    return Written(before.encode(), text_of(value), after.encode(), keys, value, comments)
