"""How a client is answered goes by its name."""

from __future__ import annotations

import pytest

from econome.lean.policies import STRANGER, Policy, policy_of
from tests.requirements import requirement

pytestmark = requirement("L10")

CLAUDE = Policy("claude-code", text=True, menu="auto")


@pytest.mark.parametrize(
    ("client", "policy"),
    [
        ("claude-code", CLAUDE),
        ("claude-code/2.1", CLAUDE),
        ("Claude", STRANGER),
        ("cursor", STRANGER),
        ("", STRANGER),
        (None, STRANGER),
    ],
)
def test_a_client_is_known_by_how_its_name_begins(client: str | None, policy: Policy) -> None:
    assert policy_of(client) == policy


def test_who_is_not_known_keeps_structure_and_a_flat_menu() -> None:
    assert Policy("*", text=False, menu="flat") == STRANGER


@pytest.mark.parametrize(
    ("client", "policy"),
    [
        ("claude-code", Policy("claude-code", text=True, menu="flat")),
        ("cursor-vscode", Policy("cursor", text=True, menu="lean")),
        ("other", Policy("*", text=False, menu="lean")),
        (None, Policy("*", text=False, menu="lean")),
    ],
)
def test_rules_overrule_the_longest_name_last(client: str | None, policy: Policy) -> None:
    rules: dict[str, dict[str, object]] = {
        "*": {"menu": "lean"},
        "claude-code": {"menu": "flat"},
        "cursor": {"text": True},
    }
    assert policy_of(client, rules) == policy
