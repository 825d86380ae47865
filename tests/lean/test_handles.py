"""What a handle gives away is bound to a principal, and to nobody who guesses: every handle is 128 random bits or more."""

from __future__ import annotations

import math
import re
import string

from mcp.server.mcpserver import MCPServer

from econome.lean import economy, lean
from econome.lean.proxy.opening import Wishes, opened
from econome.settings import load
from tests.lean.library import ERAS, asked, run, shop
from tests.requirements import requirement

HEX, URL_SAFE = "0123456789abcdef", string.ascii_letters + string.digits + "-_"
MANY = 64


def bits(handles: list[str]) -> float:
    """Return how many bits each of these says, by its length and by the letters that are seen in all of them."""
    assert len(set(handles)) == len(handles)
    seen = set("".join(handles))
    letters = HEX if seen <= set(HEX) else URL_SAFE
    assert seen <= set(letters)
    assert len(seen) > len(letters) * 0.9  # so many random letters leave hardly one out
    return min(map(len, handles)) * math.log2(len(letters))


@requirement("L7")
def test_the_handle_of_a_cut_answer_says_128_random_bits() -> None:
    kept = opened(load(), Wishes("shop")).lean.kept
    assert kept is not None
    handles = [kept.put("me", f"text {at}", plain=True) for at in range(MANY)]
    assert bits([handle for handle in handles if handle is not None]) >= 128


@requirement("L4")
@ERAS
def test_the_handle_of_a_workflow_says_128_random_bits(era: str) -> None:
    async def body() -> None:
        server, _ = shop()
        async with asked(server, era) as one:
            said = [await one.said("add", item="hat") for _ in range(MANY)]
        assert bits([texts[-1].removeprefix("workflow: ") for texts in said]) >= 128

    run(body)


@requirement("L7")
@ERAS
def test_the_handle_of_an_answer_that_the_library_cut_says_128_random_bits(era: str) -> None:
    async def body() -> None:
        server = MCPServer("desk")

        @server.tool()
        @economy(limit=1)
        def rows(at: int) -> list[dict[str, str]]:
            """Rows of a page."""
            return [{"id": f"{at}-{n}", "title": f"title {n} of page {at}"} for n in range(20)]

        lean(server)
        async with asked(server, era) as one:
            said = ["\n".join(await one.said("rows", at=at)) for at in range(MANY)]
        handles = [
            found[1] for text in said if (found := re.search(r'handle"?[:=]"([^"]+)"', text))
        ]
        assert len(handles) == MANY
        assert bits(handles) >= 128

    run(body)
