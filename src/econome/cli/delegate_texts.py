"""What `econome delegate` says."""

from __future__ import annotations

__all__ = ["DELEGATE", "DELEGATE_HELP", "DELEGATE_OPTIONS"]

DELEGATE_HELP = (
    "Have a local model do a task, and print its answer.\n\n"
    "BRIEF says what to do; - reads it from standard input. The running server does it; without one, this command. "
    "Ctrl-C cancels. What a coder would change is shown, and applied only where you say so; where it was not, the exit "
    "code is 1."
)

DELEGATE_OPTIONS = {
    "file": "A file that the model reads; may be given several times.",
    "output": "Write the answer to this file instead of standard output.",
    "overwrite": "Replace the output file if it exists.",
    "preset": "The preset to use; `econome presets` lists them.",
    "format": "What the answer must be: text, json, code, code:LANGUAGE or diff.",
    "preview": "Print only the first lines, and where the rest is.",
    "deadline": "Give up after so many seconds, waiting included.",
    "apply": "Apply a coder's changes without asking.",
    "json": "Print the answer of the tool, see docs/delegation.md.",
}

DELEGATE = {
    "queued": "waiting, number {position}",
    "reading": "{model}: reading, {seconds} s",
    "running": "{model}: {written}, {seconds} s",
    "some_model": "the model",
    "held": "Waiting for {holder}, which has the ledger and serves nobody else; `econome serve` serves all.",
    "written": "The answer is in {path}.",
    "cut": "The answer is not whole: it was cut at the limit of tokens.",
    "notice": "Note: {notice}.",
    "done": "{request_id}: {model}, {tokens_in} tokens in, {tokens_out} out, {seconds} s",
    "asks": "The coder asks for leave: {act} {subject}",
    "allow": "Allow it?",
    "denied": "The coder may not: {act} {subject}",
    "changed": "{path}  +{added_lines} -{removed_lines}{mark}",
    "runs_code": "  (can run programs)",
    "apply": "Apply these changes?",
    "applied": "The changes are applied.",
    "rejected": "Nothing was changed.",
    "refused": "Not applied: {reason}",
    "impossible": "These changes cannot be applied as they are: {reason}",
    "left_out": "Left out, and not applied: {paths}",
    "again": "Mend that and answer y to try again, or n to throw the changes away.",
    "left": "{request_id} needs you: `econome requests show {request_id}` says what for.",
    "unapplied": "Nothing was changed; give --apply to apply them, or answer at a terminal.",
    "cancelled": "cancelled {request_id}",
    "ended": "{request_id}: {status}",
    "no_brief": "BRIEF is empty; say what is to be done",
}
