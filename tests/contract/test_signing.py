"""A signature holds for the very bytes of a lock and for who may sign, and is refused with its own reason else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from econome.contract.signing import ENDING, NAMESPACE, sign, verify
from econome.errors import SignatureRefused
from tests.requirements import requirement

pytestmark = [
    requirement("L16"),
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed"),
]

DATA = b'{"digest":"sha256:0",\n"format":1,"servers":{},"tokenizer":"features-v1"}\n'


def make_key(folder: Path, name: str, passphrase: str = "") -> Path:
    path = folder / name
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", str(path)],
        check=True,
    )
    return path


def public(key: Path) -> str:
    kind, code, *_ = key.with_suffix(".pub").read_text(encoding="utf-8").split()
    return f"{kind} {code}"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path, "ada")


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "econome.lock"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def signers(tmp_path: Path, key: Path) -> Path:
    path = tmp_path / "signers"
    path.write_text(f"ada@example.com {public(key)}\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)


def reason(data: bytes, signature: str, signers: Path, identity: str | None = None) -> str:
    with pytest.raises(SignatureRefused) as caught:
        verify(data, signature, str(signers), identity)
    assert "\n" not in str(caught.value)
    return caught.value.reason


@pytest.mark.parametrize("identity", [None, "ada@example.com"])
def test_a_lock_that_was_signed_is_verified(
    lock: Path, key: Path, signers: Path, identity: str | None
) -> None:
    signature = sign(DATA, str(lock), str(key))
    assert signature == f"{lock}{ENDING}"
    assert verify(lock.read_bytes(), signature, str(signers), identity) == "ada@example.com"
    assert lock.read_bytes() == DATA


def test_the_signature_is_one_that_ssh_keygen_itself_verifies(
    lock: Path, key: Path, signers: Path
) -> None:
    signature = sign(DATA, str(lock), str(key))
    said = subprocess.run(
        [
            *("ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "ada@example.com"),
            *("-n", NAMESPACE, "-s", signature),
        ],
        input=DATA,
        check=False,
        capture_output=True,
    )
    assert said.returncode == 0


def test_a_lock_is_signed_again_where_it_was_signed_before(
    lock: Path, key: Path, signers: Path
) -> None:
    sign(DATA, str(lock), str(key))
    signature = sign(DATA + b" ", str(lock), str(key))
    assert verify(DATA + b" ", signature, str(signers)) == "ada@example.com"
    assert "it is not of this lock" in reason(DATA, signature, signers)


@pytest.mark.parametrize("changed", [DATA + b"\n", DATA[:-1], DATA.replace(b"\n", b"\r\n"), b""])
def test_a_lock_that_was_changed_is_refused(
    lock: Path, key: Path, signers: Path, changed: bytes
) -> None:
    signature = sign(DATA, str(lock), str(key))
    assert "it is not of this lock: the lock was changed" in reason(changed, signature, signers)


def test_what_is_verified_is_what_was_given_whatever_the_file_holds_by_now(
    lock: Path, key: Path, signers: Path
) -> None:
    signature = sign(DATA, str(lock), str(key))
    lock.write_bytes(b"changed since it was read")
    assert verify(DATA, signature, str(signers)) == "ada@example.com"


def test_who_may_not_sign_is_refused(lock: Path, tmp_path: Path, signers: Path) -> None:
    signature = sign(DATA, str(lock), str(make_key(tmp_path, "eve")))
    assert "nobody signed it who may" in reason(DATA, signature, signers)
    assert "ada@example.com did not sign it" in reason(DATA, signature, signers, "ada@example.com")


def test_somebody_else_who_may_sign_is_not_the_one_asked_for(
    lock: Path, tmp_path: Path, key: Path, signers: Path
) -> None:
    bob = make_key(tmp_path, "bob")
    signers.write_text(
        f"ada@example.com {public(key)}\nbob@example.com {public(bob)}\n", encoding="utf-8"
    )
    signature = sign(DATA, str(lock), str(bob))
    assert verify(DATA, signature, str(signers)) == "bob@example.com"
    assert "ada@example.com did not sign it" in reason(DATA, signature, signers, "ada@example.com")


def test_an_empty_name_is_nobody_and_not_anybody(lock: Path, key: Path, signers: Path) -> None:
    signature = sign(DATA, str(lock), str(key))
    assert "a signer without a name did not sign it" in reason(DATA, signature, signers, "")


def test_a_signature_that_was_made_for_something_else_is_refused(
    lock: Path, key: Path, signers: Path
) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "git", str(lock)],
        check=True,
        capture_output=True,
    )
    assert "signed for something else" in reason(DATA, f"{lock}{ENDING}", signers)


@pytest.mark.parametrize(
    "option", ['namespaces="git"', 'valid-before="20200101"', "cert-authority"]
)
def test_a_key_that_the_file_of_signers_does_not_let_sign_locks_is_refused(
    lock: Path, key: Path, signers: Path, option: str
) -> None:
    signers.write_text(f"ada@example.com {option} {public(key)}\n", encoding="utf-8")
    signature = sign(DATA, str(lock), str(key))
    assert "signed it who may" in reason(DATA, signature, signers)
    assert "did not sign it" in reason(DATA, signature, signers, "ada@example.com")


def test_one_of_several_names_of_a_key_will_do(lock: Path, key: Path, signers: Path) -> None:
    signers.write_text(
        f'ada@example.com,ada@example.org namespaces="{NAMESPACE}" {public(key)}\n',
        encoding="utf-8",
    )
    signature = sign(DATA, str(lock), str(key))
    assert verify(DATA, signature, str(signers)) == "ada@example.com"
    assert verify(DATA, signature, str(signers), "ada@example.org") == "ada@example.org"


def test_a_signature_that_is_missing_is_told_with_what_makes_one(lock: Path, signers: Path) -> None:
    said = reason(DATA, f"{lock}{ENDING}", signers)
    assert said == "no such signature; make one with `econome lock --sign KEY`"


def test_what_is_no_signature_is_told(lock: Path, signers: Path) -> None:
    signature = lock.with_name("econome.lock.sig")
    signature.write_bytes(b"yes\n")
    assert reason(DATA, str(signature), signers).startswith("it is no signature of ssh-keygen")
    signature.write_bytes(b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n")
    assert reason(DATA, str(signature), signers).startswith("it is not of this lock")
    signature.unlink()
    signature.mkdir()
    assert reason(DATA, str(signature), signers) == "it is not a regular file"


def test_signers_that_are_missing_or_none_are_told(lock: Path, key: Path, signers: Path) -> None:
    signature = sign(DATA, str(lock), str(key))
    signers.write_text("", encoding="utf-8")
    assert "nobody signed it who may" in reason(DATA, signature, signers)
    signers.unlink()
    assert reason(DATA, signature, signers).startswith("no such file of signers")


def test_a_key_with_a_passphrase_is_refused_and_nobody_is_asked(lock: Path, tmp_path: Path) -> None:
    key = make_key(tmp_path, "safe", "open sesame")
    with pytest.raises(SignatureRefused, match="a key with a passphrase has to be in the agent"):
        sign(DATA, str(lock), str(key))
    assert not lock.with_name("econome.lock.sig").exists()


def test_no_program_is_asked_for_a_passphrase_either(
    lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = make_key(tmp_path, "safe", "open sesame")
    asking = tmp_path / "asking"
    asking.write_text("#!/bin/sh\necho 'open sesame'\n", encoding="utf-8")
    asking.chmod(0o700)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("SSH_ASKPASS", str(asking))
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    with pytest.raises(SignatureRefused, match="a key with a passphrase has to be in the agent"):
        sign(DATA, str(lock), str(key))


@pytest.mark.skipif(shutil.which("ssh-agent") is None, reason="there is no agent")
def test_a_key_that_is_in_an_agent_signs(
    lock: Path, tmp_path: Path, key: Path, signers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = os.path.relpath(tmp_path / "agent")  # a socket's whole name must be short
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.PIPE)
    try:
        assert agent.stdout is not None
        agent.stdout.readline()
        monkeypatch.setenv("SSH_AUTH_SOCK", socket)
        subprocess.run(["ssh-add", "-q", str(key)], check=True, capture_output=True)
        key.unlink()
        signature = sign(DATA, str(lock), str(key.with_suffix(".pub")))
    finally:
        agent.terminate()
        agent.communicate()
    assert verify(DATA, signature, str(signers)) == "ada@example.com"


@pytest.mark.parametrize("make", [None, b"no key\n"])
def test_what_is_no_key_is_refused_and_an_older_signature_stays(
    lock: Path, tmp_path: Path, key: Path, signers: Path, make: bytes | None
) -> None:
    signature = sign(DATA, str(lock), str(key))
    other = tmp_path / "other"
    if make is not None:
        other.write_bytes(make)
    with pytest.raises(SignatureRefused, match="no key at" if make is None else "cannot sign with"):
        sign(DATA, str(lock), str(other))
    assert verify(DATA, signature, str(signers)) == "ada@example.com"


def test_without_openssh_it_is_said_what_is_missing(
    lock: Path, tmp_path: Path, key: Path, signers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = sign(DATA, str(lock), str(key))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(SignatureRefused, match="ssh-keygen is not installed"):
        sign(DATA, str(lock), str(key))
    assert reason(DATA, signature, signers).startswith("ssh-keygen is not installed")
