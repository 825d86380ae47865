"""Which entry a name means, and the options that tell it from the others: each leads to one entry alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import UsageError
from econome.lean.install.choosing import Where, choose, options_for
from tests.requirements import requirement

pytestmark = requirement("L18")

USER, CURSOR = Where("claude-code", "/h/c.json", ("m",)), Where("cursor", "/h/m.json", ("m",))
OTHER = Where("claude-code", "/o/c.json", ("m",))
HERE, ABOVE = (
    Where("claude-code-local", "/h/c.json", ("projects", folder, "m")) for folder in ("/r/s", "/r")
)


@pytest.mark.parametrize(
    "others, options",
    [
        ([], []),
        ([USER], []),
        ([USER, CURSOR, HERE], ["--client", "claude-code"]),
        ([OTHER], ["--config", "/h/c.json"]),
        ([OTHER, HERE], ["--client", "claude-code", "--config", "/h/c.json"]),
    ],
)
def test_options_say_as_little_as_tells_an_entry_from_the_others(
    others: list[Where], options: list[str]
) -> None:
    assert options_for(USER, others) == options


_PLACES = st.lists(
    st.builds(Where, st.sampled_from("abc"), st.sampled_from("xyz"), st.just(("m",))), unique=True
)


@given(_PLACES)
def test_options_lead_to_one_entry_alone(places: list[Where]) -> None:
    for place in places:
        words = options_for(place, places)
        asked = dict(zip(words[::2], words[1::2], strict=True))
        left = [
            each
            for each in places
            if each.client == asked.get("--client", each.client)
            and each.path == asked.get("--config", each.path)
        ]
        assert left == [place]


def test_one_entry_is_the_one_that_is_meant() -> None:
    assert choose("gh", [(USER, 1)]) == (USER, 1)


def test_of_several_directories_the_nearest_is_meant() -> None:
    assert choose("gh", [(ABOVE, 1), (HERE, 2)], ["/r/s", "/r"]) == (HERE, 2)
    assert choose("gh", [(ABOVE, 1), (HERE, 2)], ["/r"]) == (ABOVE, 1)
    with pytest.raises(UsageError, match=r"several directories .* go to one of: /r, /r/s"):
        choose("gh", [(ABOVE, 1), (HERE, 2)], ["/x"])


def test_several_entries_are_named_with_what_chooses_each() -> None:
    with pytest.raises(UsageError) as caught:
        choose("gh", [(USER, 1), (CURSOR, 2)], ["/r"])
    assert str(caught.value) == (
        "gh: several entries have this name; choose with --client claude-code or --client cursor"
    )
