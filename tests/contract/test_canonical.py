"""Equal values have equal bytes, and they are the bytes that RFC 8785 and ECMAScript say."""

from __future__ import annotations

import hashlib
import json
import random
import struct
from decimal import Decimal
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.canonical import DEPTH, canonical, digest, number
from tests.requirements import requirement

pytestmark = requirement("L16")

SAMPLES = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}
"""RFC 8785, appendix B: the bits of a double, and how it is written."""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
wholes = st.integers(-(2**1000), 2**1000) | st.integers(-(2**55), 2**55)
finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | wholes | finite | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=20,
)
"""Whatever a JSON text can hold."""


def as_ecmascript_writes(value: float) -> str:
    """Number::toString of ECMA-262, from its sentence: the digits s, how many they are k, and the point n."""
    if value == 0:
        return "0"
    if value < 0:
        return "-" + as_ecmascript_writes(-value)
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    s, k = "".join(map(str, digits)), len(digits)
    n = exponent + k
    if k <= n <= 21:
        return s + "0" * (n - k)
    if 0 < n <= 21:
        return f"{s[:n]}.{s[n:]}"
    if -6 < n <= 0:
        return "0." + "0" * -n + s
    tail = f".{s[1:]}" if k > 1 else ""
    return f"{s[0]}{tail}e{n - 1:+d}"


def doubled(value: Any) -> Any:
    """The value as a reader has it that knows no number but the double."""
    if isinstance(value, dict):
        return {key: doubled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [doubled(inner) for inner in value]
    return float(value) if type(value) in (int, float) else value


def shuffled(value: Any, rng: random.Random) -> Any:
    """The same value, with the keys of each object in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(inner, rng)) for key, inner in value.items()]
        rng.shuffle(items)
        return dict(items)
    return [shuffled(inner, rng) for inner in value] if isinstance(value, list) else value


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("bits, text", SAMPLES.items())
def test_a_number_is_written_as_in_appendix_b(bits: str, text: str) -> None:
    (double,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(double).decode() == text


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_a_number_that_is_not_finite_is_refused(bits: str) -> None:
    (double,) = struct.unpack(">d", bytes.fromhex(bits))
    with pytest.raises(ValueError, match="not finite"):
        canonical({"a": [double]})


def test_the_sample_object_has_the_bytes_of_the_rfc() -> None:
    sample = json.loads(
        r"""{
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        }"""
    )
    assert canonical(sample) == bytes.fromhex(  # 3.2.4
        "7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72 73"
        "22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c 31"
        "65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c"
        "22 2f 22 7d"
    )


def test_keys_are_sorted_by_their_utf_16_units_as_in_the_rfc() -> None:
    sample = json.loads(
        r"""{
          "\u20ac": "Euro Sign",
          "\r": "Carriage Return",
          "\ufb33": "Hebrew Letter Dalet With Dagesh",
          "1": "One",
          "\ud83d\ude00": "Emoji: Grinning Face",
          "\u0080": "Control",
          "\u00f6": "Latin Small Letter O With Diaeresis"
        }"""
    )
    assert list(json.loads(canonical(sample)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


@requirement("LC19")
@pytest.mark.parametrize(
    "value, expected",
    [
        (
            {
                "schemaFieldCount": 5,
                "unboundedCollection": True,
                "baseOverheadTokens": 0,
                "inflationRisk": "high",
            },
            "c7edfe1502408ff2ff48f69d854c58ebf9854acfa935446cc4452b1dce886126",
        ),
        (
            {
                "filesystem": False,
                "network": False,
                "subprocess": False,
                "crypto": False,
                "codeEvaluation": False,
                "raw": [],
            },
            "83faee5ee13793810f4451104a6e452f4938b429867504d40b93f589d287d92d",
        ),
    ],
    ids=["economics", "entitlements"],
)
def test_the_digest_is_the_one_that_a_program_in_another_language_prints(
    value: dict[str, Any], expected: str
) -> None:
    backwards = dict(reversed(value.items()))
    assert (digest(value), digest(backwards)) == (f"sha256:{expected}", f"sha256:{expected}")


@requirement("LC19")
def test_names_of_fields_joined_have_the_hash_that_another_program_prints() -> None:
    names = json.loads(canonical(dict.fromkeys(["f3", "f1", "f0", "f4", "f2"])))
    assert hashlib.sha256(",".join(names).encode()).hexdigest() == (
        "ad7b28651f4b2467515feb1fe0213d26e3ab2114367983117b0b02ad835c5e77"
    )


@given(finite)
def test_any_number_is_written_as_ecmascript_does(value: float) -> None:
    assert canonical(value).decode() == as_ecmascript_writes(value)


@given(wholes)
def test_a_whole_number_is_the_double_that_it_is_to_every_reader(value: int) -> None:
    assert canonical(value) == canonical(float(value))


@given(values)
def test_the_short_way_and_the_library_write_the_same(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(doubled(value))


@given(values)
def test_what_was_written_is_read_as_the_same_value(value: Any) -> None:
    assert doubled(json.loads(canonical(value))) == doubled(value)


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_keys_never_matters(value: Any, rng: random.Random) -> None:
    assert canonical(shuffled(value, rng)) == canonical(value)


@given(values)
def test_the_bytes_hold_no_line_end(value: Any) -> None:
    assert not {b"\n", b"\r"} & {bytes([byte]) for byte in canonical(value)}


@pytest.mark.parametrize(
    "value", ["\ud800", "a\udfff", {"\ud800": 1}, ["\udc00\ud800"], {"\ud800": 0.1, "é": 2.0}]
)
def test_half_of_a_surrogate_pair_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="surrogate"):
        canonical(value)


@pytest.mark.parametrize("value", [{1: 2}, {None: 1}, [{"a": {1.5: 1}}]])
def test_a_key_that_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="a key is no text"):
        canonical(value)


@pytest.mark.parametrize("value", [b"", {1}, (1,), object(), [1j], {"a": Decimal(1)}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="is no JSON"):
        canonical(value)


@pytest.mark.parametrize("extra", [1, 10, 100_000])
def test_what_is_nested_too_deep_is_refused_however_deep_it_is(extra: int) -> None:
    with pytest.raises(ValueError, match="nested more than 200 levels deep"):
        canonical(nested(DEPTH + extra))


def test_what_is_nested_as_deep_as_may_be_is_written_either_way() -> None:
    plain = nested(DEPTH)
    other = json.loads(json.dumps(plain).replace("1", "1e30"))
    assert json.loads(canonical(plain)) == plain
    assert json.loads(canonical(other)) == other


@pytest.mark.parametrize(
    "value, told",
    [
        (2**53, 2**53),
        (-(2**53), -(2**53)),
        (2**53 + 1, 2**53),
        (2**70, float(2**70)),
        (5.0, 5),
        (-0.0, 0),
        (1e300, 1e300),
        (True, 1),
        (0.5, 0.5),
    ],
)
def test_a_number_is_told_as_readers_agree_on(value: int | float, told: int | float) -> None:
    assert (number(value), type(number(value))) == (told, type(told))


@pytest.mark.parametrize("value", [2**1024, -(10**400), float("inf"), float("nan")])
def test_a_number_beyond_every_double_is_refused(value: int | float) -> None:
    with pytest.raises(ValueError, match="too large for JSON"):
        number(value)
    with pytest.raises(ValueError, match="too large for JSON"):
        canonical([value])
