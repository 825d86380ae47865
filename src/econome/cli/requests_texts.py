"""What `econome requests` says, apart from the failures."""

from __future__ import annotations

from econome.delegation.wire import (
    CANCELLED,
    DONE,
    EXPIRED,
    FAILED,
    QUEUED,
    REFUSED,
    RUNNING,
    TO_REVIEW,
)

__all__ = [
    "REQUESTS",
    "REQUESTS_COLUMNS",
    "REQUESTS_HELP",
    "REQUESTS_OPTIONS",
    "REQUEST_COMMANDS",
    "STATUS_WORDS",
]

REQUESTS_HELP = (
    "The requests to local models: those that wait, run or need you, and those that ended last.\n\n"
    "It reads files and needs no server."
)

REQUEST_COMMANDS = {
    "show": (
        "One request: how it stands, its answer, or what it waits for.\n\n"
        "ID is its id, or the beginning of it where only one request begins so. "
        "Of one that needs you, the question is shown, or the changes of a coder as a diff; the server is asked for them."
    ),
    "cancel": "End a request that is open.",
    "allow": "Answer a coder's question: it may do what it asked for.",
    "apply": "Apply the changes that a coder proposes, all or none.",
    "reject": "Throw the changes away that a coder proposes.",
}

REQUESTS_OPTIONS = {
    "limit": "Show so many that ended; 10 without it.",
    "json": "Print JSON, see docs/json.md.",
    "deny": "It may not.",
}

STATUS_WORDS = {
    QUEUED: "queued",
    RUNNING: "running",
    TO_REVIEW: "needs you",
    DONE: "done",
    FAILED: "failed",
    CANCELLED: "cancelled",
    EXPIRED: "expired",
    REFUSED: "refused",
}

REQUESTS = {
    "none": "No request yet.",
    "estimated": "~{tokens}",
    "unknown": "-",
    "left": "No server runs: what is open was left by one that was stopped, and the next start ends it as failed.",
    "review": "See what a request asks with econome requests show ID; then allow, apply or reject it.",
    "head": "{request_id}: {status}",
    "figures": "{tokens_in} tokens in, {tokens_out} out, {seconds} s of work",
    "preset": "preset {name}",
    "format": "format {name}",
    "model": "model {name}",
    "backend": "backend {name}",
    "client": "asked by {name}",
    "output": "The answer is in {path}.",
    "cut": "The answer is not whole: it was cut at the limit of tokens.",
    "kept": "The answer is kept in {path}.",
    "not_kept": "The answer is no longer kept.",
    "asks": "It asks for leave: {act} {subject}",
    "answer_it": "econome requests allow {request_id}, with --deny to say no",
    "changed": "{path}  +{added_lines} -{removed_lines}{mark}",
    "runs_code": "  (can run programs)",
    "review_it": "econome requests apply {request_id}, or reject",
}

REQUESTS_COLUMNS = {
    "date": "when",
    "request_id": "request",
    "status": "status",
    "preset": "preset",
    "model": "model",
    "tokens_in": "in",
    "tokens_out": "out",
    "duration_s": "seconds",
    "output": "output",
    "error": "why",
}
