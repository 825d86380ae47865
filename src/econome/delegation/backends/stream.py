"""What an OpenAI-compatible server answers to a prompt, put together from its stream as it comes.

It takes bytes and knows the events of `/v1/chat/completions`; it opens no connection. No piece of an answer is passed over:
what cannot be read ends it. A model's reasoning is no part of its answer. Nothing that a server says goes into an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from econome.delegation.backends.bodies import reported
from econome.errors import BackendFailed

__all__ = ["DONE", "LINE_LIMIT", "TEXT_LIMIT", "Answer", "Events"]

DONE: Final = "[DONE]"
"""The event after which nothing comes."""

LINE_LIMIT: Final = 1 << 20
"""A longer line of a stream is no event of a model, nor are so many lines of one."""

TEXT_LIMIT: Final = 2_000_000
"""An answer, its reasoning included, has at most this many characters: half a million tokens."""

_ENDS = re.compile(rb"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"
_WHOLE_LIMIT = 4 * TEXT_LIMIT
_NAME_LIMIT = 200
_COUNT_LIMIT = 2**53
_THOUGHT = re.compile(r"\s*<(think|thinking)>")
_BLANK = re.compile(r"\s*")
_OPENED = re.compile(r"<think(?:ing)?>")
_CLOSED = re.compile(r"</think(?:ing)?>\s*")


class Events:
    """Makes a stream's events of its bytes, however these are dealt out; *name* is the backend's."""

    def __init__(self, name: str) -> None:
        self._name, self._rest, self._whole = name, bytearray(), bytearray()
        self._parts: list[bytes] = []
        self._held = 0
        self._after_cr, self._begun = False, False

    def feed(self, data: bytes) -> Iterator[object]:
        """Yield each event that *data* completes: `DONE`, or what its JSON says.

        Raises:
            BackendFailed: an event is no JSON, or larger than any.
        """
        if not data:
            return
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        first, *more = _ENDS.split(data)
        self._rest += first
        if len(self._rest) + self._held > LINE_LIMIT:
            reason = f"a line of its answer is larger than {LINE_LIMIT} bytes"
            raise BackendFailed(f"{self._name}: {reason}")
        if not more:
            return
        *whole, rest = more
        for line in (bytes(self._rest), *whole):
            yield from self._line(line)
        self._rest = bytearray(rest)

    def hold(self, data: bytes) -> None:
        """Keep *data* of one object that is not streamed.

        Raises:
            BackendFailed: it is larger than any answer.
        """
        self._whole += data
        if len(self._whole) > _WHOLE_LIMIT:
            raise BackendFailed(f"{self._name}: its answer is larger than {_WHOLE_LIMIT} bytes")

    def end(self) -> Iterator[object]:
        """Yield what nothing ended: the event of the last lines, if it is whole, or the one object.

        Raises:
            BackendFailed: the object is no JSON.
        """
        yield from self.feed(b"\n")
        found = _event(b"\n".join(self._parts))
        if found is not None:
            yield found
        if self._whole:
            yield self._read(bytes(self._whole))

    def _line(self, line: bytes) -> Iterator[object]:
        if not self._begun:
            line, self._begun = line.removeprefix(_MARK), True
        if not line:
            if self._parts:
                payload = b"\n".join(self._parts)
                self._parts, self._held = [], 0
                yield self._read(payload)
            return
        if not line.startswith(b"data:"):
            return
        payload = line[5:].strip()
        # At once where a line is an event, also of a server that leaves no line between two.
        found = None if self._parts else _event(payload)
        if found is not None:
            yield found
        elif payload:
            self._parts.append(payload)
            self._held += len(payload)

    def _read(self, payload: bytes) -> object:
        found = _event(payload)
        if found is None:
            reason = (
                "sent a piece of the answer that cannot be read, so that the answer is not whole"
            )
            raise BackendFailed(f"{self._name}: {reason}")
        return found


def _event(payload: bytes) -> object:
    """Return what a payload says, None where it is no JSON; JSON's null, which says nothing, is an empty object."""
    if payload == DONE.encode():
        return DONE
    try:
        said = json.loads(payload.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return {} if said is None else said


class Answer:
    """An answer of *model* as far as it has come.

    `ended` once the server said that it is whole, `done` once nothing more comes; `usage` are the tokens of prompt and
    answer where it counted them; `named` is the model that the server says wrote it.
    """

    def __init__(self, name: str, model: str) -> None:
        self._name, self.model = name, model
        self.named: str | None = None
        self.ended = self.cut = self.done = False
        self.usage: tuple[int, int] | None = None
        self.pieces = 0
        self._said: list[str] = []
        self._thought: list[str] = []
        self.length = 0

    def add(self, event: object) -> bool:
        """Take in one event; return whether it held a piece of the answer or of the reasoning before it.

        Raises:
            BackendFailed: the server says that it failed, or it says more than an answer can hold.
        """
        if event == DONE:
            self.ended = self.done = True
            return False
        if not isinstance(event, dict):
            return False
        if event.get("error"):
            raise BackendFailed(f"{self._name}: broke off with an error{reported(event)}")
        self._note(event)
        return self._take(event.get("choices"))

    def _note(self, event: dict[str, Any]) -> None:
        model, usage = event.get("model"), event.get("usage")
        if isinstance(model, str) and 0 < len(model) <= _NAME_LIMIT and model.isprintable():
            self.named = model
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
        self.length += len(said) + len(thought)
        if self.length > TEXT_LIMIT:
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
    at = 0
    while found := _THOUGHT.match(text, at):
        end = f"</{found[1]}>"
        closed = text.find(end, found.end())
        if closed < 0:
            return ""
        blank = _BLANK.match(text, closed + len(end))
        at = closed if blank is None else blank.end()
    last = _CLOSED.search(text, at)
    if last and not _OPENED.search(text, at, last.start()):
        at = last.end()
    return text[at:]
