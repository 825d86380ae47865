"""What cannot be locked or checked is told as that, with an exit code of its own, and nothing is written."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from econome.cli.locking import _command
from tests.cli.locked import check, config, lock, server
from tests.contract.listed import entry
from tests.door import run
from tests.requirements import requirement

pytestmark = [requirement("L16", "LC20"), pytest.mark.usefixtures("here")]


_BODIES: dict[str, Any] = {
    "edited": lambda data: data.replace(b"What list does.", b"What list did."),
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "no lock": lambda data: b"{}",
    "conflict": lambda data: b"<<<<<<< ours\n" + data + b"=======\n" + data + b">>>>>>> theirs\n",
    "binary": lambda data: b"\xff\xfe\x00",
}


@pytest.mark.parametrize("how", _BODIES)
def test_a_lock_that_is_not_as_it_was_written_is_not_checked_nor_written_over(
    here: Path, how: str
) -> None:
    lock(here)
    path = here / "econome.lock"
    path.write_bytes(_BODIES[how](path.read_bytes()))
    broken = path.read_bytes()
    for ran in (check(here), lock(here), run("lock", "explain", "search")):
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("econome: econome.lock: ")
        assert ran.err.count("\n") == 1
    assert path.read_bytes() == broken


def test_every_broken_lock_says_something_of_its_own(here: Path) -> None:
    lock(here)
    path = here / "econome.lock"
    data, told = path.read_bytes(), {}
    for how, change in _BODIES.items():
        path.write_bytes(change(data))
        told[how] = check(here).err
    path.unlink()
    told["missing"] = check(here).err
    assert len(set(told.values())) == len(told)


@pytest.mark.parametrize(
    "words, told",
    [
        (["--name", "shop"], "give what starts the server behind --"),
        (["--name", "shop", "--", "no-such-program"], "no-such-program"),
        (["--name", "shop", "--", sys.executable, "-c", "raise SystemExit(3)"], "exit status 3"),
        (["--name", "other", "--", "server"], "no server other is locked here, but shop"),
        (["--name", "shop", "--url", "http://127.0.0.1:9/mcp"], "127.0.0.1:9"),
        (["--name", "shop", "--url", "http://127.0.0.1:9/mcp", "--", "server"], "give one of these"),
        (["--config", "none.json"], "none.json: no such file"),
        (["--lock", "none.lock", "--", "server"], "none.lock: no such file"),
        (["--rules", "none.toml", "--", "server"], "none.toml: no such file"),
        (["--signers", "none", "--", "server"], "none: no such file of signers"),
        (["--fail-on", "nothing", "--", "server"], "'nothing' is not one of"),
        (["--tokenizer", "o200k", "--", "server"], "--tokenizer does not go with --check"),
        (["--sign", "key", "--", "server"], "--sign does not go with --check"),
        (["--signer", "me", "--", "server"], "--signer goes with --signers"),
        (["--output", "report", "--", "server"], "no form of a report ends so"),
        (["--output", "a.md", "--output", "a.md", "--", "server"], "a.md is named twice"),
        (["--json", "--format", "sarif", "--", "server"], "do not go together"),
        (["server"], "econome lock --check -- server"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_2_and_one_line(here: Path, words: list[str], told: str) -> None:
    lock(here)
    ran = run("lock", "--check", *words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.rstrip("\n").count("\n") == 0


_TEXTS = ("lock", "name", "url", "config", "rules", "tokenizer", "sign", "signers", "signer", "fail-on", "output", "format")  # fmt: skip


@pytest.mark.parametrize("option", _TEXTS)
@pytest.mark.parametrize("more", [(), ("--check",)])
def test_an_option_with_an_empty_value_is_refused_and_not_passed_over(
    here: Path, more: tuple[str, ...], option: str
) -> None:
    lock(here)
    before = (here / "econome.lock").read_bytes()
    ran = lock(here, *more, f"--{option}", "")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert option in ran.err
    assert (here / "econome.lock").read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ("lock", "explain", "--lock", "", "search"),
        ("lock", "explain", "--server", "", "search"),
        ("lock", "diff", "--output", "", "econome.lock", "econome.lock"),
        ("profile", "--config", ""),
        ("profile", "--html", "", "--", "true"),
    ],
)
def test_so_it_is_in_the_commands_around_it(here: Path, words: tuple[str, ...]) -> None:
    lock(here)
    ran = run(*words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "is empty" in ran.err


def test_a_fault_of_econome_is_no_change_of_a_server(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(here)

    def broken(*given: object, **more: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("econome.contract.drift.drift", broken)
    ran = check(here)
    assert (ran.code, ran.out) == (2, "")
    assert "RuntimeError: a fault" in ran.err


def test_nothing_is_written_where_a_server_cannot_be_reached(here: Path) -> None:
    ran = run("lock", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert (ran.code, ran.out, list(here.iterdir())) == (1, "", [])
    path = config(here, shop=server(here), away=(sys.executable, "-c", "raise SystemExit(3)"))
    ran = run("lock", "--config", path, "--yes")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    assert not (here / "econome.lock").exists()


def test_a_server_with_two_tools_of_one_name_cannot_be_locked(here: Path) -> None:
    ran = lock(here, tools=[entry("search"), entry("search", description="Another.")])
    assert (ran.code, ran.out) == (2, "")
    assert 'tool "search" cannot be locked' in ran.err


def test_nothing_of_a_configuration_runs_before_it_was_confirmed(here: Path) -> None:
    mark = here.parent / "ran"
    words = (sys.executable, "-c", f"open({str(mark)!r}, 'w')")
    path = config(here, shop=words)
    for more in ((), ("--check",)):
        if more:
            lock(here)
        ran = run("lock", *more, "--config", path)
        assert (ran.code, ran.out) == (2, "")
        assert str(mark) in ran.err
        assert "--yes" in ran.err
    assert not mark.exists()
    run("lock", "--config", path, "--yes")
    assert mark.exists()


def test_a_locked_server_that_its_configuration_no_longer_starts_is_not_checked(here: Path) -> None:
    run("lock", "--config", config(here, shop=server(here)), "--yes")
    odd = {"mcpServers": {"shop": {"type": "carrier-pigeon"}, "mail": {"command": "true"}}}
    (here / ".mcp.json").write_text(json.dumps(odd), encoding="utf-8")
    ran = run("lock", "--check", "--config", ".mcp.json", "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert "shop is locked and cannot be looked at" in ran.err


def test_a_locked_server_whose_entry_cannot_be_read_is_not_dropped(here: Path) -> None:
    path = config(here, shop=server(here), till=server(here))
    assert run("lock", "--config", path, "--yes").code == 0
    before = (here / "econome.lock").read_bytes()
    entries = json.loads((here / ".mcp.json").read_text(encoding="utf-8"))
    entries["mcpServers"]["till"]["env"] = {"TOKEN": "${NO_SUCH_TOKEN}"}
    (here / ".mcp.json").write_text(json.dumps(entries), encoding="utf-8")
    ran = run("lock", "--config", path, "--yes")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert (
        "till is locked and cannot be locked anew: the variable NO_SUCH_TOKEN is not set" in ran.err
    )
    assert (here / "econome.lock").read_bytes() == before
    (here / "econome.lock").unlink()
    ran = run("lock", "--config", path, "--yes")
    assert ran.code == 0
    assert "Not looked at: till, the variable NO_SUCH_TOKEN is not set." in ran.out


def test_of_several_servers_it_is_said_which_one_is_away(here: Path) -> None:
    away = (sys.executable, "-c", "raise SystemExit(3)")
    ran = run("lock", "--config", config(here, shop=server(here), till=away, bank=away), "--yes")
    assert ran.code == 1
    assert [name in ran.err for name in ("shop: ", "till: ", "bank: ")] == [False, True, True]


def test_a_configuration_of_which_nothing_can_be_looked_at_says_why(here: Path) -> None:
    entry = {"url": "https://me:secret@shop.example/mcp"}
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": entry}}), encoding="utf-8")
    ran = run("lock", "--config", ".mcp.json", "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert "no server that can be looked at: shop: leave out the name and password" in ran.err
    assert "secret" not in ran.err


def test_a_secret_in_an_address_is_not_repeated() -> None:
    values = dict.fromkeys(("lock", "name", "url", "config", "rules", "tokenizer"), None)
    told = _command((), {**values, "url": "https://shop.example/mcp?key=s3cret#s3cret"})
    assert "s3cret" not in told
    assert "--url 'https://shop.example/mcp?key=" in told


def test_options_before_a_subcommand_are_refused(here: Path) -> None:
    assert run("lock", "--check", "diff", "a", "b").code == 2
    assert run("lock", "--format", "sarif", "--", "server").code == 2
    assert run("lock", "--output", "a.md", "--", "server").code == 2


def test_a_signed_lock_is_checked_only_while_its_signature_holds(here: Path, key: Path) -> None:
    signed = lock(here, "--sign", str(key))
    assert (signed.code, "econome.lock is signed." in signed.out) == (0, True)
    assert check(here, "--signers", "signers").code == 0
    assert check(here, "--signers", "signers", "--signer", "me@shop.example").code == 0
    refused = [check(here, "--signers", "signers", "--signer", "you@shop.example")]
    lock(here, tools=[entry("search")])
    refused.append(check(here, "--signers", "signers", tools=[entry("search")]))
    (here / "econome.lock.sig").unlink()
    refused.append(check(here, "--signers", "signers"))
    assert [(ran.code, ran.out) for ran in refused] == [(2, "")] * 3
    assert len({ran.err for ran in refused}) == 3


def test_a_key_that_cannot_sign_is_told(here: Path) -> None:
    ran = lock(here, "--sign", "none")
    assert (ran.code, "none" in ran.err) == (2, True)
