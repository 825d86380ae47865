"""The sessions of the demo tree, told in the order of the calendar."""

from __future__ import annotations

from econome.demo.ledger import Ledger, Spent
from econome.demo.plan import Sitting
from econome.demo.story import File, Story
from econome.demo.transcript import Line, Setting, Transcript, instant
from econome.demo.words import Dice

__all__ = ["tell"]

# USD per million tokens as a client reports them: input, output, cache read, 5m write, 1h write.
# Only the `cost-state` records of the tree use it; reports price from the price table.
_CLAIMED = {
    "claude-opus-5-5": (4.0, 20.0, 0.2, 5.0, 8.0),
    "claude-opus-4-8": (5.0, 25.0, 0.5, 6.25, 10.0),
    "claude-sonnet-5-5": (2.0, 10.0, 0.1, 2.5, 4.0),
    "claude-haiku-4-5-20251001": (1.0, 5.0, 0.1, 1.25, 2.0),
    "claude-haiku-5-5": (0.1, 0.5, 0.01, 0.125, 0.2),
}


def tell(dice: Dice, ledger: Ledger, sitting: Sitting, today: int, before: Story | None) -> Story:
    """Return the story of one session; *before* is the session a fork starts from."""
    start_ms = ((today - sitting.age) * 1440 + sitting.minute) * 60_000 + dice.randrange(60_000)
    session = dice.uuid()
    project = sitting.project
    branch, copied = sitting.branch, list[Line]()
    if sitting.feature in ("fork", "resume") and before is not None:
        origin = before.main
        while session < origin.setting.session:  # the origin's path sorts first
            session = dice.uuid()
        branch, copied = origin.setting.branch, origin.lines[: len(origin.lines) * 3 // 5]
        if sitting.feature == "fork":  # it rewrites the session id in the lines it copies
            copied = [line | {"sessionId": session} for line in copied]
    setting = Setting(session, project.cwd, branch, sitting.version)
    main = Transcript(dice, ledger, setting, sitting.model, start_ms, hourly=sitting.hourly)
    story = Story(sitting, main)
    if copied:
        main.lines.extend(copied)
        main.waiting += 9_000
    else:
        main.lines.append({"type": "file-history-snapshot", "messageId": dice.uuid()})
    for number in range(3 + dice.randrange(4)):
        if number:
            main.wait(_pause(dice))
        story.turn(main, 2 + dice.randrange(5))
        _happen(story, number)
    main.note("ai-title", aiTitle=dice.sentence())
    if sitting.age < 12:
        main.lines.append(_cost_state(dice, ledger.of_session(session), session))
    story.files.insert(0, File(f"{project.slug}/{session}.jsonl", main.lines))
    return story


def _pause(dice: Dice) -> int:
    """Return the milliseconds until the next prompt: most within five minutes, some far longer."""
    return dice.about(dice.choices((70_000, 540_000, 3_900_000), (12, 4, 1))[0])


def _happen(story: Story, number: int) -> None:
    """Add what is special about the session after its turn *number*."""
    main, feature = story.main, story.sitting.feature
    dice = main.dice
    ordinary = feature in ("", "unpriced") and story.sitting.rank % 2 == 0
    if ordinary and number in (0, 2):
        story.agent(main, shown=dice.choice(("both", "both", "meta", "call")))
    elif ordinary and number == 1:
        main.failure()
        main.system("api_error", retryAttempt=1, retryInMs=520.5)
    elif feature == "old-build" and number == 1:
        story.agent(main, shown="call")
        _repeat_as_progress(story)
    elif feature == "nested" and number == 0:
        story.agent(main, nested=True)
    elif feature == "workflow" and number == 0:
        story.agent(main, shown="meta")
    elif feature == "flat-agent" and number < 2:
        story.agent(main, shown=("call", "nothing")[number])
    elif feature == "inline-agent" and number == 0:
        story.inline_agent()
    elif feature == "compaction" and number == 1:
        story.compact()
    elif feature == "suggestion" and number == 1:
        story.repeat_and_ask("prompt_suggestion", "suggestion", 12, 60)
    elif feature == "side-question" and number == 1:
        story.repeat_and_ask("side_question", "side question", 12, 220)
    else:
        _ask_specially(main, feature, number)


def _ask_specially(main: Transcript, feature: str, number: int) -> None:
    text: list[Line] = [{"type": "text", "text": main.dice.text(200)}]
    if feature == "fast":
        main.answer(text, 640, speed="fast")
    elif feature == "us-only":
        main.answer(text, 480, inference_geo="us")
    elif feature == "search" and number < 2:
        found = {"web_search_requests": 2 + number, "web_fetch_requests": 1}
        main.answer(text, 520, server_tool_use=found)
    elif feature == "long-prompt" and number == 0:
        main.waiting += 108_000
        main.answer(text, 300)
    elif feature == "advisor" and number == 1:
        counters = {"input_tokens": 5200, "output_tokens": 310}
        other = {"type": "advisor_message", "model": "claude-opus-4-8", **counters}
        main.answer(text, 400, iterations=[{"type": "message"}, other])
    elif feature == "refusal" and number == 1:
        refused: Line = {"type": "message", "model": "claude-opus-4-8", "input_tokens": 3}
        refused |= {"output_tokens": 12, "cache_creation_input_tokens": 20_000}
        tried = [refused, {"type": "fallback_message", "model": "claude-opus-4-6"}]
        main.system("model_refusal_fallback")
        main.answer(text, 350, model="claude-opus-4-6", iterations=tried)


def _repeat_as_progress(story: Story) -> None:
    """Embed a sub-agent's lines in the parent's file, as versions before 2.1.84 did."""
    agent = next(file for file in story.files if "/agent-" in file.path)
    for line in agent.lines[:6]:
        story.main.progress({"type": "agent_progress", "message": line})


def _cost_state(dice: Dice, own: list[Spent], session: str) -> Line:
    """Return the client's own sum of a session: its responses, and a little no line shows."""
    usage: dict[str, Line] = {}
    title = Spent("claude", session, "main", "claude-haiku-4-5-20251001", None, 900, 40, 0, 0, 0)
    for spent in [*own, title]:
        row = usage.setdefault(
            spent.model,
            dict.fromkeys(
                ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens",
                 "webSearchRequests"), 0,
            ) | {"costUSD": 0.0},
        )  # fmt: skip
        row["inputTokens"] += spent.input
        row["outputTokens"] += spent.output
        row["cacheReadInputTokens"] += spent.cache_read
        row["cacheCreationInputTokens"] += spent.write_5m + spent.write_1h
        row["webSearchRequests"] += spent.web_searches
        counters = (spent.input, spent.output, spent.cache_read, spent.write_5m, spent.write_1h)
        rates = _CLAIMED.get(spent.model, (0.0,) * 5)
        cost = sum(count * rate for count, rate in zip(counters, rates, strict=True)) / 1e6
        row["costUSD"] = round(row["costUSD"] + cost, 6)
    started = min((spent.at_ms for spent in own if spent.at_ms is not None), default=0)
    return {
        "type": "cost-state",
        "sessionId": session,
        "totalCostUSD": round(sum(row["costUSD"] for row in usage.values()), 6),
        "totalDuration": 60_000 + dice.randrange(9_000_000),
        "startTime": instant(started),
        "modelUsage": usage,
    }
