"""What an answer must be: text, JSON of a schema, code in one language, or a unified diff (D6).

It looks at a model's text and at nothing else. That text is data: it is parsed and never carried out, and no address in
a schema is ever fetched.
"""

from __future__ import annotations

import ast
import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from econome.delegation.diffs import read_diff
from econome.delegation.fences import only_block
from econome.errors import DelegationRefused, FormatBroken

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

__all__ = ["FORMATS", "Format", "check", "instruction", "read_format"]

FORMATS: Final = ("text", "json", "code", "code:LANGUAGE", "diff")

_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9+#._-]{0,31}", re.IGNORECASE)
_CODE_LIMIT = 500_000
"""Longer code is not parsed: that takes far more memory than the code."""
_DOTS_LIMIT = 200
"""The library takes time by the square of the dots in a key."""
_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_EXAMPLES = frozenset({"const", "default", "enum", "examples"})
_PYTHON = frozenset({"py", "python", "python3"})


@dataclass(frozen=True, slots=True)
class Format:
    """What an answer must be; `language` is that of code, `schema` that of JSON."""

    kind: Literal["text", "json", "code", "diff"]
    language: str | None = None
    schema: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """Return the format as it is written."""
        return self.kind if self.language is None else f"{self.kind}:{self.language}"


def read_format(name: str, schema: Mapping[str, Any] | None = None) -> Format:
    """Return the format of a name; *schema* holds for JSON only.

    Raises:
        DelegationRefused: there is none of that name, or the schema is none.
    """
    kind, colon, language = name.partition(":")
    if kind == "code" and (not colon or _LANGUAGE.fullmatch(language)):
        return Format("code", language.lower() or None)
    if kind == "json" and not colon:
        if schema is not None:
            _refuse_no_schema(schema)
        return Format("json", schema=schema)
    if name == "text":
        return Format("text")
    if name == "diff":
        return Format("diff")
    raise DelegationRefused(f"format: expected one of {', '.join(FORMATS)}")


def _refuse_no_schema(schema: Mapping[str, Any]) -> None:
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        raise DelegationRefused(f"schema: {_first_line(error.message)}") from None
    for target in _targets(schema):
        if not target.startswith("#"):
            reason = "leads out of the schema, and nothing is fetched; put what it names under `$defs` and refer to `#/$defs/…`"
            raise DelegationRefused(f"schema: `$ref` to {_first_line(target)!r} {reason}")


def _targets(schema: object) -> Iterator[str]:
    """Yield where the references of a schema lead; what only looks like one, in an example, say, is none."""
    if isinstance(schema, Mapping):
        for name, value in schema.items():
            if name in _REFERENCES and isinstance(value, str):
                yield value
            elif name not in _EXAMPLES:
                yield from _targets(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _targets(value)


def instruction(wanted: Format) -> str | None:
    """Return what a model is told about the form of its answer."""
    if wanted.kind == "json":
        told = "Answer with JSON only: no other words, no code fence."
        if wanted.schema is None:
            return told
        return f"{told} It must be valid under this JSON schema:\n{_compact(wanted.schema)}"
    if wanted.kind == "code":
        language = "" if wanted.language is None else f" in {wanted.language}"
        return f"Answer with the code only{language}, whole and in one piece: no explanation before or after it."
    if wanted.kind == "diff":
        return (
            "Answer with one unified diff only, as `diff -u` writes it: "
            "`---` and `+++` lines, then `@@` hunks with right line counts."
        )
    return None


def check(wanted: Format, text: str) -> str:
    """Return the answer in its format: without the fence, and the words around it, that models add.

    Raises:
        FormatBroken: it is not of the wanted.
    """
    if not text.strip():
        raise FormatBroken("the answer is empty")
    if wanted.kind == "json":
        answer = only_block(text)
        _check_json(answer, wanted.schema)
        return answer.strip()
    if wanted.kind == "code":
        answer = only_block(text)
        if not answer.strip():
            raise FormatBroken("the code block is empty")
        _check_code(answer, wanted.language)
        return answer.strip("\n") + "\n"
    if wanted.kind == "diff":
        answer = only_block(text)
        read_diff(answer)
        return answer.strip("\n") + "\n"
    return text.strip()


def _check_json(text: str, schema: Mapping[str, Any] | None) -> None:
    try:
        value = msgspec.json.decode(text.strip())
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise FormatBroken(f"not JSON: {_first_line(str(error))}") from None
    if schema is None:
        return
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    # With a registry of its own, the library fetches no address that a schema names.
    validator = validator_for(schema)(schema, registry=Registry())
    try:
        broken = best_match(validator.iter_errors(value))
    except Unresolvable:
        raise FormatBroken("the schema refers to what it does not hold") from None
    except RecursionError:
        raise FormatBroken("the JSON is too deep") from None
    if broken is not None:
        where = _place(broken.absolute_path, schema)
        raise FormatBroken(f"not of the schema: {where}: {_rule(broken)}")


def _rule(broken: ValidationError) -> str:
    """Return which rule of a schema does not hold; the library's own sentence quotes the answer."""
    name, value, found = broken.validator, broken.validator_value, broken.instance
    if name == "required" and isinstance(value, list) and isinstance(found, Mapping):
        missing = [repr(one) for one in value if one not in found]
        verb = "is" if len(missing) == 1 else "are"
        return _first_line(f"{', '.join(missing)} {verb} missing")
    if name == "type":
        return _first_line(f"expected {' or '.join([value] if isinstance(value, str) else value)}")
    return _first_line(_compact({name: value}))


def _place(path: Iterable[str | int], schema: Mapping[str, Any]) -> str:
    """Return where in the answer something is; a name that only the answer holds is not told."""
    known = _compact(schema)
    parts = (
        f"[{part}]" if isinstance(part, int) else f".{part if _compact(part) in known else '*'}"
        for part in path
    )
    return "$" + "".join(parts)


def _check_code(text: str, language: str | None) -> None:
    if language is not None and len(text) > _CODE_LIMIT:
        raise FormatBroken(f"more than {_CODE_LIMIT:,} characters of code are not checked")
    if language in _PYTHON:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except SyntaxError as error:
            where = f"line {error.lineno}: " if error.lineno else ""
            raise FormatBroken(f"not Python: {where}{_unquoted(error.msg, text)}") from None
        except (ValueError, RecursionError, MemoryError):
            raise FormatBroken("not Python that can be parsed") from None
    elif language == "json":
        _check_json(text, None)
    elif language == "toml":
        if any(line.partition("=")[0].count(".") > _DOTS_LIMIT for line in text.split("\n")):
            raise FormatBroken("not TOML that can be parsed")
        try:
            tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # the former also for a number too long
            at = re.search(r"\(at [a-z0-9, ]+\)$", str(error))  # its words may quote the answer
            raise FormatBroken(f"not TOML{f' {at[0]}' if at else ''}") from None


def _unquoted(message: str, text: str) -> str:
    """Return what the parser says, without the words of the answer that it quotes."""
    return re.sub(
        r"'(\w{2,})'",
        lambda found: found[0] if iskeyword(found[1]) or found[1] not in text else "'…'",
        message,
    )


def _compact(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 200 else line[:200] + "…"
