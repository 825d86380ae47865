"""The page of usage says in every part what the one report of the same question says, and what that leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from econome import settings
from econome.demo.tree import write
from econome.server.desk import Desk
from econome.times import day_number
from tests.builders import Tree, assistant, counts
from tests.requirements import requirement
from tests.server.drawn import titles
from tests.server.usage_page import Marks, Query, page, report, rows, show, tiles

OPUS, HAIKU, UNKNOWN = "claude-opus-4-8", "claude-haiku-4-5-20251001", "claude-example-9"
PARTS = ("daily", "models", "projects", "agents", "hours", "sessions")


@pytest.fixture
def tree(home: Path) -> Tree:
    return Tree(home / "claude")


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


@pytest.fixture
def demo(home: Path) -> None:
    """Fill the home with the made-up tree, which has everything that is odd."""
    for root, name in zip(
        write(home / "made", day_number(2026, 10, 17)).roots, ("claude", "codex"), strict=True
    ):
        (home / name).rmdir()
        root.rename(home / name)


QUERIES: tuple[Query, ...] = (
    (("days", "30"),),
    (("days", "all"),),
    (("since", "2026-09-10"), ("until", "2026-10-05")),
    (("days", "all"), ("model", "opus-4-8")),
    (("days", "7"), ("agent", "main")),
    (("days", "90"), ("source", "codex")),
    (("until", "2026-10-01"), ("project", "lantern")),
)


@requirement("V8", "F11", "V2", "V5", "V6", "V7")
@pytest.mark.usefixtures("demo")
def test_every_part_adds_up_to_the_report_of_the_same_question(desk: Desk) -> None:
    for pairs in QUERIES:
        _adds_up(desk, pairs)


def _adds_up(desk: Desk, pairs: Query) -> None:
    total = report(*pairs)["total"]
    for part in PARTS:
        found = rows(desk, part, *pairs)
        costs = [Decimal(row["cost_usd"]) for row in found if row["cost_usd"] is not None]
        assert sum(costs) == Decimal(total["cost_usd"] or 0), part
        assert sum(row["responses"] for row in found) == total["responses"], part
        for name in ("input_tokens", "output_tokens", "cache_read_tokens"):
            if found and name in found[0]:
                assert sum(row[name] for row in found) == total[name], part
    daily = rows(desk, "daily", *pairs)
    for row in daily:
        split = [Decimal(value or 0) for key, value in row.items() if key.startswith("cost_usd:")]
        assert sum(split) == Decimal(row["cost_usd"] or 0)
    assert {row["model"] for row in rows(desk, "models", *pairs)} == {
        row["model"] for row in report(*pairs, by="model")["rows"]
    }
    fanned = sum(Decimal(row["delegated_usd"] or 0) for row in rows(desk, "fanout", *pairs))
    assert fanned == sum(
        Decimal(row["cost_usd"] or 0)
        for row in rows(desk, "agents", *pairs)
        if row["agent"] != "main"
    )


@requirement("V1", "P4", "P9", "F13")
@pytest.mark.usefixtures("demo")
def test_the_tiles_stand_in_their_order_and_say_where_they_are_lower_bounds(desk: Desk) -> None:
    total = report(("days", "30"))["total"]
    text = page(desk)
    assert tiles(text) == [
        "Estimated cost", f"≥\u00a0${Decimal(total['cost_usd']):.2f}", "partial",
        "Sessions", str(total["sessions"]),
        "Responses", f"{total['responses']:,}",
        "Tokens in", f"{total['input_tokens'] / 1000:.1f}K", "without the cache",
        "Tokens out", f"≥\u00a0{total['output_tokens'] / 1000:.1f}K", "a lower bound",
        "Cache read", f"{total['cache_read_tokens'] / 1e6:.1f}M",
        "at 5% to 10% of the input price, by model",
    ]  # fmt: skip
    said = Marks(text).text
    assert "API list prices" in said
    assert "not what a subscription paid" in said
    assert (
        "claude-example-9 ( 560,173 tokens )" in said or "claude-example-9 (560,173 tokens)" in said
    )
    assert "1 refused attempt" in said
    assert "First day covered: Sep 3, 2026" in said
    assert "never wrote their final output" in said


@requirement("V9", "V11")
def test_a_link_to_the_diagnosis_and_the_manual_stand_at_the_top(desk: Desk, tree: Tree) -> None:
    tree.main("s1", assistant())
    before = page(desk).partition('class="tiles"')[0].partition("<main")
    assert 'href="/diagnosis"' in before[2]
    assert 'href="/manual/usage"' in before[0]


@requirement("V2", "V4", "V8")
def test_a_series_is_hidden_by_its_legend_and_the_rest_is_drawn_anew(
    desk: Desk, tree: Tree
) -> None:
    times = [f"2026-10-{day:02d}T10:00:00Z" for day in (3, 4, 9)]
    tree.main("s1", *(assistant(f"a{at}", time=time, model=OPUS) for at, time in enumerate(times)))
    tree.main("s2", assistant("b", time=times[0], model=HAIKU))
    whole = show(desk, rest="figures/daily.svg").body.decode()
    assert len([text for text in titles(whole) if "opus" in text]) == 3
    text = page(desk)
    link = f"/usage?{urlencode({'hide': OPUS})}"
    assert f'hx-get="{link}"' in text
    part = page(desk, ("hide", OPUS), part="daily")
    assert "<html" not in part
    assert 'class="off"' in part
    assert 'href="/usage"' in part
    left = show(desk, ("hide", OPUS), rest="figures/daily.svg").body.decode()
    assert not [text for text in titles(left) if "opus" in text]
    assert [text for text in titles(left) if "haiku-4-5" in text]
    assert rows(desk, "daily", ("hide", OPUS)) == rows(desk, "daily")


@requirement("V2")
@pytest.mark.parametrize(
    ("since", "count", "first"),
    [
        ("2026-09-18", 30, "2026-09-18"),
        ("2026-06-20", 120, "2026-06-20"),
        ("2026-06-19", 18, "2026-W25"),
        ("2020-01-05", 82, "2020-01"),
    ],
)
def test_there_is_one_stack_a_day_until_there_would_be_too_many(
    desk: Desk, tree: Tree, since: str, count: int, first: str
) -> None:
    tree.main(
        "s1", assistant("a", time=f"{since}T10:00:00Z"), assistant("b", time="2026-10-17T10:00:00Z")
    )
    found = rows(desk, "daily", ("since", since), ("until", "2026-10-17"))
    assert len(found) == count
    assert (found[0]["span"], sum(row["responses"] for row in found)) == (first, 2)


@requirement("V2", "V8")
def test_a_stack_of_several_days_leads_to_those_of_them_that_are_in_the_period(
    desk: Desk, tree: Tree
) -> None:
    days = "2026-05-13", "2026-05-14", "2026-09-25", "2026-09-26"  # a week goes on either side
    tree.main("s1", *(assistant(day, time=f"{day}T10:00:00Z") for day in days))
    text = page(desk, ("since", days[1]), ("until", days[2]))
    links = [values["href"] or "" for tag, values in Marks(text).tags if tag == "a"]
    for first, last in ((days[1], "2026-05-17"), ("2026-09-21", days[2])):
        assert f"/usage?since={first}&until={last}" in links
        total = report(("since", first), ("until", last))["total"]
        assert total["responses"] == 1


@requirement("V3")
def test_a_model_keeps_its_colour_in_every_period_and_past_the_palette_all_are_neutral(
    desk: Desk, tree: Tree
) -> None:
    models = [f"claude-example-{at}" for at in range(9)]
    tree.main(
        "s1",
        *(
            assistant(f"a{at}", model=model, usage=counts(output=900 - at))
            for at, model in enumerate(models)
        ),
    )
    little: dict[str, Any] = {"usage": counts(0, 1, 0, 0), "time": "2026-10-17T10:00:00Z"}
    tree.main(
        "s2", assistant("z", model=models[-1], **little), assistant("y", model=models[2], **little)
    )
    assert (
        _key(page(desk, ("days", "all")), "example-2") == _key(page(desk), "example-2") == "part-2"
    )
    assert (
        _key(page(desk, ("days", "all")), "example-8")
        == _key(page(desk), "example-8")
        == "part-rest"
    )


def _key(text: str, name: str) -> str:
    """Return the pattern beside a model's name in the table of models."""
    held = text.partition('id="models"')[2].partition("</section>")[0].partition(f"{name}</bdi>")[0]
    return held.rpartition("url(#")[2].partition(")")[0]


@requirement("V5", "P4")
def test_models_are_shortened_and_what_has_no_price_is_not_available(
    desk: Desk, tree: Tree
) -> None:
    tree.main("s1", assistant("a", model=HAIKU), assistant("b", model=UNKNOWN))
    part = Marks(page(desk, ("days", "all"), part="models"))
    assert "haiku-4-5" in part.texts
    assert "n/a" in part.texts
    assert HAIKU in {attributes.get("title") for _, attributes in part.tags}
    found = {row["model"]: row["cost_usd"] for row in rows(desk, "models", ("days", "all"))}
    assert found[UNKNOWN] is None
    assert found[HAIKU] is not None


@requirement("V6", "F9")
def test_ten_projects_are_shown_with_their_whole_path_and_the_rest_is_summed_up(
    desk: Desk, tree: Tree
) -> None:
    for at in range(13):
        cwd = f"/home/dev/{'work' if at else 'archive'}/p{max(at, 1)}"
        tree.main(
            f"s{at}",
            assistant(f"a{at}", cwd=cwd, usage=counts(output=1000 * (at + 1))),
            slug=f"-p{at}",
        )
    text = page(desk, ("days", "all"), part="projects")
    assert text.count('scope="row"') == 11
    assert "3 more projects" in Marks(text).text
    assert "/home/dev/work/p12: $" in text
    assert ">p12<" in text
    assert len(rows(desk, "projects", ("days", "all"))) == 13
    wide = show(desk, ("days", "all"), rest="figures/projects.svg").body.decode()
    assert wide.count('width="100.00%"') == 1


@requirement("V7")
def test_the_share_of_sub_agents_is_the_headline(desk: Desk, tree: Tree) -> None:
    tree.main("s1", assistant("a", cwd="/x"), assistant("b", cwd="/x"), assistant("c", cwd="/x"))
    tree.agent("s1", "x1", assistant("d", cwd="/x"), meta={"agentType": "Explore"})
    text = Marks(page(desk, ("days", "all"), part="agents")).text
    assert "Sub-agents: 25.0% of the cost" in text
    (row,) = rows(desk, "fanout", ("days", "all"))
    assert (row["session"], row["share"], row["dearest"]) == ("s1", 0.25, "Explore")
    assert 'href="/session/s1"' in page(desk, ("days", "all"), part="fanout")


@requirement("V10")
def test_a_reload_looks_again_and_a_part_goes_on_with_what_the_page_shows(
    desk: Desk, tree: Tree
) -> None:
    tree.main("s1", assistant("a"))
    assert "1 session" in Marks(page(desk, ("days", "all"))).text
    tree.main("s1", assistant("a"), assistant("b"))
    tree.main("s2", assistant("c"))
    assert "1 session " in Marks(page(desk, ("days", "all"), part="sessions")).text
    text = page(desk, ("days", "all"))
    assert tiles(text)[2:6] == ["Sessions", "2", "Responses", "3"]
    assert "2 sessions " in Marks(page(desk, ("days", "all"), part="sessions")).text
    assert 'data-live="/api/v1/live"' in text


@requirement("F7", "F11")
def test_what_has_no_time_is_in_all_days_and_named(desk: Desk, tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", time="not a time"))
    assert "1 response has no usable time" in Marks(page(desk, ("days", "all"))).text
    undated = [
        row["responses"] for row in rows(desk, "daily", ("days", "all")) if row["span"] is None
    ]
    assert undated == [1]
    assert [
        row["responses"] for row in rows(desk, "hours", ("days", "all")) if row["hour"] is None
    ] == [1]
    assert "no usable time" not in page(desk)


@requirement("R1")
def test_without_a_transcript_it_says_where_it_looked_and_offers_the_demo(
    desk: Desk, home: Path
) -> None:
    text = Marks(page(desk)).text
    assert str(home / "claude" / "projects") in text
    assert "econome demo" in text
    assert page(desk, part="sessions").strip() == ""


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((("days", "31"),), "31"),
        ((("since", "yesterday"),), "yesterday"),
        ((("since", "2026-10-02"), ("until", "2026-10-01")), "ends before it begins"),
        ((("days", "7"), ("since", "2026-10-01")), "give one of them"),
        ((("source", "nobody"),), "nobody"),
        ((("model", "a"), ("model", "b")), "twice"),
    ],
)
@requirement("V8")
def test_a_wrong_value_is_told_and_is_no_fault(
    desk: Desk, tree: Tree, pairs: Query, said: str
) -> None:
    tree.main("s1", assistant())
    shown = show(desk, *pairs)
    assert shown.status == 400
    assert said in Marks(shown.body.decode()).text


@requirement("V8")
@pytest.mark.parametrize(
    "pairs",
    [
        (("since", "0001-01-01"), ("until", "0001-01-03")),
        (("until", "9999-12-31"),),
        (("since", "0001-01-01"),),
        (("page", "x"), ("sort", "y"), ("order", "z"), ("hide", "q")),
    ],
)
def test_the_ends_of_the_calendar_and_what_is_no_choice_are_no_fault(
    desk: Desk, tree: Tree, pairs: Query
) -> None:
    tree.main(
        "s1",
        *(
            assistant(f"a{at}", time=f"{year}T23:59:59Z")
            for at, year in enumerate(("0001-01-01", "9999-12-31", "2026-10-17"))
        ),
    )
    assert page(desk, *pairs)


@requirement("V8")
def test_filters_are_named_and_can_be_taken_away(desk: Desk, tree: Tree) -> None:
    tree.main("s1", assistant("a", model=HAIKU), assistant("b", model=OPUS))
    text = page(desk, ("days", "all"), ("model", HAIKU), ("page", "2"))
    held = text.partition('class="chosen"')[2].partition("</ul>")[0]
    assert HAIKU in Marks(held).texts
    assert 'href="/usage?days=all"' in held
    assert tiles(text)[5] == "1"


@requirement("F17")
def test_what_is_from_history_is_said(desk: Desk, tree: Tree, home: Path) -> None:
    path = home / "config" / "econome" / "config.toml"
    path.parent.mkdir()
    path.write_text("history = true\n", encoding="utf-8")
    kept = Desk(settings.load())
    gone = tree.main("s1", assistant("a"))
    tree.main("s2", assistant("b"))
    assert "From history" not in page(kept, ("days", "all"))
    gone.unlink()
    assert (
        "From history, since it is gone from disk: 1 file."
        in Marks(page(kept, ("days", "all"))).text
    )
    kept.close()
