"""What an entry starts or reaches, without what may be a secret.

It knows how secrets look on a command line: what stands under a telling name, before the host of an address, behind its
question mark, and long words that nobody chose. It would rather hide too much: whoever has to judge an entry is shown
it whole elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

__all__ = ["MASK", "judged_variable", "masked", "masked_variables", "masked_words"]

MASK = "…"

_SHOWN = 160
_LONGEST = 1024

_NAME = (
    r"key|token|secret|passw|passphrase|pass(?![a-z])|pwd|auth|credential|signature|cookie|session|private|jwt|bearer"
    r"|(?<![a-z])(?:pat|sig|pin|sas|dsn)(?![a-z])"
)
_NAMED = re.compile(_NAME, re.IGNORECASE)
_ASSIGNED = re.compile(rf"(?:{_NAME})[\w.-]*[\"']?\s*[=:]", re.IGNORECASE)
_OPTION = re.compile(rf"--?[\w-]*(?:{_NAME})[\w-]*$", re.IGNORECASE)
_LOGIN_OPTION = re.compile(r"-u$|--user$")
_PAIR = re.compile(r"[^:/\\]+:[^/\\]")
_HEADER_OPTION = re.compile(r"-H$|--header$", re.IGNORECASE)
_SCHEME = re.compile(r"\b(bearer|basic)\s+\S.*", re.IGNORECASE | re.DOTALL)
_LOGIN = re.compile(r"([a-z][a-z0-9+.-]*:(?://)?//)\S*@", re.IGNORECASE)
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*://[^\s?#]*)[?#]\S*", re.IGNORECASE)

_RUN = re.compile(r"[A-Za-z0-9_+=~-]{16,}")
_ISSUED = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[a-z]|npm|pypi|hf|key)[-_](?=\D*\d)[-\w]{10,}"
    r"|(?:AKIA|ASIA|AIza|eyJ)[-\w]{10,}"
)
"""Tokens whose issuers give them a name in front."""
_IDENTITY = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{32,}={0,2}")
_DECIDES = re.compile(
    r"askpass|auth_sock|helper|command|logfile|^git_config_key_\d+$", re.IGNORECASE
)
"""Variables that may be called as secrets are, and are none."""
_LONG_PART, _LONG_LETTERS = 16, 20


def masked(text: str) -> str:
    """Return a word of a command, or the value of a variable, without what looks like a secret."""
    if len(text) > _LONGEST:
        return MASK
    text = _LOGIN.sub(rf"\1{MASK}@", text)
    text = _ADDRESS.sub(rf"\1?{MASK}", text)
    named = _ASSIGNED.search(text)
    if named is not None:  # to the end: nothing says where a value ends that may hold anything
        text = text[: named.end()] + MASK
    text = _SCHEME.sub(rf"\1 {MASK}", text)
    if _ENCODED.fullmatch(text) and _changes(text) * 4 >= len(text):
        return MASK
    return _cut(_RUN.sub(lambda run: MASK if _is_random(run[0]) else run[0], text))


def judged_variable(name: str, value: str, spoken: str) -> str:
    """Return a variable as ``NAME=value`` for whoever has to judge what it makes of a command.

    A secret's value is hidden, unless its name says that it decides what runs, what is asked or where something is
    written, or a word *spoken* names it and so may run it.
    """
    hidden = _NAMED.search(name) and not _DECIDES.search(name) and name not in spoken
    return f"{name}={MASK if hidden else value}"


def masked_variables(variables: Mapping[str, object]) -> list[str]:
    """Return variables, each as ``NAME=value``."""
    return [
        f"{name}={MASK if _NAMED.search(name) else masked(str(value))}"
        for name, value in variables.items()
    ]


def masked_words(words: Iterable[str]) -> list[str]:
    """Return the words of a command; what follows an option with a telling name is hidden whole."""
    shown: list[str] = []
    before = ""
    for word in words:
        if _OPTION.match(before) or (_LOGIN_OPTION.match(before) and _PAIR.match(word)):
            shown.append(MASK)
        elif _HEADER_OPTION.match(before):
            shown.append(f"{masked(word.partition(':')[0])}:{MASK}")
        else:
            shown.append(masked(word))
        before = word
    return shown


def _is_random(run: str) -> bool:
    """Tell whether nobody chose this: its letters and digits change more often than those of words do."""
    if _ISSUED.search(run) or _IDENTITY.search(run):
        return True
    return any(_is_mixed(part) for part in re.split(r"[^A-Za-z0-9]", run))


def _is_mixed(part: str) -> bool:
    if len(part) < _LONG_PART or part.isdigit():
        return False
    if any(map(str.isdigit, part)):
        kinds = ["d" if sign.isdigit() else "l" for sign in part]
        return sum(one != next_ for one, next_ in pairwise(kinds)) >= 3
    return len(part) >= _LONG_LETTERS and _changes(part) * 5 >= len(part) * 2


def _changes(text: str) -> int:
    """Return how often a small letter, a great one, a digit or a sign follows one of another kind."""
    kinds = [
        0 if sign.islower() else 1 if sign.isupper() else 2 if sign.isdigit() else 3
        for sign in text
    ]
    return sum(one != next_ for one, next_ in pairwise(kinds))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + MASK
