"""F2: what makes two rows one response."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import Row, Tree, assistant, counts, uuid_of, without
from tests.door import coverage, expected, total
from tests.requirements import requirement

UUIDS = (
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "3F2504E0-4F89-11D3-9A0C-0305E82C3302",
    "00000000-0000-0000-0000-000000000000",
)


def row(
    message: str | None, request: str | None, number: int = 1, output: int = 50, **more: Any
) -> Row:
    """A line of a response with the given ids, and an own uuid a *number*."""
    return assistant(
        str(number),
        message={"id": message},
        requestId=request,
        usage=counts(output=output),
        **more,
    )


@requirement("F2")
def test_the_same_ids_are_one_response_in_one_file_and_over_all(tree: Tree) -> None:
    tree.main("s1", row("m", "r", 1), row("m", "r", 2), row("m", "r", 3))
    tree.main("s2", row("m", "r", 1), slug="-other")
    tree.agent("s3", "a1", row("m", "r", 4))
    assert total(tree.root) == expected(1)
    assert coverage(tree.root)["folded"] == 4


@requirement("F2")
def test_two_requests_of_one_id_are_two_responses(tree: Tree) -> None:
    tree.main("s1", row("m", "r1"), row("m", "r2"))
    assert total(tree.root) == expected(2)


@requirement("F2")
def test_two_ids_of_one_request_are_two_responses(tree: Tree) -> None:
    tree.main("s1", row("m1", "r"), row("m2", "r"))
    assert total(tree.root) == expected(2)


@requirement("F2")
@pytest.mark.parametrize("absent", [None, ""])
def test_a_row_without_request_joins_the_only_request_of_its_id(
    tree: Tree, absent: str | None
) -> None:
    tree.main("s1", row("m", absent, 1), row("m", "r", 2))
    tree.main("s2", row("m", absent, 3))
    assert total(tree.root) == expected(1)


@requirement("F2")
def test_rows_without_request_of_an_id_with_several_form_one_group(tree: Tree) -> None:
    tree.main("s1", row("m", "r1"), row("m", "r2"), row("m", None, 3), row("m", None, 4))
    assert total(tree.root) == expected(3)


@requirement("F2")
def test_rows_without_any_request_are_one_response_by_their_id(tree: Tree) -> None:
    tree.main("s1", row("m", None, 1), row("m", None, 2), row("n", None, 3))
    assert total(tree.root) == expected(2)


@requirement("F2")
@pytest.mark.parametrize("message", [None, "", *UUIDS])
def test_an_id_that_identifies_nothing_leaves_it_to_the_request(
    tree: Tree, message: str | None
) -> None:
    tree.main("s1", row(message, "r1", 1), row(message, "r1", 2), row(message, "r2", 3))
    assert total(tree.root) == expected(2)


@requirement("F2")
def test_different_uuids_of_one_request_are_one_response(tree: Tree) -> None:
    tree.main("s1", *(row(name, "r", number) for number, name in enumerate(UUIDS)))
    assert total(tree.root) == expected(1)


@requirement("F2")
@pytest.mark.parametrize("message", [None, *UUIDS])
def test_without_id_and_request_the_row_is_known_by_its_uuid(
    tree: Tree, message: str | None
) -> None:
    tree.main("s1", row(message, None, 1), row(message, None, 1), row(message, None, 2))
    tree.main("s2", row(message, None, 2))
    assert total(tree.root) == expected(2)


@requirement("F2")
def test_without_anything_each_line_is_a_response(tree: Tree) -> None:
    bare = without(row(None, None), "uuid")
    tree.main("s1", bare, bare)
    tree.main("s2", bare)
    assert total(tree.root) == expected(3, sessions=2)


@requirement("F2")
def test_a_request_alone_and_an_id_with_it_are_two_responses(tree: Tree) -> None:
    tree.main("s1", row(None, "r", 1), row("m", "r", 2))
    assert total(tree.root) == expected(2)


@requirement("F2")
@pytest.mark.parametrize(
    "message",
    ["msg_3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0-4f89-11d3-9a0c", "chatcmpl-7", "1"],
)
def test_an_id_of_another_shape_identifies(tree: Tree, message: str) -> None:
    tree.main("s1", row(message, None, 1), row(message, None, 2))
    assert total(tree.root) == expected(1)


def gateway(*prompts: int, request: str | None = None, **more: Any) -> list[Row]:
    """Rows of a gateway that gives every response the same id."""
    return [
        assistant(
            f"g{number}",
            message={"id": "gateway"},
            requestId=request,
            usage=counts(fresh=prompt),
            **more,
        )
        for number, prompt in enumerate(prompts)
    ]


@requirement("F2")
def test_a_gateway_with_one_id_for_all_is_seen_by_three_different_prompts(tree: Tree) -> None:
    tree.main("s1", *gateway(1, 2, 3, 3, 1))
    assert total(tree.root) == expected(3, input_tokens=6)


@requirement("F2")
def test_two_different_prompts_are_one_response_still(tree: Tree) -> None:
    tree.main("s1", *gateway(1, 2, 2, 1))
    assert total(tree.root) == expected(1, input_tokens=2)


@requirement("F2", "P5")
def test_prompts_of_a_gateway_differ_by_what_they_write_to_the_cache_however_it_is_given(
    tree: Tree,
) -> None:
    bare = [
        without(row["message"]["usage"], "cache_creation_input_tokens") for row in gateway(1, 1, 1)
    ]
    rows = gateway(1, 1, 1)
    for written, row, usage in zip((100, 200, 300), rows, bare, strict=True):
        usage["cache_creation"] = {"ephemeral_5m_input_tokens": written}
        row["message"]["usage"] = usage
    tree.main("s1", *rows)
    found = total(tree.root)
    assert (found["responses"], found["cache_write_5m_tokens"]) == (3, 600)


@requirement("F2")
def test_one_request_id_tells_that_it_is_no_gateway(tree: Tree) -> None:
    tree.main("s1", *gateway(1, 2, 3), *gateway(4, request="r"))
    assert total(tree.root) == expected(1, input_tokens=4)


@requirement("F2")
def test_the_prompts_of_a_gateway_are_compared_over_all_files(tree: Tree) -> None:
    tree.main("s1", *gateway(1))
    tree.main("s2", *gateway(2))
    tree.main("s3", *gateway(3, 1))
    assert total(tree.root) == expected(3, sessions=3, input_tokens=6)


@requirement("F2")
@pytest.mark.parametrize("name", ["fresh", "read", "write"])
def test_each_part_of_the_prompt_tells_the_responses_of_a_gateway_apart(
    tree: Tree, name: str
) -> None:
    rows = [
        assistant("g", message={"id": "x"}, requestId=None, usage=counts(**{name: number}))
        for number in (300, 400, 500)
    ]
    tree.main("s1", *rows)
    assert total(tree.root)["responses"] == 3


@requirement("F2")
def test_the_output_does_not_tell_the_responses_of_a_gateway_apart(tree: Tree) -> None:
    tree.main("s1", *(row("m", None, number, output=number) for number in range(1, 6)))
    assert total(tree.root) == expected(1, output_tokens=5)


@requirement("F2", "F4")
def test_the_sub_agents_of_a_gateway_are_no_replays(tree: Tree) -> None:
    tree.main("s1", *gateway(1, 2))
    tree.agent("s1", "a1", *gateway(3, 4))
    assert total(tree.root) == expected(4, input_tokens=10)


@requirement("F2")
def test_the_file_and_the_session_are_no_part_of_the_key(tree: Tree) -> None:
    tree.main("s1", row("m", "r"))
    tree.main("s2", row("m", "r", sessionId="s9", cwd="/elsewhere"), slug="-elsewhere")
    assert total(tree.root) == expected(1)


@requirement("F2")
def test_the_uuid_of_a_row_is_not_looked_at_when_its_ids_identify(tree: Tree) -> None:
    same: Row = {"uuid": uuid_of("same")}
    tree.main("s1", row("m1", "r1", **same), row("m2", "r2", **same))
    assert total(tree.root) == expected(2)
