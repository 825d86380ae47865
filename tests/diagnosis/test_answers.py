"""The rules about tools' answers: one MCP tool that outweighs the rest, and files read again and again."""

from __future__ import annotations

from itertools import count

from tests.builders import CWD, Row
from tests.diagnosis.office import Office, answered, at, called, judged, said

MCP, AGAIN = "mcp-answers-dominate", "same-file-read-again"
TOOL = "mcp__files__list_all"


def asked(size: int = 80_000, content: object = None) -> list[Row]:
    """A call of an MCP tool with an answer of so many characters, and one that another tool answers shortly."""
    return [
        called("a", 0, TOOL),
        answered("a", 1, "x" * size if content is None else content),
        called("b", 2, "Bash", five=25_000),
        answered("b", 3, "y" * 20_000),
        said("c", 4, read=30_000),
    ]


def test_an_mcp_tool_that_outweighs_the_rest_is_worth_its_writing_and_each_reading(
    office: Office,
) -> None:
    office.tree.main("s1", *asked())
    found = office.finding(MCP)
    # 80,000 characters are 20,000 tokens: written at 6.25, then read once at 0.50 USD a million
    assert found["worth"] == {
        "tokens": 40_000,
        "usd": "0.135",
        "partial": False,
        "basis": "estimated",
        "method": "characters-carried-on",
    }
    assert found["facts"] == {
        "tools": 1,
        "answers": 1,
        "characters": 80_000,
        "tokens": 20_000,
        "tokenizer": "chars/4",
    }
    assert found["evidence"][0]["rows"] == [
        ["files", "list_all", 1, 1, 80_000, 0.8, 20_000, 40_000, "0.135"]
    ]


def test_what_a_response_neither_wrote_nor_read_is_not_claimed_of_it(office: Office) -> None:
    rows = asked()
    rows[2] = called("b", 2, "Bash", five=7_000, fresh=1_000)
    rows[4] = said("c", 4, read=9_000)
    office.tree.main("s1", *rows)
    # 7,000 written and 1,000 of input, then 9,000 read
    assert office.finding(MCP)["worth"]["tokens"] == 17_000


def test_an_answer_is_carried_until_the_context_is_cut_down(office: Office) -> None:
    rows = [*asked(), said("d", 5, read=20_000), said("e", 6, read=25_000)]
    office.tree.main("s1", *rows)
    assert office.finding(MCP)["worth"]["tokens"] == 40_000


def test_an_answer_of_another_day_is_not_judged(office: Office) -> None:
    office.tree.main("s1", *asked(), said("d", 0, day=1, read=40_000))
    assert office.outcome(MCP, since=1) == ("nothing", None)
    assert office.finding(MCP, until=0)["worth"]["tokens"] == 40_000


def test_a_tool_beside_larger_ones_does_not_dominate(office: Office) -> None:
    rows = asked()
    rows[3] = answered("b", 3, "y" * 300_000)
    office.tree.main("s1", *rows)
    assert office.outcome(MCP) == ("nothing", None)


def test_few_characters_do_not_dominate_and_images_have_none(office: Office) -> None:
    office.tree.main("s1", *asked(39_999))
    image = {"type": "image", "source": {"type": "base64", "data": "x" * 90_000}}
    rows = asked(content=[image])
    office.tree.main("s2", *[_as(row, "2") for row in rows])
    assert office.outcome(MCP) == ("nothing", None)


def _as(row: Row, mark: str) -> Row:
    """The same line of another session's own."""
    message = dict(row["message"])
    if "id" in message:
        message["id"] += mark
    content = message["content"]
    if isinstance(content, list):
        message["content"] = [
            {
                key: value + mark if key in ("id", "tool_use_id") else value
                for key, value in block.items()
            }
            for block in content
        ]
    more = {"requestId": row["requestId"] + mark} if "requestId" in row else {}
    return {**row, **more, "message": message, "uuid": f"{row['uuid']}{mark}"}


def reads(*steps: str, size: int = 4_000) -> list[Row]:
    """Reads (`r`) and changes (`w`) of one file, compactions (`c`); then a response that reads all of it."""
    number, rows = count(), []
    for step in steps:
        at_minute = next(number)
        name = f"n{at_minute}"
        if step == "c":
            cut = {"type": "system", "subtype": "compact_boundary", "timestamp": at(at_minute)}
            rows.append({**cut, "uuid": f"u-{name}", "cwd": CWD, "compactMetadata": {}})
            continue
        tool = "Read" if step == "r" else "Edit"
        given = {"file_path": "/home/dev/shop/secret_plan.py"}
        read = 50_000 if at_minute else 0
        rows += [called(name, at_minute, tool, given, five=1_000, read=read), answered(name, at_minute + 0.5, "z" * size)]  # fmt: skip
    rows.append(said("end", next(number), read=60_000))
    return rows


def test_a_file_read_again_and_again_is_worth_its_repeated_answers(office: Office) -> None:
    office.tree.main("s1", *reads("r", "r", "r", "r"))
    found = office.finding(AGAIN)
    assert found["facts"] == {
        "files": 1,
        "reads": 4,
        "again": 3,
        "characters": 12_000,
        "tokens": 3_000,
        "tokenizer": "chars/4",
    }
    # answers come in at the next response: two of them are written there, the last meets one that writes nothing;
    # the first is read twice after, the second once
    assert found["worth"]["tokens"] == 2_000 + 3_000
    assert found["worth"]["usd"] == "0.014"
    assert found["confidence"] == "low"
    (row,) = found["evidence"][0]["rows"]
    file = row.pop(3)
    assert row == ["s1", CWD, "main", 4, 3, 12_000, 3_000, 5_000, "0.014"]
    assert len(file) == 12
    assert set(file) <= set("0123456789abcdef")


def test_a_read_after_a_change_or_a_compaction_is_no_repetition(office: Office) -> None:
    office.tree.main("s1", *reads("r", "w", "r", "r", "w", "r", "c", "r", "r"))
    assert office.outcome(AGAIN) == ("nothing", None)


def test_the_user_s_own_habit_raises_what_is_again_and_again(office: Office) -> None:
    office.tree.main("s1", *reads(*"rrrrrrr"))
    assert judged(office.judge(), AGAIN)["threshold"] == {
        "used": 6,
        "floor": 3,
        "percentile": {"of": "repeats-of-a-file", "p": 90, "value": 6},
        "decides": "finding",
    }


def test_where_detail_cannot_be_kept_nothing_is_said_of_tools(office: Office) -> None:
    office.tree.main("s1", said("a", 0))
    (office.settings_data() / "detail.sqlite").mkdir(parents=True)
    assert office.outcome(MCP) == ("not judged", "no-detail")
    assert office.judge()["detail"] is None
