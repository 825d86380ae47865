"""R3: bytes into lines, lines into objects."""

from __future__ import annotations

import json

import pytest

from tests.builders import SLUG, Row, Tree, assistant, counts, line, lines
from tests.door import Answer, expected, figures, usage
from tests.requirements import requirement

FULL: Row = {"sessionId": "s1", "isSidechain": False}
A = assistant("a", **FULL)
B = assistant("b", **FULL)


def read(tree: Tree, data: bytes) -> Answer:
    """What a tree with one transcript of *data* gives."""
    path = tree.root / "projects" / SLUG / "s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return usage(tree.root)


def lost(answer: Answer) -> dict[str, int]:
    """How many lines were read, and what was wrong with them."""
    return {name: answer["coverage"][name] for name in ("lines", "malformed", "pending")}


@requirement("R3")
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xef\xbb\xbf" + lines([A, B]), id="a byte order mark"),
        pytest.param(lines([A, B], end=b"\r\n"), id="CRLF"),
        pytest.param(lines([A]) + line(B), id="no line end after the last line"),
        pytest.param(line(A) + b"\0\0\0\n\0\0" + line(B) + b"\n", id="NUL around objects"),
        pytest.param(lines([A, B]).replace(b'":', b'"\0:\0'), id="NUL as spacing"),
        pytest.param(b"  " + line(A) + b" \t\n\t" + line(B) + b"\n", id="blanks around objects"),
        pytest.param(lines([A, B]).replace(b"Done.", b"\xff\xfe\xc3"), id="invalid UTF-8"),
        pytest.param(
            lines([A, B]).replace(b"Done.", "x\u2028y\u2029z\x85".encode()), id="other line ends"
        ),
        pytest.param(line(A, indent=None, separators=(",", ":")) + b"\n" + line(B), id="compact"),
        pytest.param(
            line(A, separators=(" , ", " : ")) + b"\n" + line(B, sort_keys=True) + b"\n",
            id="wide spacing and sorted keys",
        ),
        pytest.param(
            line(dict(reversed(A.items()))) + b"\n" + line({"new": {"type": "user"}, **B}) + b"\n",
            id="other key orders and unknown keys",
        ),
        pytest.param(
            lines([A, B]).replace(b'"assistant"', b'"\\u0061ssistant"'), id="escaped type"
        ),
        pytest.param(
            lines([A, {**B, "message": {**B["message"], "content": [{"n": 10**400}]}}]),
            id="an integer of 400 digits",
        ),
    ],
)
def test_good_rows_are_read_whatever_the_bytes_around_them(tree: Tree, data: bytes) -> None:
    answer = read(tree, data)
    assert figures(answer["total"]) == expected(2)
    assert lost(answer) == {"lines": 2, "malformed": 0, "pending": 0}


@requirement("R3")
@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"   \t ", id="blanks"),
        pytest.param(b"\0\0\0\0", id="NUL"),
        pytest.param(b"\r", id="a lone CR"),
        pytest.param(b"not json at all", id="text"),
        pytest.param(b"[1, 2, 3]", id="an array"),
        pytest.param(b"42", id="a number"),
        pytest.param(b'"assistant"', id="a string"),
        pytest.param(b"null", id="null"),
        pytest.param(b'{"type": "assistant", "message": {', id="a torn object"),
        pytest.param(b"}", id="a closing brace"),
        pytest.param(b'{"type": "user", "x": }', id="a missing value"),
        pytest.param(b'{"type": "user", "x": 1]}', id="a wrong bracket"),
        pytest.param(b'{"type": "user", "x": NaN}', id="NaN in a short line"),
        pytest.param(line({**B, "cost": float("nan")}), id="NaN"),
        pytest.param(line({**B, "cost": float("inf")}), id="Infinity"),
        pytest.param(line({**B, "cost": float("-inf")}), id="-Infinity"),
        pytest.param(
            line(assistant("b", usage=counts(fresh=float("nan")), **FULL)), id="NaN as a counter"
        ),
        pytest.param(b'{"type":"assistant",' + b"[" * 100_000, id="deep nesting cut off"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep nesting"),
    ],
)
def test_a_bad_line_is_skipped_and_counted(tree: Tree, bad: bytes) -> None:
    answer = read(tree, line(A) + b"\n" + bad + b"\n" + line(assistant("c", **FULL)) + b"\n")
    assert figures(answer["total"]) == expected(2)
    assert lost(answer) == {"lines": 3, "malformed": 1, "pending": 0}


@requirement("R3")
@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_the_words_inside_a_string_are_text(tree: Tree, word: str) -> None:
    said = {"type": "text", "text": f'x: {word}, "y": {word}'}
    answer = read(tree, lines([assistant("a", content=[said], **FULL)]))
    assert figures(answer["total"]) == expected(1)
    assert lost(answer) == {"lines": 1, "malformed": 0, "pending": 0}


@requirement("R3")
@pytest.mark.parametrize("cut", [1, 20, 200, -1])
def test_a_last_line_still_being_written_is_pending_then_read(tree: Tree, cut: int) -> None:
    whole = line(B)
    answer = read(tree, lines([A]) + whole[:cut])
    assert figures(answer["total"]) == expected(1)
    assert lost(answer) == {"lines": 2, "malformed": 0, "pending": 1}
    answer = read(tree, lines([A]) + whole)
    assert figures(answer["total"]) == expected(2)
    assert lost(answer) == {"lines": 2, "malformed": 0, "pending": 0}
    answer = read(tree, lines([A, B]) + whole[:cut] + b"\n")
    assert figures(answer["total"]) == expected(2)
    assert lost(answer) == {"lines": 3, "malformed": 1, "pending": 0}


@requirement("R3")
def test_a_file_of_one_unfinished_line_is_pending(tree: Tree) -> None:
    answer = read(tree, line(A)[:100])
    assert figures(answer["total"]) == expected(0, sessions=0)
    assert lost(answer) == {"lines": 1, "malformed": 0, "pending": 1}


@requirement("R3")
def test_a_long_line_is_read_whole(tree: Tree) -> None:
    said = {"type": "text", "text": "x" * 5_000_000}
    answer = read(tree, lines([assistant("a", content=[said], **FULL), B]))
    assert figures(answer["total"]) == expected(2)


@requirement("R3")
def test_a_quoted_usage_inside_a_text_is_no_usage(tree: Tree) -> None:
    said = {"type": "text", "text": json.dumps(A) + '\n"usage":{"input_tokens":9}'}
    row = {"type": "user", "message": {"role": "user", "content": [said]}}
    answer = read(tree, lines([row, A]))
    assert figures(answer["total"]) == expected(1)


@requirement("R3")
@pytest.mark.parametrize("kind", ["user", "system", "progress", "summary", "assistant-like"])
def test_a_first_type_that_is_nested_does_not_hide_the_row(tree: Tree, kind: str) -> None:
    hidden = {"extra": {"type": kind, "deep": [{"type": kind}]}, **A}
    behind = {"message": {"note": {"type": kind}, **B["message"]}, **B}
    answer = read(tree, lines([hidden, behind]))
    assert figures(answer["total"]) == expected(2)


@requirement("R3")
def test_a_user_row_with_usage_is_not_counted_though_it_holds_the_word(tree: Tree) -> None:
    row = {"extra": {"type": "assistant"}, **A, "type": "user"}
    answer = read(tree, lines([row, B]))
    assert figures(answer["total"]) == expected(1)
