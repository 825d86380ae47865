"""What an image, a sound or a file in an answer costs: estimates from their sizes, each by the name of its method, never 0.

An image costs Claude a token for each square of 28 pixels, after it was scaled down to what the model takes: this is what
Anthropic's page on vision says, and its older rule of width times height over 750 comes to about the same. Models that take
1,568 pixels see fewer of a large one, so that this is the most. For sounds and files no provider says a figure that holds.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

__all__ = [
    "AS_AUDIO",
    "AS_BASE64",
    "AS_IMAGE",
    "AS_IMAGE_OF_UNKNOWN_SIZE",
    "UNKNOWN_IMAGE",
    "audio_tokens",
    "blob_tokens",
    "image_size",
    "image_tokens",
    "is_image",
    "weighed_image",
]

AS_IMAGE: Final = "squares of 28 px"
AS_IMAGE_OF_UNKNOWN_SIZE: Final = "assumed 1,568 tokens"
AS_AUDIO: Final = "bytes/500"
AS_BASE64: Final = "base64/3.5"

UNKNOWN_IMAGE: Final = 1_568
"""Tokens that an image is taken to cost whose size cannot be read: the most that a model of 1,568 pixels pays."""

_SQUARE: Final = 28
_LONG_EDGE: Final = 2_576
_MOST: Final = 4_784
_AUDIO_BYTES: Final = 500
"""Bytes of sound for a token: 128 kbit/s at 32 tokens a second."""

_READ: Final = 800_000
"""Characters of base64 that are looked at for the size; what a camera writes in front of it is shorter."""

_NO_FRAME: Final = {0xC4, 0xC8, 0xCC}
_BARE: Final = {0x01, *range(0xD0, 0xDA)}


def image_tokens(width: int, height: int, long_edge: int = _LONG_EDGE, most: int = _MOST) -> int:
    """Return the tokens of an image of so many pixels, for a model that takes so long an edge and so many tokens."""
    width, height = max(width, 1), max(height, 1)
    longer = max(width, height)
    if longer > long_edge:
        width = max(width * long_edge // longer, 1)
        height = max(height * long_edge // longer, 1)
    return min(-(-width // _SQUARE) * -(-height // _SQUARE), most)


def weighed_image(data: object) -> tuple[int, str]:
    """Return the tokens of an image in base64, and by which method; one whose size cannot be read is assumed."""
    size = image_size(data)
    if size is None:
        return UNKNOWN_IMAGE, AS_IMAGE_OF_UNKNOWN_SIZE
    return image_tokens(*size), AS_IMAGE


def audio_tokens(data: object) -> int:
    """Return about how many tokens a sound in base64 is, at least one."""
    return max(-(-_length(data) * 3 // 4 // _AUDIO_BYTES), 1)


def blob_tokens(data: object) -> int:
    """Return the tokens of a file in base64 as they are where a client shows the base64 as it came, at least one."""
    return max(-(-_length(data) * 10 // 35), 1)


def _length(data: object) -> int:
    return len(data) if isinstance(data, str) else 0


def image_size(data: object) -> tuple[int, int] | None:
    """Return width and height of a PNG, JPEG, GIF or WebP image in base64; None where they cannot be read."""
    if not isinstance(data, str):
        return None
    begun = data[:_READ]
    if begun.startswith("data:"):
        begun = begun.partition(",")[2]
    begun = "".join(begun.split()).rstrip("=")
    whole = begun[: len(begun) // 4 * 4] or begun
    try:
        head = b64decode(whole + "=" * (-len(whole) % 4))
    except (binascii.Error, ValueError):
        return None
    size = _png(head) or _gif(head) or _webp(head) or _jpeg(head)
    return size if size is not None and min(size) > 0 else None


def _big(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _little(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


def _png(head: bytes) -> tuple[int, int] | None:
    if not head.startswith(b"\x89PNG\r\n\x1a\n") or len(head) < 24:
        return None
    return _big(head[16:20]), _big(head[20:24])


def _gif(head: bytes) -> tuple[int, int] | None:
    if head[:6] not in (b"GIF87a", b"GIF89a") or len(head) < 10:
        return None
    return _little(head[6:8]), _little(head[8:10])


def _webp(head: bytes) -> tuple[int, int] | None:
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP" or len(head) < 30:
        return None
    kind = head[12:16]
    if kind == b"VP8X":
        return _little(head[24:27]) + 1, _little(head[27:30]) + 1
    if kind == b"VP8L" and head[20] == 0x2F:
        bits = _little(head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF
    return None


def _jpeg(head: bytes) -> tuple[int, int] | None:
    """Return the size that the frame of a JPEG says, behind the parts in front of it."""
    if head[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif marker in _BARE:
            at += 2
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            return _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7])
        else:
            at += 2 + max(_big(head[at + 2 : at + 4]), 2)
    return None


def is_image(content: Mapping[str, Any]) -> bool:
    """Tell whether a block, or the resource in it, says that it is an image."""
    kind = content.get("mimeType")
    return isinstance(kind, str) and kind.startswith("image/")
