"""Halves of surrogate pairs in JSON text, which stand for no character and which the SDK's parser does not get over.

It knows escapes, not messages. A half becomes a character that is none either, so that whoever reads the text can tell.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["STAND_IN", "mended"]

STAND_IN: Final = "\uffff"
"""What stands for a half; Unicode assigns it to nothing, now and later."""

_ESCAPE = re.compile(
    rb"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_SUSPECT = re.compile(rb"\\u[dD][89a-fA-F]")


def mended(text: bytes) -> bytes:
    """Return a JSON text without the escapes of half characters; what is in order stays as it is, byte for byte."""
    return _ESCAPE.sub(_whole, text) if _SUSPECT.search(text) else text


def _whole(escape: re.Match[bytes]) -> bytes:
    return b"\\uffff" if escape["half"] else escape[0]
