"""Random JSON values, with what breaks encoders: texts that look like something else, keys with signs, rows that differ."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["documents", "names", "records", "scalars", "trees"]

_ODD = (
    "",
    " ",
    "null",
    "true",
    "05",
    "1e5",
    "-0",
    "1.0",
    "[]",
    "[1]",
    '"',
    '{"a":1}',
    "a,b",
    "x|y",
    "a\tb",
    "a\nb",
    "a\r\n",
    "\x85",
    "\u2028",
    "*",
    "a*b",
    "=x",
    "- a",
    "a:b",
    " a",
    "a ",
    "(below)",
    "(a)",
    "📊",
    "日本",
    "2026-12-01T10:00:00Z",
)

texts = st.sampled_from(_ODD) | st.text(
    st.characters(codec="utf-8", max_codepoint=0x2100), max_size=8
)
numbers = (
    st.integers()
    | st.sampled_from([0, 1, 2**53 + 1, -(2**80)])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 1e300, 1e16, 0.1])
)
scalars = st.none() | st.booleans() | numbers | texts
names = st.sampled_from(
    [
        "id",
        "name",
        "a",
        "b",
        "a.b",
        "x y",
        "(key)",
        "count(*)",
        "a:b",
        "a[]",
        "b?",
        "c'",
        "d~",
        "",
        "é",
    ]
) | st.text(st.characters(codec="utf-8", max_codepoint=0x2100), max_size=4)

documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return rows that share keys, in one order, each key mostly there; values of one column are often alike."""
    keys = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    kinds = {
        key: draw(
            st.sampled_from([scalars, texts, st.floats(allow_nan=False, allow_infinity=False)])
            | st.just(st.lists(scalars, max_size=3))
            | st.just(st.dictionaries(st.sampled_from(["x", "y"]), scalars, max_size=2))
            | st.builds(lambda only: st.just(only), scalars)
            | st.builds(
                lambda before, after: st.builds(lambda middle: f"{before}{middle}{after}", texts),
                st.sampled_from(["src/very/long/path/", "2026-12-", ""]),
                st.sampled_from([".py", ":00+00:00", ""]),
            )
        )
        for key in keys
    }
    rows = draw(st.integers(1, 8))
    whole = draw(st.booleans())
    return [
        {key: draw(kinds[key]) for key in keys if whole or draw(st.integers(0, 3))}
        for _ in range(rows)
    ]


trees: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.fixed_dictionaries({"name": texts}, optional={"kids": st.just([]), "size": scalars}),
    lambda inner: st.fixed_dictionaries(
        {"name": texts}, optional={"kids": st.lists(inner, max_size=4), "size": scalars}
    ),
    max_leaves=12,
)
