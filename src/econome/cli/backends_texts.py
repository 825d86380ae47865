"""What `econome backends` says, apart from the failures."""

from __future__ import annotations

__all__ = ["BACKENDS", "BACKENDS_COLUMNS", "BACKENDS_HELP", "BACKENDS_OPTIONS", "ORIGINS"]

BACKENDS_HELP = (
    "The models that work can be handed to, and which of them would do it.\n\n"
    "It asks the servers that the settings name and those on the usual ports of this machine for their models, and "
    "nothing else. A preset can name another one."
)

BACKENDS_OPTIONS = {"json": "Print JSON, see docs/json.md."}

ORIGINS = {"settings": "settings", "found": "found", "embedded": "econome"}

BACKENDS = {
    "no_address": "-",
    "not_looked": "The usual ports are not looked at: `detect = false` in the settings.",
    "usual": "{name} would do the work, with {model}.",
    "none": "As it is, work is refused: {reason}.",
    "coder": "Work that changes files: {path}, with the model of {usual}.",
    "no_coder": "Work that changes files: not now; {reason}.",
    "no_program": "there is no program {program}; `npm install -g opencode-ai` brings it, see docs/delegation.md",
    "no_model": "there is no model for it",
    "too_small": "the embedded model is too small for it",
}

BACKENDS_COLUMNS = {
    "name": "backend",
    "origin": "from",
    "url": "address",
    "models": "models",
}
