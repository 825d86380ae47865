"""Messages that no strict reader takes, and what becomes of good ones on a bad day."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["ODD", "lines", "mutated"]

ODD = (
    b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b'"\\ud800"', b'{"a":[NaN]}', b"9" * 5000,
    b"[" * 3000 + b"]" * 3000,
)  # fmt: skip
"""Values as Python and JavaScript write them, and such as nobody should."""

_BITS = st.sampled_from(
    [*ODD, b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"null", b"\xff", b"\x00", b"\r", b" "]
)


def lines() -> st.SearchStrategy[bytes]:
    """Return any bytes that are a line."""
    return st.binary(max_size=200).map(lambda data: data.replace(b"\n", b"\r"))


@st.composite
def mutated(draw: st.DrawFn, *messages: bytes) -> bytes:
    """Return one of these messages with parts of it taken away and others put in."""
    message = draw(st.sampled_from(messages))
    for _ in range(draw(st.integers(0, 3))):
        begin = draw(st.integers(0, len(message)))
        end = min(len(message), begin + draw(st.integers(0, 6)))
        message = message[:begin] + draw(_BITS | st.binary(max_size=3)) + message[end:]
    return message.replace(b"\n", b"\r")
