"""Images, sounds and files are weighed by their sizes, by a method that is named, and never at 0."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.images import (
    UNKNOWN_IMAGE,
    audio_tokens,
    blob_tokens,
    image_size,
    image_tokens,
    is_image,
    weighed_image,
)
from tests.requirements import requirement

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
_EXIF = b"\xff\xe1" + (60_000).to_bytes(2, "big") + bytes(59_998)
_FRAME = b"\xff\xc2\0\x11\x08" + (480).to_bytes(2, "big") + (640).to_bytes(2, "big") + b"\x03"
_TABLE = b"\xff\xc4\0\x05\1\2\3"
_WEBP = b"RIFF\0\0\0\0WEBP"
_HEADS = {
    "png": _PNG,
    "gif": b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little"),
    "jpeg": b"\xff\xd8" + _TABLE + _FRAME,
    "jpeg behind what a camera wrote": b"\xff\xd8" + _EXIF * 3 + b"\xff" + _FRAME,
    "webp": _WEBP
    + b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a"
    + (640).to_bytes(2, "little")
    + (480).to_bytes(2, "little"),
    "webp without loss": _WEBP
    + b"VP8L\0\0\0\0\x2f"
    + (639 | 479 << 14).to_bytes(4, "little")
    + bytes(5),
    "webp with more": _WEBP
    + b"VP8X\0\0\0\0\0\0\0\0"
    + (639).to_bytes(3, "little")
    + (479).to_bytes(3, "little"),
}


def encoded(raw: bytes) -> str:
    """Return bytes as an answer carries them."""
    return b64encode(raw).decode("ascii")


@requirement("L13")
@pytest.mark.parametrize("kind", sorted(_HEADS))
def test_the_size_is_read_from_the_head_of_an_image(kind: str) -> None:
    data = encoded(_HEADS[kind] + bytes(100))
    assert image_size(data) == (640, 480)
    assert image_size(f"data:image/x;base64,{data[:50]}\n{data[50:]}") == (640, 480)
    assert weighed_image(data) == (23 * 18, "squares of 28 px")


@requirement("L13", "LC16")
def test_an_image_of_a_hundred_kilobytes_is_not_free_even_where_its_size_is_not_known() -> None:
    assert weighed_image(encoded(bytes(100_000))) == (UNKNOWN_IMAGE, "assumed 1,568 tokens")
    assert weighed_image(None) == (UNKNOWN_IMAGE, "assumed 1,568 tokens")


@requirement("L13")
@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1, 1, 1),
        (28, 28, 1),
        (29, 28, 2),
        (1_000, 1_000, 1_296),
        (1_092, 1_092, 1_521),
        (8_000, 8_000, 4_784),
        (8_000, 10, 92),
    ],
)
def test_an_image_costs_a_token_for_each_square_and_no_more_than_a_model_takes(
    width: int, height: int, tokens: int
) -> None:
    assert image_tokens(width, height) == tokens
    assert image_tokens(height, width) == tokens
    assert image_tokens(width, height, long_edge=1_568, most=1_568) <= min(tokens, 1_568)


@requirement("L13")
@given(st.one_of(st.none(), st.text(), st.binary().map(encoded), st.binary().map(lambda raw: encoded(_PNG[:9] + raw))))  # fmt: skip
def test_no_data_is_too_odd_to_be_weighed(data: str | None) -> None:
    tokens, _ = weighed_image(data)
    assert min(tokens, audio_tokens(data), blob_tokens(data)) >= 1


@requirement("L13")
@given(st.sampled_from(sorted(_HEADS)), st.integers(0, 40))
def test_a_head_that_is_cut_short_has_no_size_or_the_right_one(kind: str, length: int) -> None:
    assert image_size(encoded(_HEADS[kind][:length])) in (None, (640, 480))


@requirement("L13")
def test_sounds_and_files_weigh_by_their_length() -> None:
    assert audio_tokens(encoded(bytes(16_000))) == 33
    assert blob_tokens("A" * 35) == 10


@requirement("L13")
@pytest.mark.parametrize(
    ("kind", "says"), [("image/png", True), ("text/plain", False), (None, False), (3, False)]
)
def test_the_type_of_a_block_says_whether_it_is_an_image(kind: object, says: bool) -> None:
    assert is_image({"mimeType": kind}) is says
