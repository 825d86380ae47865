"""Which backend does the work: named, usual, found on its port, or embedded; and what is said where there is none."""

from __future__ import annotations

import asyncio
import socket
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.backends import embedded
from econome.delegation.backends.bodies import models_in
from econome.delegation.backends.choice import EMBEDDED, Backends
from econome.delegation.backends.embedded import EmbeddedBackend
from econome.delegation.backends.found import Found, detect
from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.local_model import LocalModel
from econome.delegation.options import BackendOptions, Options, read_options
from econome.delegation.ports import Backend, Prompt
from econome.errors import BackendAway
from tests.conftest import REPOSITORY
from tests.delegation.openai_server import Scripted, scripted
from tests.requirements import requirement

pytestmark = requirement("D5")


@pytest.fixture
def closed() -> Iterator[int]:
    """Give a port of loopback on which nothing listens, and nothing else can meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def no_key(name: str) -> str | None:
    """Know no environment variable."""
    return None


def pick(
    name: str | None,
    tmp_path: Path,
    ports: Mapping[str, int] = {},
    key_of: Callable[[str], str | None] = no_key,
    **options: Any,
) -> Backend:
    local = LocalModel(str(tmp_path))
    backends = Backends(Options(**options), local, key_of, lambda: 0.0, ports)
    return asyncio.run(backends.pick(name))


def said(name: str | None, tmp_path: Path, **more: Any) -> str:
    with pytest.raises(BackendAway) as caught:
        pick(name, tmp_path, **more)
    return str(caught.value)


def named(server: Scripted, name: str, **more: Any) -> BackendOptions:
    return BackendOptions(name=name, url=server.url, **more)


def put_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, runs: bool = True) -> None:
    """Put something of the model's size where the model belongs, and let there be what runs it."""
    monkeypatch.setattr(embedded, "runner_is_there", lambda: runs)
    model = LocalModel(str(tmp_path))
    Path(model.directory).mkdir()
    with open(model.path, "wb") as file:
        file.truncate(model.pin.bytes)


def test_servers_are_found_on_their_ports_in_order_and_strangers_are_left_alone(
    closed: int,
) -> None:
    with ExitStack() as stack:
        ollama = stack.enter_context(scripted(models=["nomic-embed-text", "qwen3:8b"]))
        only_embeds = stack.enter_context(scripted(models=["bge-m3"]))
        stranger = stack.enter_context(scripted(models=b"<html>a web page</html>"))
        vllm = stack.enter_context(scripted(models=["big"]))
        ports = {
            "ollama": ollama.port,
            "lmstudio": only_embeds.port,
            "llamacpp": stranger.port,
            "none": closed,
            "vllm": vllm.port,
        }
        found = asyncio.run(detect(ports))
    assert found == [Found("ollama", ollama.url, ("qwen3:8b",)), Found("vllm", vllm.url, ("big",))]


def test_a_port_that_accepts_and_says_nothing_is_given_up_in_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert asyncio.run(detect({"silent": silent.getsockname()[1]}, patience_s=0.05)) == []


@pytest.mark.parametrize(
    "answer",
    [
        b"{}",
        b'{"object":"list"}',
        b'{"data":[]}',
        b'{"object":"list","data":{}}',
        b'{"object":"list","data":["a"]}',
        b'{"object":"list","data":[{"id":5}]}',
        b'{"object":"list","data":[{"id":""}]}',
        b'{"object":"list","data":[{"id":"a\\nb"}]}',
        b'{"object":"list","data":[{"id":"' + b"a" * 201 + b'"}]}',
        b"[]",
        b"\xff",
        b"[" * 9000,
    ],
)
def test_what_is_not_exactly_a_list_of_models_is_none(answer: bytes) -> None:
    assert models_in(answer) is None


@pytest.mark.parametrize(
    "data", [b"null", b"[]", b'[{"id":"whisper-1"},{"id":"text-embedding-3"}]']
)
def test_a_list_without_a_model_that_writes_is_empty(data: bytes) -> None:
    assert models_in(b'{"object":"list","data":' + data + b"}") == ()


def test_a_backend_of_the_settings_is_asked_under_its_name(tmp_path: Path) -> None:
    with scripted() as server:
        both = (named(server, "one"), named(server, "two", key_env="MY_KEY", workers=3))
        found = pick("two", tmp_path, key_of={"MY_KEY": "secret"}.get, backends=both)
    assert isinstance(found, OpenAiBackend)
    assert (found.name, found.url, found.key, found.workers) == ("two", server.url, "secret", 3)


def test_the_example_of_the_page_is_taken_as_it_stands(tmp_path: Path) -> None:
    example = (REPOSITORY / "docs" / "examples" / "backends.toml").read_text(encoding="utf-8")
    page = (REPOSITORY / "docs" / "delegation.md").read_text(encoding="utf-8")
    assert f"```toml\n{example}```\n" in page
    tables = tomllib.loads(example)
    options = read_options(tables["delegation"], tables["backends"], "config.toml", "/home/me")
    assert (options.backend, options.backends) == (
        "big",
        (
            BackendOptions("big", "http://127.0.0.1:11434/v1", "qwen3:8b"),
            BackendOptions(
                "far", "https://models.example/v1", workers=4, key_env="FAR_KEY", first_s=300
            ),
        ),
    )


def test_the_usual_backend_is_the_one_of_the_settings(tmp_path: Path) -> None:
    with scripted() as one, scripted() as two:
        both = (named(one, "one"), named(two, "two"))
        assert pick(None, tmp_path, backends=both, backend="two").name == "two"
        assert pick(None, tmp_path, backends=both).name == "one"


def test_a_server_that_is_away_gives_way_to_the_next(tmp_path: Path, closed: int) -> None:
    away = BackendOptions(name="away", url=f"http://127.0.0.1:{closed}/v1")
    with scripted() as server:
        assert pick(None, tmp_path, backends=(away, named(server, "there"))).name == "there"
        ports = {"ollama": server.port}
        assert pick(None, tmp_path, ports=ports, backends=(away,)).name == "ollama"
    assert pick(None, tmp_path, backends=(away,)).name == "away"


def test_a_key_that_is_not_set_is_told_by_the_setting_and_not_by_what_stands_there(
    tmp_path: Path,
) -> None:
    with scripted() as server:
        backends = (named(server, "one", key_env="skabc123SECRET"),)
        told = said("one", tmp_path, backends=backends)
    assert told == (
        "one: the environment variable that `key_env` of [backends.one] names is not set; it is to hold the key"
    )


@pytest.mark.parametrize("value", ["two words", "a\nb", "clé", "x" * 5000])
def test_what_no_header_can_hold_is_no_key(tmp_path: Path, value: str) -> None:
    with scripted() as server:
        options = Options(backends=(named(server, "one", key_env="K"),))
        local = LocalModel(str(tmp_path))
        with pytest.raises(BackendAway) as caught:
            asyncio.run(Backends(options, local, lambda name: value, time.monotonic).pick("one"))
    assert "holds no key" in str(caught.value)
    assert value not in str(caught.value)


def test_a_found_server_comes_before_the_embedded_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_a_model(tmp_path, monkeypatch)
    with scripted(models=["first", "second"]) as server:
        found = pick(None, tmp_path, ports={"ollama": server.port})
    assert isinstance(found, OpenAiBackend)
    assert (found.name, found.model) == ("ollama", "first")


@pytest.mark.parametrize("name", [None, EMBEDDED])
def test_the_embedded_model_is_what_remains(
    tmp_path: Path, closed: int, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_a_model(tmp_path, monkeypatch)
    found = pick(name, tmp_path, ports={"ollama": closed})
    assert isinstance(found, EmbeddedBackend)
    assert (found.name, found.workers, found.pid) == ("embedded", 1, None)


def test_an_embedded_model_that_cannot_run_is_refused_before_anything_is_queued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(EMBEDDED, tmp_path).endswith("the model is not set up; run `econome local setup`")
    put_a_model(tmp_path, monkeypatch, runs=False)
    for name in (None, EMBEDDED):
        assert said(name, tmp_path).endswith("run `pip install 'econome[local]'`")


def test_many_requests_at_once_look_once(tmp_path: Path) -> None:
    async def many(port: int) -> set[str]:
        local = LocalModel(str(tmp_path))
        backends = Backends(Options(), local, no_key, lambda: 0.0, {"ollama": port})
        picked = await asyncio.gather(*(backends.pick() for _ in range(50)))
        return {found.name for found in picked}

    with scripted() as server:
        assert (asyncio.run(many(server.port)), server.listed) == ({"ollama"}, 1)


def test_where_there_is_no_model_it_says_what_to_run(tmp_path: Path, closed: int) -> None:
    told = said(None, tmp_path, ports={"ollama": closed})
    assert told == (
        f"there is no model to do the work: nothing answers on the usual ports {closed} (ollama), the settings name none, "
        "and the embedded model is not set up; start one, or run `econome local setup` (a small model that proves the "
        "plumbing, not quality)"
    )
    assert "the usual ports are not looked at" in said(None, tmp_path, detect=False)


def test_with_detection_off_no_port_is_asked(tmp_path: Path) -> None:
    with scripted() as server:
        ports = {"ollama": server.port}
        assert "`detect = false`" in said("ollama", tmp_path, ports=ports, detect=False)
        assert "`econome local setup`" in said(None, tmp_path, ports=ports, detect=False)


def test_a_name_that_nobody_has_lists_those_there_are(tmp_path: Path, closed: int) -> None:
    told = said("olama", tmp_path, ports={"ollama": closed})
    assert told == "no backend is called 'olama'; there are ollama, embedded"
    assert "start it, or name its address in [backends.ollama]" in said(
        "ollama", tmp_path, ports={"ollama": closed}
    )


def test_a_server_that_was_away_is_looked_for_again_soon(tmp_path: Path) -> None:
    now = [0.0]

    async def look(server: Scripted) -> list[str]:
        local, ports = LocalModel(str(tmp_path)), {"ollama": server.port}
        backends = Backends(Options(), local, no_key, lambda: now[0], ports)
        seen = []
        for now[0] in (0.0, 3.0, 3.1):
            try:
                seen.append((await backends.pick()).name)
            except BackendAway:
                seen.append("away")
                server.models = ["one"]
        return seen

    with scripted(models=[]) as server:
        assert asyncio.run(look(server)) == ["away", "away", "ollama"]


def test_what_was_found_is_believed_for_half_a_minute(tmp_path: Path) -> None:
    now = [0.0]

    async def look(server: Scripted) -> list[str]:
        local, ports = LocalModel(str(tmp_path)), {"ollama": server.port}
        backends = Backends(Options(), local, no_key, lambda: now[0], ports)
        first = await backends.pick()
        assert await backends.pick() is first
        server.models = []
        seen = []
        for now[0] in (30.0, 30.1):
            try:
                seen.append((await backends.pick()).name)
            except BackendAway:
                seen.append("away")
        await backends.close()
        return seen

    with scripted() as server:
        assert asyncio.run(look(server)) == ["ollama", "away"]


def test_a_server_with_another_model_than_before_is_asked_for_that_one(tmp_path: Path) -> None:
    now = [0.0]

    async def ask(server: Scripted) -> list[str]:
        local, ports = LocalModel(str(tmp_path)), {"ollama": server.port}
        backends = Backends(Options(), local, no_key, lambda: now[0], ports)
        for now[0], model in ((0.0, "one"), (31.0, "two")):
            server.models = [model]
            found = await backends.pick("ollama")
            await found.generate(Prompt(None, "x"), lambda pieces: None)
        return [body["model"] for body in server.requests]

    with scripted() as server:
        assert asyncio.run(ask(server)) == ["one", "two"]
