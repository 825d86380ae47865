"""Signatures of a lock, made and looked at by OpenSSH: with `ssh-keygen -Y`, as git signs commits.

It starts `ssh-keygen` and nothing else, which never asks anybody anything: a key with a passphrase has to be in an agent. What
is verified is the bytes that are given, so that nothing can come between the look at them and their use. Whether a signer
may be believed is said by a file of signers, as `ssh-keygen` describes it; it decides nothing itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from econome.contract.files import content, replace
from econome.errors import LockBroken, SignatureRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import CompletedProcess

__all__ = ["ENDING", "NAMESPACE", "sign", "verify"]

NAMESPACE = "econome-lock"
"""What a signature is for: one that was made for anything else does not hold for a lock."""

ENDING = ".sig"
"""What the name of a signature's file adds to that of the lock."""

_PATIENCE_S = 120
"""How long a key may take to be touched, or an agent to be allowed."""

_BEGIN = b"-----BEGIN SSH SIGNATURE-----"
_TOLD = 120
_ASKING = ("DISPLAY", "SSH_ASKPASS", "WAYLAND_DISPLAY")
"""What makes `ssh-keygen` open a window to ask for a passphrase."""


def sign(data: bytes, path: str, key: str) -> str:
    """Sign the bytes of a lock with a private key, or a public one whose private one is in an agent.

    Return the path of the signature, which stands beside the lock at *path*.

    Raises:
        SignatureRefused: there is no such key, or it cannot be used; an older signature is as it was.
    """
    key, beside = os.path.expanduser(key), f"{path}{ENDING}"
    if not os.path.isfile(key):
        raise SignatureRefused(path, f"no key at {key}; name one, such as ~/.ssh/id_ed25519")
    with _copied(data) as copy:
        said = _run(path, ("-Y", "sign", "-f", key, "-n", NAMESPACE, copy))
        if said.returncode != 0:
            raise SignatureRefused(
                path,
                f"ssh-keygen cannot sign with {key} ({_last(said)}); "
                "a key with a passphrase has to be in the agent: ssh-add it",
            )
        signature = _signature(path, f"{copy}{ENDING}")
    try:
        replace(beside, signature)
    except LockBroken as error:
        raise SignatureRefused(error.path, error.reason) from None
    return beside


def verify(data: bytes, signature: str, signers: str, identity: str | None = None) -> str:
    """See that somebody in the file *signers* signed *data*, by the file *signature*; return who, as that file names them.

    With an *identity*, nobody else will do.

    Raises:
        SignatureRefused: there is no signature, it is not of these bytes, or of nobody who may sign.
    """
    signers = os.path.expanduser(signers)
    if not os.path.isfile(signers):
        raise SignatureRefused(
            signers, "no such file of signers; it has a line `NAME KEY` for each"
        )
    with _copied(_signature(signature, signature)) as copy:  # all looks are at one signature
        of = ("-n", NAMESPACE, "-s", copy)
        if _run(signature, ("-Y", "check-novalidate", *of), data).returncode != 0:
            raise SignatureRefused(
                signature,
                "it is not of this lock: the lock was changed after it was signed, "
                "or this was signed for something else; look at the change, then sign anew",
            )
        names = _principals(signature, copy, signers) if identity is None else [identity]
        for name in names:
            if (
                _run(signature, ("-Y", "verify", "-f", signers, "-I", name, *of), data).returncode
                == 0
            ):
                return name
    asked = identity or "a signer without a name"  # an empty one does not mean anybody
    who = "nobody signed it who may" if identity is None else f"{asked} did not sign it"
    raise SignatureRefused(
        signature, f"{who}, as {signers} has it; ask who signed it, or name them there"
    )


@contextmanager
def _copied(data: bytes) -> Iterator[str]:
    """Have bytes in a file that nobody else writes to, in a directory that is gone afterwards."""
    import tempfile  # most locks are neither signed nor verified

    with tempfile.TemporaryDirectory(prefix="econome-") as folder:
        copy = os.path.join(folder, "copy")
        with open(copy, "wb") as file:
            file.write(data)
        yield copy


def _principals(told: str, signature: str, signers: str) -> list[str]:
    """Return the names that the file of signers has for the key of a signature."""
    said = _run(told, ("-Y", "find-principals", "-f", signers, "-s", signature))
    names = said.stdout.decode("utf-8", "replace").replace(",", "\n").splitlines()
    return [name.strip() for name in names if name.strip()] if said.returncode == 0 else []


def _signature(told: str, path: str) -> bytes:
    try:
        found = content(path)
    except LockBroken as error:
        missing = not os.path.lexists(path)
        reason = (
            "no such signature; make one with `econome lock --sign KEY`"
            if missing
            else error.reason
        )
        raise SignatureRefused(told, reason) from None
    if not found.startswith(_BEGIN):
        raise SignatureRefused(told, "it is no signature of ssh-keygen; sign the lock anew")
    return found


def _run(told: str, arguments: Sequence[str], data: bytes = b"") -> CompletedProcess[bytes]:
    """Run `ssh-keygen` where it can ask nobody: without a terminal, a window or more input than *data*."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name not in _ASKING}
    environment["SSH_ASKPASS_REQUIRE"] = "never"
    try:
        return subprocess.run(
            ("ssh-keygen", *arguments),
            input=data,
            capture_output=True,
            check=False,
            env=environment,
            start_new_session=True,
            timeout=_PATIENCE_S,
        )
    except FileNotFoundError:
        raise SignatureRefused(
            told, "ssh-keygen is not installed; it is part of OpenSSH, 8.2 or newer"
        ) from None
    except subprocess.TimeoutExpired:
        raise SignatureRefused(told, f"ssh-keygen did not end within {_PATIENCE_S} s") from None
    except (OSError, ValueError) as error:
        raise SignatureRefused(told, f"ssh-keygen cannot be run: {error}") from None


def _last(said: CompletedProcess[bytes]) -> str:
    """Return the last line of what was said, as far as it is shown."""
    lines = said.stderr.decode("utf-8", "replace").split("\n")
    return next(
        (line.strip()[:_TOLD] for line in reversed(lines) if line.strip()), "no reason given"
    )
