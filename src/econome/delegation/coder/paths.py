"""Which paths of a repository may be changed at all, and which of them make a program run where they are obeyed.

It knows names. What stands at a path, and whether a link leads elsewhere, is found where the path is walked.
"""

from __future__ import annotations

import re
from typing import Final

from econome.delegation.places import OBEYED, folded, parts_of, refuse_closed
from econome.errors import FileRefused

__all__ = ["MODULES", "refusal", "runs_code"]

MODULES: Final = ".gitmodules"
"""The file that says which other repositories are fetched into this one."""

# Beside what nobody may write to at all.
_DIRECTORIES = frozenset(
    {
        ".circleci", ".devcontainer", ".direnv", ".forgejo", ".gemini", ".gitea", ".githooks", ".github", ".woodpecker",
        ".zed", "githooks", "hooks",
    }
)  # fmt: skip

_NAMES = frozenset(
    {
        ".drone.yml", ".eslintrc.js", ".eslintrc.cjs", ".gitlab-ci.yml", ".lfsconfig", ".npmrc", ".pnpmfile.cjs",
        ".pre-commit-config.yaml", ".prettierrc.js", ".pypirc", ".python-version", ".tool-versions", ".travis.yml",
        ".yarnrc", ".yarnrc.yml", "agents.md", "appveyor.yml", "azure-pipelines.yml", "binding.gyp",
        "bitbucket-pipelines.yml", "build.gradle", "build.gradle.kts", "build.rs", "cargo.toml", "claude.md",
        "cmakelists.txt", "composer.json", "conanfile.py", "configure", "conftest.py", "containerfile", "crush.json",
        "deno.json", "dockerfile", "gemfile", "gemini.md", "gnumakefile", "gradlew", "gruntfile.js", "gulpfile.js",
        "hatch_build.py", "jenkinsfile", "justfile", "lefthook.yml", "makefile", "meson.build", "mise.toml", "mvnw",
        "noxfile.py", "package.json", "package.swift", "pnpm-workspace.yaml", "podfile", "pom.xml", "pyproject.toml",
        "rakefile", "rust-toolchain.toml", "settings.gradle", "setup.cfg", "setup.py", "sitecustomize.py", "taskfile.yml",
        "tiltfile", "tox.ini", "usercustomize.py", "vagrantfile", "wscript",
    }
)  # fmt: skip

_PATTERNS = (
    re.compile(r".*\.config\.[cm]?[jt]s"),
    re.compile(r"(docker-)?compose([.-].*)?\.ya?ml"),
    re.compile(r"(container|docker|make)file[.-].*"),
    re.compile(r".*\.(bash|bat|cmd|csproj|fish|gemspec|gyp|gypi|mk|mod|pth|ps1|sh|targets|zsh)"),
    re.compile(r"go\.work|pytest\.ini|tsconfig.*\.json|\.editorconfig\.py"),
)


def refusal(path: str) -> str | None:
    """Return why a change of *path* is never applied, whatever it is; None where it may be."""
    try:
        absolute, parts = parts_of(path)
        refuse_closed(path, parts, writing=False)
    except FileRefused as error:
        return error.reason
    if absolute or "/".join(parts) != path:
        return "it is no plain path inside the repository"
    if any(part != part.strip() or part.endswith(".") or ":" in part for part in parts):
        return "a name in it means something else on other systems"
    if folded(parts[-1]) == MODULES:
        return "it says which submodules there are; change those yourself"
    return None


def runs_code(path: str) -> bool:
    """Whether the file is one that tools obey: hooks, CI, settings of editors and agents, what a build or a test runs."""
    *above, name = map(folded, path.split("/"))
    if not (_DIRECTORIES | OBEYED).isdisjoint(above) or name in _NAMES | OBEYED:
        return True
    return any(pattern.fullmatch(name) for pattern in _PATTERNS)
