"""Which files programs obey: by themselves, wherever they lie, and those that a build, a test or a hosting service runs.

It knows names, folded as `places.folded` does, and this list is the only one. What follows of it, others decide: an answer
is never written to the first kind, and a coder's change of either is marked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["control", "runs_code"]

# Obeyed by whatever is started there next, or by the next login: a file of that name, and all below a directory.
_CONTROL: Final = frozenset(
    {
        # shells and sessions
        ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".cshrc", ".inputrc", ".kshrc", ".login",
        ".logout", ".mkshrc", ".oh-my-zsh", ".pam_environment", ".profile", ".screenrc", ".tcshrc", ".tmux.conf", ".xinitrc",
        ".xprofile", ".xsession", ".xsessionrc", ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc",
        # editors
        ".devcontainer", ".devcontainer.json", ".dir-locals.el", ".emacs", ".emacs.d", ".exrc", ".fleet", ".gvimrc", ".idea",
        ".nanorc", ".nova", ".nvimrc", ".vim", ".vimrc", ".vscode", ".vscode-server", ".zed",
        # agents
        ".aider.conf.yml", ".amazonq", ".augment", ".claude", ".claude.json", ".cline", ".clinerules", ".codex", ".continue",
        ".continuerc.json", ".crush", ".crush.json", ".cursor", ".cursorrules", ".gemini", ".goosehints", ".junie", ".kiro",
        ".mcp.json", ".opencode", ".qwen", ".roo", ".roomodes", ".roorules", ".trae", ".windsurf", ".windsurfrules",
        "crush.json", "opencode.json", "opencode.jsonc",
        # debuggers and interpreters
        ".gdbearlyinit", ".gdbinit", ".ghci", ".ipython", ".irbrc", ".jupyter", ".lldbinit", ".pdbrc", ".pryrc", ".pythonrc",
        ".pythonrc.py", ".rprofile", ".venv",
        # version control, environments, and programs that name programs
        ".aws", ".curlrc", ".docker", ".envrc", ".gitattributes", ".gitconfig", ".githooks", ".gitmodules", ".gnupg", ".hgrc",
        ".husky", ".kube", ".ssh", ".wgetrc",
    }
)  # fmt: skip

_CONTROL_BELOW: Final = frozenset(
    {
        (".cargo", "bin"), (".cargo", "config"), (".cargo", "config.toml"), (".cargo", "env"),
        (".config", "autostart"), (".config", "direnv"), (".config", "emacs"), (".config", "environment.d"),
        (".config", "fish"), (".config", "git"), (".config", "mise"), (".config", "nvim"), (".config", "opencode"),
        (".config", "systemd"), (".config", "tmux"), (".config", "zed"), (".config", "zsh"),
        (".gradle", "gradle.properties"), (".gradle", "init.d"), (".gradle", "init.gradle"), (".gradle", "init.gradle.kts"),
        (".local", "bin"), (".local", "lib"), (".local", "share"),
        ("library", "launchagents"), ("library", "launchdaemons"),
    }
)  # fmt: skip
"""Of these directories only what is named."""

_CONTROL_ENDS: Final = (".code-workspace", ".sublime-project", ".desktop")

# Files of a project that people write and review, and that something carries out when it is asked to.
_DIRECTORIES = frozenset(
    {
        ".circleci", ".direnv", ".forgejo", ".gitea", ".github", ".mvn", ".woodpecker", ".yarn", "githooks", "hooks",
    }
)  # fmt: skip

_NAMES = frozenset(
    {
        ".drone.yml", ".eslintrc.js", ".eslintrc.cjs", ".gitlab-ci.yml", ".lfsconfig", ".npmrc", ".pnpmfile.cjs",
        ".pre-commit-config.yaml", ".prettierrc.js", ".pypirc", ".python-version", ".tool-versions", ".travis.yml",
        ".yarnrc", ".yarnrc.yml", "agents.md", "appveyor.yml", "azure-pipelines.yml", "binding.gyp",
        "bitbucket-pipelines.yml", "build.gradle", "build.gradle.kts", "build.rs", "cargo.toml", "claude.local.md",
        "claude.md", "cmakelists.txt", "composer.json", "conanfile.py", "configure", "conftest.py", "containerfile",
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


def control(names: Sequence[str]) -> int | None:
    """Return which of a path's folded names programs obey without being asked; None where none is such."""
    for at, name in enumerate(names):
        if name in _CONTROL or name.endswith(_CONTROL_ENDS):
            return at
        if tuple(names[at : at + 2]) in _CONTROL_BELOW:
            return at + 1
    return None


def runs_code(names: Sequence[str]) -> bool:
    """Whether a path of these folded names is obeyed: as `control` says, or when something is built, tested or hosted."""
    if control(names) is not None:
        return True
    *above, name = names
    if not _DIRECTORIES.isdisjoint(above) or name in _NAMES:
        return True
    return any(pattern.fullmatch(name) for pattern in _PATTERNS)
