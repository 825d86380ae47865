"""A lock has one text, which shows what changed, and is read back whole or not at all."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.contract.canonical import canonical, digest
from econome.contract.captured import Captured
from econome.contract.lockfile import Lock, check, read, written
from econome.contract.promises import promise
from econome.errors import LockBroken
from tests.brief import examples
from tests.contract.captures import captures, count, data, shuffled, tool
from tests.requirements import requirement

pytestmark = requirement("L16")

PATH = "econome.lock"
TWO = (tool("a"), tool("b", outputSchema={"type": "array", "items": {"type": "string"}}))
SHOP = promise(Captured("shop", TWO, TWO, instructions="Ask first."), count=count)
LOCK = Lock("features-v1", {"shop": SHOP})
TEXT = written(LOCK)

locks = st.builds(
    Lock,
    st.sampled_from(["features-v1", "o200k"]),
    st.dictionaries(
        st.sampled_from(["shop", "", "\n", "\ufb33", "😀"]),
        captures().map(lambda captured: promise(captured, count=count)),
        max_size=2,
    ),
)


def signed(body: dict[str, Any]) -> bytes:
    """The file of a body with the digest that it has, whatever its shape."""
    return json.dumps({**body, "digest": digest(body)}).encode()


def body(**changed: Any) -> dict[str, Any]:
    return {"format": 1, "servers": {"shop": SHOP}, "tokenizer": "features-v1", **changed}


def reason(data: bytes) -> str:
    with pytest.raises(LockBroken) as caught:
        read(data, PATH)
    assert caught.value.path == PATH
    assert "\n" not in caught.value.reason
    return caught.value.reason


@pytest.mark.slow
@given(locks)
@settings(max_examples=examples(30))
def test_what_was_written_is_read_as_the_same_lock(lock: Lock) -> None:
    assert read(written(lock), PATH) == lock


@given(locks)
@settings(max_examples=examples(30))
def test_what_was_read_is_written_as_the_same_bytes(lock: Lock) -> None:
    assert written(read(written(lock), PATH)) == written(lock)


@pytest.mark.slow
@requirement("LC19")
@given(locks)
@settings(max_examples=examples(30))
def test_without_its_line_ends_it_is_canonical(lock: Lock) -> None:
    rest = {"format": 1, "servers": dict(lock.servers), "tokenizer": lock.tokenizer}
    assert written(lock).replace(b"\n", b"") == canonical({**rest, "digest": digest(rest)})
    assert written(lock).endswith(b"}\n")


@pytest.mark.slow
@requirement("LC19")
@settings(max_examples=examples(15))
@given(captures(), captures("till"), st.randoms(use_true_random=False))
def test_equal_servers_in_any_order_give_equal_bytes(
    one: Captured, other: Captured, rng: random.Random
) -> None:
    first = Lock("t", {"a": promise(one, count=count), "b": promise(other, count=count)})
    told = {"b": shuffled(other, rng), "a": shuffled(one, rng)}
    second = Lock("t", {name: promise(each, count=count) for name, each in told.items()})
    assert written(first) == written(second)


def test_each_entry_has_a_line_of_its_own() -> None:
    lines = TEXT.decode().splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        '{"digest"',
        '"format"',
        '"shop"',
        '"capabilities"',
        '"class"',
        '"instructions"',
        '"machine"',
        '"menu"',
        '"namespaces"',
        '"prompts"',
        '"resources"',
        '"templates"',
        '"tools"',
        '"a"',
        '"b"',
        "}",
        "}",
        '},"tokenizer"',
    ]


def test_a_changed_tool_changes_its_line_and_the_sums() -> None:
    tools = (TWO[0], tool("b", description="Lists it all."))
    other = Lock(LOCK.tokenizer, {"shop": promise(Captured("shop", tools, tools), count=count)})
    pairs = zip(TEXT.splitlines(), written(other).splitlines(), strict=True)
    assert [old.partition(b":")[0] for old, new in pairs if old != new] == [
        b'{"digest"',
        b'"class"',
        b'"instructions"',
        b'"menu"',
        b'"namespaces"',
        b'"b"',
    ]


@requirement("LC20")
@given(st.integers(0, len(TEXT) - 1), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_changes_nothing(at: int, byte: int) -> None:
    changed = TEXT[:at] + bytes([byte]) + TEXT[at + 1 :]
    with suppress(LockBroken):
        assert read(changed, PATH) == LOCK


@requirement("LC20")
@given(st.integers(0, len(TEXT) - 1))
def test_a_byte_that_is_left_out_is_refused_or_changes_nothing(at: int) -> None:
    with suppress(LockBroken):
        assert read(TEXT[:at] + TEXT[at + 1 :], PATH) == LOCK


@requirement("LC20")
@given(st.integers(0, len(TEXT) - 3))
def test_a_file_that_ends_too_early_is_refused(at: int) -> None:
    with pytest.raises(LockBroken):
        read(TEXT[:at], PATH)


@requirement("LC20")
@given(st.binary(max_size=60) | data.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_file_holds_nothing_but_the_one_error_is_raised(anything: bytes) -> None:
    with pytest.raises(LockBroken):
        read(anything, PATH)


@pytest.mark.parametrize(
    "text",
    [TEXT.replace(b"\n", b""), TEXT.replace(b"\n", b"\r\n")],
    ids=["without line ends", "line ends of Windows"],
)
def test_line_ends_do_not_matter(text: bytes) -> None:
    assert read(text, PATH) == LOCK


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(json.loads(TEXT), indent=2).encode(),
        json.dumps(json.loads(TEXT), ensure_ascii=True, sort_keys=False).encode(),
        TEXT.replace(b'"format":1,', b'"format": 1,'),
        TEXT.replace(b'"tools":2', b'"tools":2.0'),
        TEXT.replace(b"Ask", b"\\u0041sk"),
        TEXT.replace(b",\n", b",\n\t"),
        b" " + TEXT,
    ],
    ids=["indented", "spaced", "blank", "number", "escape", "tabs", "before"],
)
def test_what_says_the_same_in_other_bytes_is_refused(text: bytes) -> None:
    assert text != TEXT
    with pytest.raises(LockBroken, match="not as econome wrote it"):
        read(text, PATH)


@requirement("LC20")
@pytest.mark.parametrize(
    "old, new",
    [
        (b"Ask first.", b"Ask never."),
        (b'"tokens":', b'"tokens":1'),
        (b'"tools":2', b'"tools":3'),
        (b'"features-v1"', b'"o200k"'),
        (b'"string"', b'"number"'),
        (b'"sha256:', b'"sha256:0'),
        (b'"sha256:', b'"sha512:'),
        (b'"format":1,', b'"format":1,"more":1,'),
    ],
)
def test_what_was_edited_by_hand_is_refused(old: bytes, new: bytes) -> None:
    assert old in TEXT
    assert reason(TEXT.replace(old, new, 1)) == (
        "its digest does not match: it was edited by hand, or a merge went wrong; lock anew"
    )


@requirement("LC20")
@pytest.mark.parametrize(
    "text, said",
    [
        (b"", "line 1: it is no JSON"),
        (b"{}\n{", "line 2: it is no JSON"),
        (b"\xef\xbb\xbf" + TEXT, "line 1: it is no JSON"),
        (TEXT.replace(b"first", b"f\xffrst"), f"byte {TEXT.index(b'irst') + 1} is not UTF-8"),
        (b"[" * 100_000, "it is nested too deep to be a lock"),
        (b"[]", "it is JSON and no lock; make one with `econome lock`"),
        (b"{}", "it is JSON and no lock; make one with `econome lock`"),
        (b'{"format":1}', "it is JSON and no lock; make one with `econome lock`"),
        (b'{"format":true,"digest":""}', "it is JSON and no lock; make one with `econome lock`"),
        (b'{"lockfileVersion":3}', "it is JSON and no lock; make one with `econome lock`"),
        (
            TEXT.replace(b'"format":1', b'"format":2'),
            "it is of format 2, this econome reads 1; use a newer econome, or lock anew",
        ),
        (
            TEXT.replace(b'"format":1', b'"format":0'),
            "it is of format 0, this econome reads 1; use an older econome, or lock anew",
        ),
        (
            TEXT.replace(b'"form":', b'"tools":2,"form":'),
            'it is no lock: the key "tools" stands twice in one object',
        ),
        (TEXT.replace(b'"tools":2', b'"tools":NaN'), "it is no lock: NaN is no JSON"),
        (
            TEXT.replace(b'"tools":2', b'"tools":1e999'),
            "it is no lock: a number is not finite, or too large for JSON",
        ),
        (
            TEXT.replace(b'"tools":2', b'"tools":' + b"9" * 10_000),
            "it is no lock: a number is not finite, or too large for JSON",
        ),
        (
            TEXT.replace(b"Ask first.", b"\\ud800"),
            "it is no lock: a text holds half of a surrogate pair, which is no character",
        ),
    ],
)
def test_what_is_no_lock_is_refused_with_its_own_reason(text: bytes, said: str) -> None:
    assert reason(text) == said


@requirement("LC20")
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_what_git_could_not_merge_is_told_as_that(end: bytes) -> None:
    first, rest = TEXT.split(b"\n", 1)
    theirs = first.replace(b"sha256:", b"sha256:0")
    text = b"\n".join([b"<<<<<<< HEAD", first, b"=======", theirs, b">>>>>>> theirs", rest])
    assert reason(text.replace(b"\n", end)) == (
        "git left its conflict markers in it; take either side, then lock anew"
    )


@requirement("LC20")
@pytest.mark.parametrize(
    "wrong",
    [
        body(more=1),
        body(servers=[]),
        body(servers={"shop": 1}),
        body(servers={"shop": {}}),
        body(tokenizer=1),
        {"format": 1, "servers": {}},
        *(body(servers={"shop": {**SHOP, key: 1}}) for key in SHOP),
        body(servers={"shop": {**SHOP, "more": {}}}),
        body(servers={"shop": {**SHOP, "class": "worse"}}),
        body(servers={"shop": {**SHOP, "machine": {"initial": "a"}}}),
        body(servers={"shop": {**SHOP, "namespaces": {"a": -1}}}),
        *(
            body(servers={"shop": {**SHOP, "tools": {"a": {**SHOP["tools"]["a"], key: value}}}})
            for key in SHOP["tools"]["a"]
            for value in (1.5, [None])
        ),
        *(
            body(servers={"shop": {**SHOP, "tools": {"a": {**SHOP["tools"]["a"], "economy": wrong}}}})
            for wrong in ({"limit": 0}, {"max_bytes": "1"}, {"states": "open"}, {"short": 1})
        ),
        body(servers={"shop": {**SHOP, "tools": {"c": SHOP["tools"]["a"]}}}),
        body(servers={"shop": {**SHOP, "prompts": {"a": {"name": "b"}}}}),
        body(servers={"shop": {**SHOP, "resources": {"a": {"name": "a"}}}}),
        body(servers={"shop": {**SHOP, "templates": {"a": {"uri": "a"}}}}),
    ],
)  # fmt: skip
def test_a_body_of_another_shape_is_refused_though_its_digest_matches(
    wrong: dict[str, Any],
) -> None:
    assert reason(signed(wrong)).startswith("it is not of the shape of a lock: ")


@pytest.mark.parametrize("economy", [{"limit": 5, "later": [1]}, {"select": ["a"], "guards": 2}])
def test_what_a_newer_library_says_of_a_tool_is_kept(economy: dict[str, Any]) -> None:
    shop = {**SHOP, "tools": {"a": {**SHOP["tools"]["a"], "economy": economy}}}
    check(shop, "shop")
    assert read(written(Lock("t", {"shop": shop})), PATH) == Lock("t", {"shop": shop})


def test_the_keys_of_entries_stand_in_canonical_order() -> None:
    names = ["\ufb33", "😀", "z", "Z", "\r"]
    tools = tuple(map(tool, names))
    text = written(Lock("t", {"shop": promise(Captured("shop", tools, tools), count=count)}))
    read_back = json.loads(text)["servers"]["shop"]["tools"]
    assert list(read_back) == ["\r", "Z", "z", "😀", "\ufb33"]
