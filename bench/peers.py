"""The readers econome is measured against: two native programs, from two npm packages of a fixed version."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

__all__ = ["CCUSAGE", "PACKAGES", "TOKSCALE", "install", "seed_prices", "wipe_cache"]

PACKAGES = ("ccusage@20.0.24", "@tokscale/cli-linux-x64-gnu@4.17.0")
CCUSAGE = Path("node_modules/@ccusage/ccusage-linux-x64/bin/ccusage")
TOKSCALE = Path("node_modules/@tokscale/cli-linux-x64-gnu/bin/tokscale")

PRICE = {
    "input_cost_per_token": 5e-6,
    "output_cost_per_token": 25e-6,
    "cache_creation_input_token_cost": 6.25e-6,
    "cache_read_input_token_cost": 5e-7,
}
MODELS = (
    "claude-haiku-4-5-20251001",
    "claude-opus-4-5-20251101",
    "claude-opus-4-6",
    "claude-sonnet-4-5-20250929",
)


def install(folder: Path) -> str | None:
    """Install the peers into *folder*; return why they are not there, or None when they are."""
    binaries = [folder / CCUSAGE, folder / TOKSCALE]
    if not all(path.is_file() for path in binaries):
        if shutil.which("npm") is None:
            return "npm is not installed"
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-fund", "--no-audit", "--no-save", *PACKAGES]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode:
            return f"npm install failed:\n{done.stderr}"
    missing = [path.name for path in binaries if not path.is_file()]
    if missing:
        return f"no {' and no '.join(missing)} binary for this system"
    for path in binaries:
        path.chmod(0o755)  # the launcher of ccusage does so on its first start
    return None


def _cache(home: Path) -> Path:
    return home / ".config" / "tokscale" / "cache"


def seed_prices(home: Path) -> None:
    """Give tokscale fresh prices for the models of the tree.

    Without them it spends most of a second on failing to fetch some, which is not what is measured here.
    """
    _cache(home).mkdir(parents=True, exist_ok=True)
    content = json.dumps({"timestamp": int(time.time()), "data": dict.fromkeys(MODELS, PRICE)})
    for source in ("litellm", "openrouter", "models-dev"):
        (_cache(home) / f"pricing-{source}.json").write_text(content, encoding="utf-8")


def wipe_cache(home: Path) -> None:
    """Make tokscale forget the transcripts it has read."""
    for path in _cache(home).glob("source-message-cache*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
