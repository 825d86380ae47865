"""From an order to a model's answer and back: files, presets, formats, outputs, on a scripted server that speaks HTTP."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.backends.choice import Backends
from econome.delegation.local_model import LocalModel
from econome.delegation.office import Office
from econome.delegation.options import Options
from econome.delegation.order import Caller, Order, Standing
from econome.delegation.workbench import Workbench, workbench
from econome.errors import (
    BackendAway,
    DelegationRefused,
    EconomeError,
    FileRefused,
    PresetError,
)
from econome.settings import load
from tests.delegation.desks import CALLER, journaled, office_on, run
from tests.delegation.offering import bench
from tests.delegation.openai_server import Failure, Reply, Script, Scripted, scripted
from tests.requirements import requirement

pytestmark = requirement("D2", "D6", "D7")

SECRET = "s3cret-w0rds-0f-a-br1ef"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the one directory that may be used."""
    place = tmp_path / "project"
    place.mkdir()
    return place


@asynccontextmanager
async def _opened(
    root: Path, model: Scripted, options: Options | None = None, log: list[str] | None = None
) -> Any:
    chosen = options or Options(roots=(str(root),))
    desk = bench(root.parent, model.url, chosen)
    async with office_on(
        root.parent / "data", desk, chosen, log=log, clock=time.monotonic
    ) as office:
        yield office


def _ask(
    root: Path, script: Script, *orders: Order, **more: Any
) -> tuple[list[Standing], Scripted]:
    """Have orders carried out one after another; return how they ended, and the server."""

    async def work(model: Scripted) -> list[Standing]:
        async with _opened(root, model, **more) as office:
            return [await _done(office, order) for order in orders]

    with scripted(script) as model:
        return run(work(model)), model


async def _done(office: Office, order: Order, caller: Caller = CALLER) -> Standing:
    return await office.standing(await office.submit(order, caller), 30)


def _refusal(root: Path, order: Order, **more: Any) -> EconomeError:
    with pytest.raises(EconomeError) as caught:
        _ask(root, Reply("never"), order, **more)
    (line,) = journaled(root.parent / "data")
    assert (line["demande_id"], line["statut"]) == (None, "refusee")
    assert line["erreur"] == str(caught.value)
    return caught.value


def _sent(model: Scripted, number: int = -1) -> str:
    """Return what a prompt said."""
    return "\n".join(message["content"] for message in model.requests[number]["messages"])


def test_the_model_is_given_the_files_and_the_caller_its_answer(root: Path) -> None:
    (root / "a.md").write_text("alpha\n", encoding="utf-8")
    (root / "b.md").write_text("beta\n", encoding="utf-8")
    order = Order("compare", files=("a.md", str(root / "b.md")))
    (standing,), model = _ask(root, Reply("They ", "differ.", usage=(40, 4)), order)
    assert (standing.status, standing.answer) == ("terminee", "They differ.")
    assert (standing.tokens_in, standing.tokens_out, standing.tokens_estimated) == (40, 4, False)
    assert (standing.format, standing.model) == ("text", "scripted-model")
    sent = _sent(model)
    assert sent.index("alpha") < sent.index("beta") < sent.index("compare")


@requirement("D5")
def test_tokens_that_the_server_does_not_count_are_estimated_and_marked(root: Path) -> None:
    (standing,), _ = _ask(root, Reply("12345678", usage=None), Order("x" * 40))
    assert (standing.tokens_out, standing.tokens_estimated) == (2, True)
    assert 10 <= (standing.tokens_in or 0) <= 12
    (line,) = journaled(root.parent / "data")
    assert line["tokens_estimes"] is True


@requirement("D4", "D5")
def test_an_answer_that_was_cut_is_given_and_marked_and_a_whole_one_after_it_is_not(
    root: Path,
) -> None:
    cut, whole = Reply("Once upon a", finish="length"), Reply("[1]")
    replies = [cut, Reply("[1, 2", finish="length"), whole]
    found, model = _ask(root, replies, Order("x"), Order("x", format="json"))
    assert [(one.status, one.answer, one.cut) for one in found] == [
        ("terminee", "Once upon a", True),
        ("terminee", "[1]", False),
    ]
    lines = journaled(root.parent / "data")
    assert [line.get("tronquee") for line in lines] == [True, None]
    told = ["it was cut at the limit of tokens" in _sent(model, each) for each in range(3)]
    assert told == [False, False, True]


def test_an_answer_that_fails_its_format_is_asked_for_once_more_with_the_reason(root: Path) -> None:
    replies = [Reply("no json", usage=(10, 2)), Reply('{"a":1}', usage=(30, 5))]
    (standing,), model = _ask(root, replies, Order("give me", format="json"))
    assert (standing.status, standing.answer) == ("terminee", '{"a":1}')
    assert (standing.tokens_in, standing.tokens_out) == (40, 7)
    assert len(model.requests) == 2
    assert _sent(model, 0) != _sent(model)
    assert "not JSON" in _sent(model)
    assert "no json" in _sent(model)


def test_an_answer_that_fails_its_format_twice_has_failed_and_is_quoted_nowhere(root: Path) -> None:
    log: list[str] = []
    (standing,), model = _ask(
        root, Reply(f"[{SECRET}", usage=(10, 2)), Order("x", format="json"), log=log
    )
    assert (standing.status, standing.answer, len(model.requests)) == ("echec", None, 2)
    assert (standing.tokens_in, standing.tokens_out) == (20, 4)
    assert (standing.error or "").startswith(
        "the answer was not of the format json, twice: not JSON: "
    )
    assert SECRET not in (standing.error or "") + "".join(log)


def test_what_an_answer_lacks_or_that_it_was_cut_is_said_at_the_end(root: Path) -> None:
    (root.parent / "presets.toml").write_text(
        '[people]\nschema = { type = "object", required = ["people"] }\n', encoding="utf-8"
    )
    replies = [Reply("{}"), Reply("{}"), Reply("[1", finish="length"), Reply("[1", finish="length")]
    orders = Order("x", "people"), Order("x", format="json")
    found, _ = _ask(root, replies, *orders)
    begin = "the answer was not of the format json, twice: "
    told = [(one.error or "").removeprefix(begin) for one in found]
    assert told[0].startswith("not of the schema: $: 'people' is missing; ask for less")
    assert told[1].startswith("it was cut at the limit of tokens; not JSON: ")
    assert [line.get("tronquee") for line in journaled(root.parent / "data")] == [None, True]


def test_a_preset_says_how_and_the_format_of_the_order_wins(root: Path) -> None:
    (root.parent / "presets.toml").write_text(
        '[tiny]\nsystem = "Be terse."\ntemperature = 0\nmax_tokens = 9\nformat = "json"\n'
        'schema = { type = "object", required = ["a"] }\n',
        encoding="utf-8",
    )
    orders = Order("x", "tiny"), Order("x", "tiny", "json"), Order("x", "tiny", "text")
    replies = [Reply("{}"), Reply('{"a":1}'), Reply("{}"), Reply('{"a":2}'), Reply("words")]
    found, model = _ask(root, replies, *orders)
    assert [one.answer for one in found] == ['{"a":1}', '{"a":2}', "words"]
    assert [(one.preset, one.format) for one in found] == [
        ("tiny", "json"),
        ("tiny", "json"),
        ("tiny", "text"),
    ]
    assert model.requests[0]["messages"][0]["content"].startswith("Be terse.")
    assert (model.requests[0]["temperature"], model.requests[0]["max_tokens"]) == (0, 9)


def test_the_answer_goes_to_its_file_whole(root: Path) -> None:
    (standing,), _ = _ask(root, Reply("the notes"), Order("x", output="notes/new.md"))
    path = root / "notes" / "new.md"
    assert (standing.output, standing.answer) == (str(path), "the notes")
    assert path.read_text(encoding="utf-8") == "the notes\n"


def test_a_file_is_replaced_only_by_who_has_seen_it_or_says_so(root: Path) -> None:
    path = root / "notes.md"
    path.write_text("mine\n", encoding="utf-8")
    plain = Order("x", output="notes.md")

    async def work(model: Scripted) -> list[str]:
        async with _opened(root, model) as office:
            with pytest.raises(FileRefused):
                await office.submit(plain, CALLER)
            read = Order("x", files=("notes.md",), output="notes.md")
            states = [(await _done(office, read)).status, (await _done(office, plain)).status]
            with pytest.raises(FileRefused):
                await office.submit(plain, Caller("another"))
            forced = Order("x", output="notes.md", overwrite=True)
            states.append((await _done(office, forced, Caller("another"))).status)
        return states

    with scripted(Reply("ours")) as model:
        assert run(work(model)) == ["terminee"] * 3
    assert path.read_text(encoding="utf-8") == "ours\n"


def test_a_file_that_changes_while_the_model_writes_is_left_and_the_answer_kept(root: Path) -> None:
    gate, path = threading.Event(), root / "new.md"

    async def work(model: Scripted) -> Standing:
        async with _opened(root, model) as office:
            request_id = await office.submit(Order("x", output="new.md"), CALLER)
            await asyncio.to_thread(model.wait_for_requests)
            path.write_text("somebody else's\n", encoding="utf-8")
            gate.set()
            standing: Standing = await office.standing(request_id, 30)
        return standing

    with scripted(Reply("an", gate, " answer")) as model:
        standing = run(work(model))
    assert (standing.status, path.read_text(encoding="utf-8")) == ("echec", "somebody else's\n")
    assert "the answer is kept in" in (standing.error or "")


@pytest.mark.parametrize(
    "order, error",
    [
        (Order("  \n"), DelegationRefused),
        (Order("x", preset="nothing"), PresetError),
        (Order("x", format="yaml"), DelegationRefused),
        (Order("x", files=("../secret.md",)), FileRefused),
        (Order("x", files=("missing.md",)), FileRefused),
        (Order("x", files=(".env",)), FileRefused),
        (Order("x", output="../out.md"), FileRefused),
        (Order("x", output=".git/config"), FileRefused),
        (Order("x", "edit", output="a.md"), DelegationRefused),
        (Order("x", "edit", "json"), DelegationRefused),
    ],
)
def test_what_cannot_be_done_is_refused_before_it_is_queued(
    root: Path, order: Order, error: type[EconomeError]
) -> None:
    (root / ".env").write_text("KEY=1\n", encoding="utf-8")
    assert type(_refusal(root, order)) is error


@requirement("D5")
def test_a_preset_whose_backend_is_none_is_refused_with_those_there_are(root: Path) -> None:
    presets = root.parent / "presets.toml"
    presets.write_text('[mine]\nbackend = "olama"\n', encoding="utf-8")
    options = Options(detect=False)
    backends = Backends(options, LocalModel(str(root)), lambda name: None, time.monotonic)
    desk = Workbench(options, backends, presets=str(presets), scratch=str(root / "w"), home="/h")
    with pytest.raises(BackendAway) as caught:
        run(desk.take(Order("x", "mine"), CALLER))
    known = "ollama, lmstudio, llamacpp, vllm, embedded"
    assert str(caught.value) == f"preset mine: no backend is called 'olama'; there are {known}"


def test_without_roots_the_directory_of_the_command_is_the_one(root: Path) -> None:
    (root / "a.md").write_text("alpha\n", encoding="utf-8")
    home = root.parent / "home"
    home.mkdir()
    (home / "a.md").write_text("private\n", encoding="utf-8")
    inside = Order("x", files=("a.md",), base=str(root))
    (standing,), model = _ask(root, Reply("ok"), inside, options=Options())
    assert (standing.status, "alpha" in _sent(model)) == ("terminee", True)
    (root.parent / "a.md").write_text("beside home\n", encoding="utf-8")
    for base in (None, str(home), f"{home}/.", str(root.parent), "/"):
        with pytest.raises(FileRefused):
            _ask(root, Reply("ok"), Order("x", files=("a.md",), base=base), options=Options())


def test_what_econome_keeps_is_closed_whatever_the_settings_allow(home: Path) -> None:
    settings = load()
    settings.delegation = {"roots": [str(home)], "detect": False}
    own = [Path(settings.config_file)]
    own += [Path(settings.data_dir, name) for name in ("token", "logs/mcp/delegations.jsonl")]
    for path in (*own, home / "plain.txt"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET, encoding="utf-8")
    bench, _ = workbench(settings)

    def refused(order: Order) -> EconomeError:
        with pytest.raises(EconomeError) as caught:
            run(bench.take(order, CALLER))
        return caught.value

    for path in own:
        read, written = Order("x", files=(str(path),)), Order("x", output=str(path), overwrite=True)
        for order in (read, written, Order("x", output=str(path.parent / "new.txt"))):
            assert "econome's own" in str(refused(order))
    # Beside them all goes well, until a model is wanted.
    plain = str(home / "plain.txt")
    assert type(refused(Order("x", files=(plain,), output=plain))) is BackendAway


def test_roots_of_a_client_only_narrow(root: Path, tmp_path: Path) -> None:
    (root / "sub").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    for place in (root, root / "sub", other):
        (place / "a.md").write_text("alpha\n", encoding="utf-8")
    own = (str(root / "sub"), str(other))
    narrow = Order("x", files=(str(root / "sub" / "a.md"),), roots=own)
    (standing,), _ = _ask(root, Reply("ok"), narrow)
    assert standing.status == "terminee"
    for path in (root / "a.md", other / "a.md"):
        with pytest.raises(FileRefused):
            _ask(root, Reply("ok"), Order("x", files=(str(path),), roots=own))


@requirement("D5")
def test_a_cancelled_request_and_a_late_one_stop_the_generation(root: Path) -> None:
    gate = threading.Event()

    async def work(model: Scripted) -> list[str]:
        async with _opened(root, model) as office:
            request_id = await office.submit(Order("x"), CALLER)
            await asyncio.to_thread(model.wait_for_requests)
            states = [(await office.cancel(request_id)).status]
            await asyncio.to_thread(model.wait_until, lambda server: server.hung_up == 1)
            states.append((await _done(office, Order("x", deadline_s=0.2))).status)
            await asyncio.to_thread(model.wait_until, lambda server: server.hung_up == 2)
        return states

    with scripted(Reply("Once", gate, "upon")) as model:
        assert run(work(model)) == ["annulee", "expiree"]
        assert (model.hung_up, model.answered) == (2, 0)


@requirement("D4")
def test_two_hundred_at_once_on_a_slow_model_all_end_in_the_journal_once(root: Path) -> None:
    options = Options(roots=(str(root),), queue=200)

    async def work(model: Scripted) -> list[str]:
        async with _opened(root, model, options) as office:
            callers = [Caller("c", str(number % 9)) for number in range(200)]
            ids = await asyncio.gather(*(office.submit(Order("x"), one) for one in callers))
            gate.set()
            found = await asyncio.gather(*(office.standing(one, 60) for one in ids))
            assert {one.status for one in found} == {"terminee"}
        return list(ids)

    gate = threading.Event()
    with scripted(Reply("slow", gate, "ly")) as model:
        ids = run(work(model))
        assert (model.busiest, len(model.requests)) == (1, 200)
    lines = journaled(root.parent / "data")
    assert sorted(line["demande_id"] for line in lines) == sorted(set(ids))
    assert len(lines) == 200


def test_no_word_of_a_prompt_or_an_answer_stands_in_a_log_the_register_or_the_journal(
    root: Path,
) -> None:
    (root / "a.md").write_text(f"in a file: {SECRET}\n", encoding="utf-8")
    log: list[str] = []
    echo = Failure(400, f'{{"error":{{"message":"you said {SECRET}"}}}}'.encode())
    replies: list[Reply | Failure] = [
        Reply(f"answer {SECRET}"),
        echo,
        Reply(f"[{SECRET}"),
        Reply(f"[{SECRET}"),
        Failure(500, echo.body),
    ]
    orders = [Order(SECRET, files=("a.md",), format=form) for form in (None, None, "json", None)]
    found, _ = _ask(root, replies, *orders, log=log)
    assert [one.status for one in found] == ["terminee", "echec", "echec", "echec"]
    assert SECRET not in "".join(log)
    holding = [
        path.relative_to(root.parent / "data").parts[0]
        for path in (root.parent / "data").rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert holding == ["answers"]


def test_a_model_that_breaks_off_has_failed(root: Path) -> None:
    (standing,), _ = _ask(root, Reply("half", cut=True), Order("x"))
    assert (standing.status, standing.answer) == ("echec", None)
    assert standing.error
    assert not os.listdir(root)
