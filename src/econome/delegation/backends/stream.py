"""What an OpenAI-compatible server answers to a prompt, put together from its stream as it comes.

It takes bytes and knows the events of `/v1/chat/completions`; it opens no connection. What is no event is passed over. A
model's reasoning is no part of its answer. Nothing that a server says goes into an error where it may hold the prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from econome.errors import BackendFailed

__all__ = ["LINE_LIMIT", "TEXT_LIMIT", "Answer", "Lines", "reported"]

LINE_LIMIT: Final = 1 << 20
"""A longer line of a stream is no event of a model."""

TEXT_LIMIT: Final = 2_000_000
"""An answer, its reasoning included, has at most this many characters: half a million tokens."""

_ENDS = re.compile(rb"[\r\n]+")
_WHOLE_LIMIT = 4 * TEXT_LIMIT
_NAME_LIMIT = 200
_SAID_LIMIT = 200
_WINDOW = 24
_COUNT_LIMIT = 2**53
_THOUGHT = re.compile(r"\s*<(think|thinking)>.*?(?:</\1>|\Z)\s*", re.DOTALL)
_OPENED = re.compile(r"<think(?:ing)?>")
_CLOSED = re.compile(r"</think(?:ing)?>\s*")


class Lines:
    """Cuts a stream into the payloads of its `data:` lines, however its bytes are dealt out."""

    def __init__(self, name: str) -> None:
        self._name, self._rest, self._whole = name, bytearray(), bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield each payload that *data* completes.

        Raises:
            BackendFailed: a line is longer than any event.
        """
        first, *more = _ENDS.split(data)
        self._rest += first
        if len(self._rest) > LINE_LIMIT:
            reason = f"a line of its answer is larger than {LINE_LIMIT} bytes"
            raise BackendFailed(f"{self._name}: {reason}")
        if not more:
            return
        *whole, rest = more
        for line in (bytes(self._rest), *whole):
            if line.startswith(b"data:"):
                yield line[5:].strip()
        self._rest = bytearray(rest)

    def hold(self, data: bytes) -> None:
        """Keep *data* of one object that is not streamed.

        Raises:
            BackendFailed: it is larger than any answer.
        """
        self._whole += data
        if len(self._whole) > _WHOLE_LIMIT:
            raise BackendFailed(f"{self._name}: its answer is larger than {_WHOLE_LIMIT} bytes")

    def end(self) -> Iterator[bytes]:
        """Yield what nothing ended: the payload of a last line, or the one object."""
        yield from self.feed(b"\n")
        if self._whole:
            yield bytes(self._whole)


class Answer:
    """An answer as far as it has come.

    `ended` once the server said that it is whole; `usage` are the tokens of prompt and answer where it counted them.
    """

    def __init__(self, name: str, model: str, prompt: str) -> None:
        self._name = name
        self.prompt, self.model = prompt, model
        self.ended = self.cut = False
        self.usage: tuple[int, int] | None = None
        self.pieces = 0
        self._said: list[str] = []
        self._thought: list[str] = []
        self._length = 0

    def add(self, payload: bytes) -> bool:
        """Take in one payload; return whether it held a piece of the answer or of the reasoning before it.

        Raises:
            BackendFailed: the server says that it failed, or it says more than an answer can hold.
        """
        if payload == b"[DONE]":
            self.ended = True
            return False
        try:
            event = json.loads(payload)
        except (ValueError, RecursionError):  # not JSON, not UTF-8, or too deep
            return False
        if not isinstance(event, dict):
            return False
        if event.get("error"):
            reason = reported(event, self.prompt)
            raise BackendFailed(f"{self._name}: broke off with an error{reason}")
        self._note(event)
        return self._take(event.get("choices"))

    def _note(self, event: dict[str, Any]) -> None:
        model, usage = event.get("model"), event.get("usage")
        if isinstance(model, str) and 0 < len(model) <= _NAME_LIMIT and model.isprintable():
            self.model = model
        if isinstance(usage, dict):
            counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if all(type(count) is int and 0 <= count <= _COUNT_LIMIT for count in counts):
                self.usage = counts  # type: ignore[assignment]

    def _take(self, choices: object) -> bool:
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return False
        finish = choices[0].get("finish_reason")
        if isinstance(finish, str):
            self.ended, self.cut = True, finish == "length"
        part = choices[0].get("delta") or choices[0].get("message")
        if not isinstance(part, dict):
            return False
        said = _text(part.get("content"))
        thought = _text(part.get("reasoning_content")) or _text(part.get("reasoning"))
        self._said.append(said)
        self._thought.append(thought)
        self._length += len(said) + len(thought)
        if self._length > TEXT_LIMIT:
            raise BackendFailed(f"{self._name}: answered more than {TEXT_LIMIT:,} characters")
        came = bool(said or thought)
        self.pieces += came
        return came

    def text(self) -> str:
        """Return the answer so far, without the reasoning before it."""
        return _without_thoughts(_mended("".join(self._said)))

    def received(self) -> str:
        """Return all that the model wrote so far, its reasoning first."""
        return _mended("".join([*self._thought, *self._said]))


def reported(body: object, prompt: str) -> str:
    """Return `: what the server said` of an error's body, in one short line; nothing where it may quote *prompt*."""
    error = body.get("error") if isinstance(body, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    if said is None and isinstance(body, dict):
        said = body.get("message") or body.get("detail")
    if not isinstance(said, str) or not said.strip():
        return ""
    line = " ".join(said.split())[:_SAID_LIMIT]
    plain = " ".join(prompt.split())
    starts = range(max(1, len(line) - _WINDOW + 1))
    if any(line[start : start + _WINDOW] in plain for start in starts):
        return ""
    return ": " + "".join(letter if letter.isprintable() else "?" for letter in line)


def _text(content: object) -> str:
    """Return the text of a content, which some servers send in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _mended(text: str) -> str:
    """Return *text* with the halves of a character joined that came in two pieces; a lone half is replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_thoughts(text: str) -> str:
    """Return *text* without the blocks of reasoning at its head; an opening that the template holds is not in it."""
    while found := _THOUGHT.match(text):
        text = text[found.end() :]
    closed = _CLOSED.search(text)
    if closed and not _OPENED.search(text, 0, closed.start()):
        text = text[closed.end() :]
    return text
