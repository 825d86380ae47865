"""The rule about menus that are sent with every turn."""

from __future__ import annotations

from econome.contract.kept import keep
from econome.contract.measured import Economy, Measured
from tests.diagnosis.office import Office, answered, called, said

HEAVY = "heavy-menu"


def measured(office: Office, server: str, tokens: int, *after: tuple[str, int]) -> None:
    """Keep a profile of a server, with the tokens of a turn under some economies."""
    economies = tuple(Economy(name, 1, "the menu", "turn", tokens, left, "counted") for name, left in after)  # fmt: skip
    made = Measured(
        "econome.kept/1", server, "2026-05-01T00:00:00Z", "stdio", "chars/4", True, 12, tokens, 0,
        economies=(*economies, Economy("tables", 1, "an answer", "answer", 90_000, 0, "counted")),
    )  # fmt: skip
    keep(str(office.settings_data()), [made])


def test_a_heavy_menu_is_worth_what_its_best_economy_would_have_spared_of_each_reading(
    office: Office,
) -> None:
    measured(office, "my files", 20_000, ("lazy", 2_000), ("short", 15_000))
    measured(office, "other", 30_000, ("lazy", 1_000))
    office.tree.main(
        "s1",
        called("a", 0, "mcp__my_files__list", five=25_000),
        answered("a", 0.5, "x"),
        said("b", 1, read=25_000),
        said("c", 2, read=10_000),
    )
    office.tree.main("s2", said("d", 5, read=100_000))
    found = office.finding(HEAVY)
    # 18,000 of the 25,000 that the second read, the 10,000 of the third; the first read nothing
    assert found["worth"] == {
        "tokens": 28_000,
        "usd": "0.014",
        "partial": False,
        "basis": "estimated",
        "method": "menu-of-every-turn",
    }
    assert found["facts"] == {"servers": 1, "menu_tokens": 20_000, "turns": 2}
    assert found["evidence"][0]["rows"] == [
        ["my files", 20_000, 3, 30_000, "lazy", 28_000, "0.014"]
    ]


def test_a_light_menu_or_one_without_an_economy_is_no_finding(office: Office) -> None:
    office.tree.main("s1", called("a", 0, "mcp__files__list"), said("b", 1, read=50_000))
    assert office.outcome(HEAVY) == ("not judged", "no-profile")
    measured(office, "files", 4_000, ("lazy", 100))
    assert office.outcome(HEAVY) == ("nothing", None)
    measured(office, "files", 40_000)
    assert office.outcome(HEAVY) == ("nothing", None)


def test_two_menus_share_what_a_response_read(office: Office) -> None:
    measured(office, "one", 20_000, ("lazy", 2_000))
    measured(office, "two", 20_000, ("lazy", 2_000))
    office.tree.main(
        "s1", called("a", 0, "mcp__one__x"), called("b", 1, "mcp__two__x", read=30_000)
    )
    found = office.finding(HEAVY)
    assert found["worth"]["tokens"] == 30_000
    assert [(row[0], row[5]) for row in found["evidence"][0]["rows"]] == [
        ("one", 18_000),
        ("two", 12_000),
    ]


def test_a_session_that_searches_for_tools_was_sent_no_menu(office: Office) -> None:
    measured(office, "files", 20_000, ("lazy", 2_000))
    office.tree.main(
        "s1",
        called("a", 0, "ToolSearch"),
        called("b", 0, "mcp__files__x", day=1, read=30_000),
    )
    assert office.outcome(HEAVY) == ("nothing", None)
    assert office.outcome(HEAVY, since=1) == ("nothing", None)
