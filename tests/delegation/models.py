"""Small files that stand for the embedded model, and wheels that hold one."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from econome.delegation.backends.wheel import Pin
from econome.delegation.local_model import LocalModel

__all__ = ["CONTENT", "MEMBER", "left", "pin_of", "put", "wheel"]

CONTENT = b"GGUF" + bytes(range(256)) * 40
MEMBER = "llm_tiny/Tiny.gguf"


def left(local: LocalModel) -> dict[str, bytes]:
    """Return what lies in the models' directory, its lock apart."""
    return {
        path.name: path.read_bytes()
        for path in sorted(Path(local.directory).iterdir())
        if path.name != "setup.lock"
    }


def wheel(path: Path, members: list[tuple[str, bytes]], **more: Any) -> Path:
    """Write a wheel of these members."""
    with zipfile.ZipFile(path, "w", **more) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return path


def pin_of(path: Path | None = None, **changed: Any) -> Pin:
    """Return a pin of the small model, in the wheel at *path*."""
    data = b"" if path is None else path.read_bytes()
    pin = Pin(
        title="Tiny",
        requirement="llm-tiny==1",
        wheel="llm_tiny-1-py3-none-any.whl",
        wheel_bytes=len(data),
        wheel_sha256=hashlib.sha256(data).hexdigest(),
        member=MEMBER,
        file="Tiny.gguf",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        licence="Apache-2.0",
    )
    return replace(pin, **changed)


def put(data_dir: Path, content: bytes = CONTENT) -> LocalModel:
    """Return the small model, put where it belongs."""
    local = LocalModel(str(data_dir), pin_of())
    Path(local.directory).mkdir(parents=True, exist_ok=True)
    Path(local.path).write_bytes(content)
    Path(local.path).chmod(0o600)
    return local
