"""The settings on delegation are read strictly, and what is not said has one meaning."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.options import BackendOptions, Options, read_options
from econome.errors import SettingsError
from tests.requirements import requirement

pytestmark = requirement("D5")

URL = "http://127.0.0.1:11434/v1"


def _read(delegation: dict[str, Any], backends: dict[str, Any] | None = None) -> Options:
    return read_options(delegation, backends or {}, "config.toml", "/home/me")


def test_nothing_said_is_the_usual() -> None:
    assert _read({}) == Options()


def test_everything_can_be_said() -> None:
    said = {
        "roots": ["~/code", "/srv/x", "~/code", "~"],
        "backend": "big",
        "queue": 3,
        "deadline_s": 60,
        "review_h": 0.5,
        "answers_days": 0,
        "max_file_kb": 1,
        "max_files_kb": 2,
        "detect": False,
        "opencode": "opencode-next",
        "sensitive": True,
    }
    big = {
        "url": URL + "/",
        "model": "m",
        "workers": 4,
        "key_env": "MY_KEY",
        "first_s": 5,
        "pause_s": 2,
    }
    assert {*said, "backends"} == {field.name for field in fields(Options)}
    assert {*big, "name"} == {field.name for field in fields(BackendOptions)}
    assert _read(said, {"big": big, "small": {"url": URL}}) == Options(
        roots=("/home/me/code", "/srv/x", "/home/me"),
        backend="big",
        queue=3,
        deadline_s=60.0,
        review_h=0.5,
        answers_days=0.0,
        max_file_kb=1,
        max_files_kb=2,
        detect=False,
        opencode="opencode-next",
        sensitive=True,
        backends=(
            BackendOptions("big", URL, "m", 4, "MY_KEY", 5.0, 2.0),
            BackendOptions("small", URL),
        ),
    )


@pytest.mark.parametrize(
    "name, value",
    [
        ("roots", "~/code"),
        ("roots", ["code"]),
        ("roots", [3]),
        ("roots", ["/a\0b"]),
        ("roots", ["~other/x"]),
        ("backend", ""),
        ("backend", 3),
        ("queue", 0),
        ("queue", 2.0),
        ("queue", True),
        ("deadline_s", 0),
        ("deadline_s", "900"),
        ("deadline_s", float("nan")),
        ("review_h", -1),
        ("answers_days", -1),
        ("max_file_kb", 1.5),
        ("max_files_kb", 10**9),
        ("detect", 1),
        ("opencode", []),
        ("sensitive", "yes"),
        ("backends", {}),
        ("deadline", 900),
    ],
)
def test_a_wrong_value_is_named(name: str, value: object) -> None:
    with pytest.raises(SettingsError) as caught:
        _read({name: value})
    assert (caught.value.path, caught.value.where) == ("config.toml", f"delegation.{name}")


@pytest.mark.parametrize(
    "name, value, where",
    [
        ("big", "http://x", "backends.big"),
        ("a b", {"url": URL}, "backends.a b"),
        ("big", {}, "backends.big.url"),
        ("big", {"url": "127.0.0.1:80"}, "backends.big.url"),
        ("big", {"url": "file:///etc/passwd"}, "backends.big.url"),
        ("big", {"url": "http://me:secret@host/v1"}, "backends.big.url"),
        ("big", {"url": "http://[::1/v1"}, "backends.big.url"),
        ("big", {"url": "http://[1.2.3.4]/v1"}, "backends.big.url"),
        ("big", {"url": "HTTPS://x/v1"}, "backends.big.url"),
        ("big", {"url": "http://x:ab/v1"}, "backends.big.url"),
        ("big", {"url": "http://x:/v1"}, "backends.big.url"),
        ("big", {"url": "http://x:0/v1"}, "backends.big.url"),
        ("big", {"url": "http://x:99999999/v1"}, "backends.big.url"),
        ("big", {"url": "http://x/v1\0"}, "backends.big.url"),
        ("big", {"url": "http://x/\u202ev1"}, "backends.big.url"),
        ("big", {"url": "http://a..b/v1"}, "backends.big.url"),
        ("big", {"url": "http://a%20b/v1"}, "backends.big.url"),
        ("big", {"url": "http://" + "a" * 64 + "/v1"}, "backends.big.url"),
        ("embedded", {"url": URL}, "backends.embedded"),
        ("OpenCode", {"url": URL}, "backends.OpenCode"),
        ("big", {"url": URL, "workers": 0}, "backends.big.workers"),
        ("big", {"url": URL, "first_s": 0}, "backends.big.first_s"),
        ("big", {"url": URL, "pause_s": True}, "backends.big.pause_s"),
        ("big", {"url": URL, "model": ""}, "backends.big.model"),
        ("big", {"url": URL, "name": "other"}, "backends.big.name"),
    ],
)
def test_a_wrong_value_of_a_backend_is_named(name: str, value: object, where: str) -> None:
    with pytest.raises(SettingsError) as caught:
        _read({}, {name: value})
    assert caught.value.where == where


def test_a_key_that_stands_in_the_file_itself_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        _read({}, {"big": {"url": URL, "key_env": "sk-secret"}})
    assert caught.value.where == "backends.big.key_env"
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["http://[::1]:8080/v1", "https://models.example/v1", "http://gpu_1:80", "http://10.0.0.7:8000/a/v1/", "http://bücher.example/v1"],
)  # fmt: skip
def test_an_address_that_a_request_can_be_sent_to_is_taken(url: str) -> None:
    assert _read({}, {"big": {"url": url}}).backends[0].url == url.rstrip("/")


@given(
    st.text(max_size=20)
    | st.from_regex(r"https?://[a-z0-9.:\[\]_%-]{1,20}(/[a-z]*)?", fullmatch=True)
)
def test_an_address_that_is_taken_is_one_for_the_client_too(url: str) -> None:
    try:
        taken = _read({}, {"big": {"url": url}}).backends[0].url
    except SettingsError:
        return
    assert httpx2.URL(taken).host
