"""What the house tests look at: the repository's files and the syntax trees of its modules."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

__all__ = ["REPOSITORY", "SOURCE", "TESTS", "module_name", "modules", "parsed", "tracked"]

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SOURCE = REPOSITORY / "src" / "econome"
TESTS = REPOSITORY / "tests"


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files that git knows or would add; outside a checkout, every file that is not generated."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        parts = ("src", "tests", "docs", "tools", "bench", "changelog.d")
        found = [path for part in parts for path in sorted((REPOSITORY / part).rglob("*"))]
        return tuple(path for path in found if path.is_file() and "__pycache__" not in path.parts)
    names = sorted(name for name in listed.decode("utf-8").split("\0") if name)
    return tuple(path for name in names if (path := REPOSITORY / name).is_file())


def modules(root: Path = SOURCE) -> list[Path]:
    """Return the Python files below *root*, in order."""
    return sorted(root.rglob("*.py"))


def module_name(path: Path) -> str:
    """Return the dotted name under which the file *path* of the package is imported."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of *path*."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
