"""What can be done about each finding of the diagnosis: one to three steps, in the reader's language.

A step names a command or a setting only where Claude Code or econome has it. What stands between backquotes is typed as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econome.server.telling import Telling

__all__ = ["steps"]


def steps(told: Telling) -> Mapping[str, Sequence[str]]:
    """Return the steps by the id of the rule."""
    return {**_of_caches(told), **_of_agents(told), **_of_contexts(told), **_of_the_rest(told)}


def _of_caches(told: Telling) -> Mapping[str, Sequence[str]]:
    return {
        "cache-rebuilt-after-pause": (
            told.text(
                "Before a long pause, end the task: `/clear` where another one follows, or `/compact` while the cache still "
                "lives. What is short is written again cheaply."
            ),
            told.text(
                'With an API key or a cloud provider the cache lives 5 minutes. `"promptCacheTtl": "1h"` in the settings of '
                "a recent Claude Code makes it an hour. Writing to it then costs 2 times the price of input, not 1.25: it pays where "
                "most pauses are shorter than an hour."
            ),
        ),
        "hour-writes-unread": (
            told.text(
                "Runs that ask once and end, such as `claude -p` in a script, gain nothing from a cache of an hour: start them "
                "with `FORCE_PROMPT_CACHING_5M=1`."
            ),
            told.text(
                'Where most sessions are short, `"promptCacheTtl": "5m"` in the settings of a recent Claude Code does so for all. '
                "It makes pauses of more than 5 minutes dearer."
            ),
        ),
    }


def _of_agents(told: Telling) -> Mapping[str, Sequence[str]]:
    return {
        "dear-model-in-sub-agents": (
            told.text(
                "Give an agent of your own a cheaper model: `model: haiku` or `model: sonnet` at the head of its file in "
                "`.claude/agents/`. Without such a line it takes the model of the session."
            ),
            told.text(
                "`CLAUDE_CODE_SUBAGENT_MODEL=sonnet` is the model of all agents whose file names none. In recent versions of "
                "Claude Code the built-in Explore and Plan keep theirs."
            ),
            told.text(
                "Compare what comes back for a few days: a cheaper model that has to be asked twice saves nothing."
            ),
        ),
        "fan-out-above-norm": (
            told.text(
                "Open the dearest session below, and see which agents it started and what each of them cost."
            ),
            told.text(
                "Say in the prompt, or in `CLAUDE.md`, which work is worth an agent of its own: each one reads its context anew."
            ),
            told.text(
                'An agent you never want: `"permissions": {"deny": ["Agent(NAME)"]}` in the settings of Claude Code.'
            ),
        ),
        "delegation-loses": (
            told.text("`econome balance --by preset` says which preset loses, and by how much."),
            told.text(
                "`econome presets test` shows how well a model does with its presets. Leave out one whose answers have to be "
                "corrected, or give its tasks to another model."
            ),
        ),
    }


def _of_contexts(told: Telling) -> Mapping[str, Sequence[str]]:
    return {
        "same-file-read-again": (
            told.text(
                "Ask for the part that is needed (a function, a range of lines): reading takes `offset` and `limit`."
            ),
            told.text(
                "What is looked up in every session belongs into `CLAUDE.md`, in a few lines; a file too large to read at once is "
                "worth splitting."
            ),
        ),
        "compaction-again": (
            told.text(
                "`/clear` where a new task begins, so that the old one is neither carried along nor summed up."
            ),
            told.text(
                "`/context` shows what fills the context. Long searches can go to a sub-agent, which brings back only the result."
            ),
            told.text(
                "Where a task is long, `/compact` with a sentence on what to keep, at a moment you choose, loses less than one that "
                "comes by itself."
            ),
        ),
        "long-prompt-for-little": (
            told.text(
                "`CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000` lets Claude Code compact before prompts reach the dearer band."
            ),
            told.text("`CLAUDE_CODE_DISABLE_1M_CONTEXT=1` takes the long window away altogether."),
            told.text("`/clear` between tasks keeps most sessions below it."),
        ),
    }


def _of_the_rest(told: Telling) -> Mapping[str, Sequence[str]]:
    return {
        "mcp-answers-dominate": (
            told.text(
                "Ask for less where the tool lets you: fewer rows, fewer fields, a filter. A line in `CLAUDE.md` is enough."
            ),
            told.text(
                "`econome profile --transcripts` says what the answers of each server weighed; `econome proxy install` sends a "
                "server through a proxy that makes its answers cheaper."
            ),
            told.text(
                "`MAX_MCP_OUTPUT_TOKENS` (25,000 unless you set it) bounds how much of one answer reaches the context."
            ),
        ),
        "unusual-day": (
            told.text(
                "Look at the day: which model, which project, which session. A large task explains most of them, and then nothing "
                "needs to change."
            ),
        ),
        "heavy-menu": (
            told.text(
                "`econome profile --config FILE` shows what each tool weighs; `/mcp` turns off a server you do not need, "
                "`claude mcp remove NAME` takes it out."
            ),
            told.text(
                "`ENABLE_TOOL_SEARCH=true` lets Claude Code load tools only when they are wanted. It is the default, but behind a "
                "gateway of your own (`ANTHROPIC_BASE_URL`)."
            ),
            told.text(
                "`econome proxy install` sends a server through a proxy that shortens its menu."
            ),
        ),
    }
