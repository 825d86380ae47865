"""JSON as econome prints it: the same bytes for the same value, ASCII only, one row of a list on a line.

It is on the fast path, and importing `json` costs more than writing a report: strings are escaped here,
by the same rules, and what is read is read by the scanner in C that `json` itself uses. What no
report holds (NaN, bytes, keys that are not text) is refused.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["dumps", "loads"]

_SHORT = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}
_BLANKS = " \t\n\r"
_OPEN_LEVELS = (
    2  # an answer and its lists of rows are spread over lines; rows and plain lists are not
)


def dumps(value: object) -> str:
    """Return *value* as JSON text without a final line end.

    A lone surrogate, which no JSON reader has to accept, becomes U+FFFD.

    Raises:
        TypeError: the value holds something that has no JSON form.
        ValueError: the value holds a number that is not finite.
    """
    return _text(value, 0)


def _text(value: object, level: int) -> str:
    if type(value) is str:
        return _string(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if type(value) is int:
        return str(value)
    if type(value) is float:
        if value - value != 0.0:
            raise ValueError(f"no JSON number: {value!r}")
        return repr(value)
    if type(value) is dict:
        items = [f"{_key(key)}: {_text(entry, level + 1)}" for key, entry in value.items()]
        return _joined("{", items, "}", level)
    if type(value) is list or type(value) is tuple:
        flat = not any(type(entry) in (dict, list, tuple) for entry in value)
        items = [_text(entry, level + 1) for entry in value]
        return _joined("[", items, "]", _OPEN_LEVELS if flat else level)
    raise TypeError(f"no JSON form: {type(value).__name__}")


def _joined(opening: str, items: list[str], closing: str, level: int) -> str:
    if not items:
        return opening + closing
    if level >= _OPEN_LEVELS:
        return f"{opening}{', '.join(items)}{closing}"
    indent = "\n" + "  " * (level + 1)
    inside = f",{indent}".join(items)
    return f"{opening}{indent}{inside}\n{'  ' * level}{closing}"


def _key(key: object) -> str:
    if type(key) is not str:
        raise TypeError(f"no JSON key: {type(key).__name__}")
    return _string(key)


def _string(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_escaped, _sound(text)))}"'


def _sound(text: str) -> str:
    """Return *text* with surrogate pairs joined and each lone surrogate replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _escaped(letter: str) -> str:
    if letter in _SHORT:
        return _SHORT[letter]
    if " " <= letter <= "~":
        return letter
    units = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class _Reading:
    """What the scanner asks of `json.JSONDecoder`."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float  # NaN and the infinities, as the standard library reads them


def loads(text: str) -> Any:
    """Return the value of a JSON text, as `json.loads` does.

    Raises:
        ValueError: it is no JSON.
    """
    begun = text.lstrip(_BLANKS)
    try:
        from _json import make_scanner
    except ImportError:  # an interpreter without the scanner in C
        from json import loads as read

        return read(text)
    try:
        value, end = make_scanner(_Reading)(begun, 0)  # type: ignore[arg-type]
    except (StopIteration, SystemError):  # the latter where it finds no json module to fail with
        raise ValueError("no JSON value") from None
    if begun[end:].strip(_BLANKS):
        raise ValueError("more than one JSON value")
    return value
