"""F4: side-chain rows that replay a main response."""

from __future__ import annotations

from tests.builders import Row, Tree, assistant, counts
from tests.door import coverage, expected, split, total
from tests.requirements import requirement

SIDE: Row = {"isSidechain": True}


@requirement("F4")
def test_the_same_key_on_both_chains_is_one_response_at_its_greatest(tree: Tree) -> None:
    tree.main(
        "s1",
        assistant("a", usage=counts(output=5)),
        assistant("a", usage=counts(output=9), **SIDE),
    )
    assert total(tree.root) == expected(1, output_tokens=9)
    assert coverage(tree.root)["replayed"] == 0
    assert split(tree.root, "agent") == {"main": 1}


@requirement("F4")
def test_a_side_chain_replay_under_another_request_is_not_counted(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    replay = assistant("a", requestId="req_2", usage=counts(output=999))
    tree.agent("s1", "a1", replay, replay, assistant("a", requestId="req_3"))
    assert total(tree.root) == expected(1)
    assert coverage(tree.root)["replayed"] == 2


@requirement("F4")
def test_a_side_chain_response_whose_id_no_main_row_has_is_counted(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.agent("s1", "a1", assistant("b"), assistant("b", requestId="req_2"))
    assert total(tree.root) == expected(3)
    assert coverage(tree.root)["replayed"] == 0


@requirement("F4")
def test_a_key_with_one_main_row_is_no_replay(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("a", requestId="req_2"))
    tree.agent("s1", "a1", assistant("a", requestId="req_2"))
    assert total(tree.root) == expected(2)
    assert coverage(tree.root)["replayed"] == 0


@requirement("F4")
def test_two_main_requests_of_one_id_are_no_replays_of_each_other(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("a", requestId="req_2"))
    assert total(tree.root) == expected(2)


@requirement("F4")
def test_a_side_chain_row_without_request_joins_the_main_response(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.agent("s1", "a1", assistant("a", requestId=None))
    assert total(tree.root) == expected(1)
    assert coverage(tree.root)["replayed"] == 0


@requirement("F4")
def test_a_side_chain_group_without_request_beside_several_is_a_replay(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("a", requestId="req_2"))
    tree.agent("s1", "a1", assistant("a", requestId=None))
    assert total(tree.root) == expected(2)
    assert coverage(tree.root)["replayed"] == 1


@requirement("F4")
def test_the_main_row_may_stand_in_any_file_and_be_read_later(tree: Tree) -> None:
    tree.agent("s1", "a1", assistant("a", requestId="req_2"), slug="-a")
    tree.main("s9", assistant("a"), slug="-z")
    assert total(tree.root) == expected(1)
    assert split(tree.root, "session") == {"s9": 1}


@requirement("F4", "F2")
def test_ids_that_identify_nothing_make_no_replay(tree: Tree) -> None:
    name = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    for number, message in enumerate((name, None)):
        main = assistant(f"m{number}", message={"id": message})
        side = assistant(f"s{number}", message={"id": message})
        tree.main(f"s{number}", main)
        tree.agent(f"s{number}", "a1", side)
    assert total(tree.root) == expected(4, sessions=2)


@requirement("F4")
def test_a_replay_adds_no_session_model_or_day(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    tree.agent(
        "s2",
        "a1",
        assistant("a", requestId="req_2", model="claude-opus-4-5", time="2026-03-01T00:00:00Z"),
    )
    assert split(tree.root, "session") == {"s1": 1}
    assert split(tree.root, "model") == {"claude-haiku-4-5-20251001": 1}
    assert split(tree.root, "day") == {"2026-01-05": 1}
    assert coverage(tree.root)["last_day"] == "2026-01-05"
