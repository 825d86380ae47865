"""What an answer must be, what is taken off it, and what no reason tells."""

from __future__ import annotations

import difflib
import urllib.request
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from econome.delegation import formats
from econome.delegation.formats import Format, check, instruction, read_format
from econome.errors import DelegationRefused, FormatBroken
from tests.requirements import requirement

pytestmark = requirement("D6")

TEXT, JSON, CODE, DIFF = (read_format(name) for name in ("text", "json", "code", "diff"))
PYTHON, TOML = read_format("code:python"), read_format("code:toml")
AGED = {
    "type": "object",
    "required": ["age"],
    "additionalProperties": {"type": "string"},
    "properties": {"age": {"type": "integer"}},
}
SCHEMED = read_format("json", AGED)
EVERY = [TEXT, JSON, CODE, DIFF, PYTHON, TOML, SCHEMED, read_format("code:json")]
WORD = "xyzzyplugh"


def _why(wanted: Format, text: str) -> str:
    with pytest.raises(FormatBroken) as caught:
        check(wanted, text)
    return str(caught.value)


@pytest.mark.parametrize(
    "name", ["text", "json", "code", "diff", "code:python", "code:c++", "code:C#"]
)
def test_a_format_has_the_name_it_was_read_from(name: str) -> None:
    assert read_format(name).name == name.lower()


@pytest.mark.parametrize(
    "name", ["", "xml", "code:", "code: py", "json:x", "text:de", "Text", "diff:", "code:a/b"]
)
def test_another_name_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(DelegationRefused, match="text, json, code, code:LANGUAGE, diff"):
        read_format(name)


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(DelegationRefused, match="schema: "):
        read_format("json", {"type": "colour"})


@pytest.mark.parametrize("wanted", EVERY, ids=lambda wanted: str(wanted.name))
def test_an_empty_answer_is_of_no_format(wanted: Format) -> None:
    assert _why(wanted, " \n\t") == "the answer is empty"


@pytest.mark.parametrize(
    "text",
    [
        '{"age":7}',
        ' \n{"age":7}\n',
        '```json\n{"age":7}\n```',
        'Here it is:\n\n```\n{"age":7}\n```\nAnything else?',
        '~~~~ json\n{"age":7}\n~~~~',
    ],
)
def test_json_is_taken_out_of_its_fence_and_the_words_around_it(text: str) -> None:
    assert check(SCHEMED, text) == '{"age":7}'


@pytest.mark.parametrize(
    "text, reason",
    [
        ("{}", "not of the schema: $: 'age' is missing"),
        ('{"age":"7"}', "not of the schema: $.age: expected integer"),
        ('{"age":7,"xyzzyplugh":1}', "not of the schema: $.*: expected string"),
        ("[1]", "not of the schema: $: expected object"),
    ],
)
def test_json_that_is_wrong_says_where_by_the_rule(text: str, reason: str) -> None:
    assert _why(SCHEMED, text) == reason


@pytest.mark.parametrize("text", ["age: 7", '{"age":NaN}', '{"age":7} and', '{"age":7'])
def test_what_is_no_json_is_told_so(text: str) -> None:
    assert _why(SCHEMED, text).startswith("not JSON: ")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"properties": {"a": {"anyOf": [{"$ref": "other.json#/$defs/a"}]}}},
        {"$defs": {"a": {"$dynamicRef": "file:///etc/passwd"}}},
    ],
)
def test_a_schema_that_leads_elsewhere_is_refused(schema: dict[str, object]) -> None:
    with pytest.raises(DelegationRefused, match=r"^schema: `\$ref` to '.*nothing is fetched"):
        read_format("json", schema)


def test_a_schema_may_refer_to_itself_and_show_what_looks_like_a_reference() -> None:
    schema = {
        "$defs": {"n": {"type": "integer"}},
        "properties": {"$ref": {"$ref": "#/$defs/n"}},
        "examples": [{"$ref": "http://x"}],
    }
    assert check(read_format("json", schema), '{"$ref": 1}') == '{"$ref": 1}'


def test_no_address_in_a_schema_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_args: object, **_named: object) -> None:
        raise AssertionError("fetched")

    monkeypatch.setattr(urllib.request, "urlopen", fetch)
    wanted = Format("json", schema={"$ref": "http://127.0.0.1:9/schema.json"})
    assert _why(wanted, "{}") == "the schema refers to what it does not hold"


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 900 + "]" * 900])
def test_json_of_any_depth_is_answered(text: str) -> None:
    nested: dict[str, Any] = {"$ref": "#/$defs/n", "$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}}
    assert _why(read_format("json", nested), text)


@pytest.mark.parametrize(
    "text, code",
    [
        ("x = 1", "x = 1\n"),
        ("\n    x\n", "    x\n"),
        ("Sure!\n```python\nx = 1\n\n\ny = 2\n```\nDone.", "x = 1\n\n\ny = 2\n"),
        ("```\r\nx = 1\r\n```", "x = 1\n"),
        ("````\n```\nx\n```\n````", "```\nx\n```\n"),
        ("```\n~~~\n```", "~~~\n"),
        ("```\na\n``` b\nc\n```", "a\n``` b\nc\n"),
        ("``` not `a` fence", "``` not `a` fence\n"),
    ],
)
def test_code_is_what_stands_in_its_one_block(text: str, code: str) -> None:
    assert check(CODE, text) == code


@pytest.mark.parametrize(
    "wanted, text, reason",
    [
        (CODE, "```\na\n```\n```\nb\n```", "2 code blocks; expected one"),
        (CODE, "```\na", "the code block has no end"),
        (CODE, "```\n```", "the code block is empty"),
        (PYTHON, "x = 1\ndef f(:\n    pass", "not Python: line 2: invalid syntax"),
        (PYTHON, "x = '\0'", None),
        (PYTHON, "-" * 200_000 + "1", None),
        (TOML, "a = 1\na = 2", None),
        (TOML, "a = " + "1" * 5000, None),
        (TOML, "a" + ".a" * 50_000 + " = 1", "not TOML that can be parsed"),
        (read_format("code:json"), "{a: 1}", None),
    ],
)  # fmt: skip
def test_code_that_is_wrong_is_refused(wanted: Format, text: str, reason: str | None) -> None:
    assert _why(wanted, text) == reason or reason is None


def test_code_that_only_warns_is_code() -> None:
    assert check(PYTHON, "x = '\\d'\nassert (x, 1)\n") == "x = '\\d'\nassert (x, 1)\n"


LINES = st.lists(st.sampled_from(["a", "b", "", "--- a", "+++ b", "@@ -1 +1 @@", " c"]), max_size=9)


def _diff(old: list[str], new: list[str]) -> list[str]:
    return list(difflib.unified_diff(old, new, "a/f", "b/f", lineterm=""))


@given(LINES, LINES, st.sampled_from(["{}", "```diff\n{}\n```", "Here:\n```\n{}\n```\n"]))
def test_every_diff_of_two_texts_is_one(old: list[str], new: list[str], around: str) -> None:
    assume(old != new)
    diff = "\n".join(_diff(old, new))
    assert check(DIFF, around.format(diff)) == diff.strip("\n") + "\n"


@given(LINES, LINES, st.data())
def test_a_diff_that_lacks_a_line_is_none(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    assume(old != new)
    lines = _diff(old, new)
    del lines[data.draw(st.integers(0, len(lines) - 1))]
    assert _why(DIFF, "\n".join(lines) or "x").startswith("not a unified diff: ")


def test_a_diff_as_git_writes_it_is_taken() -> None:
    text = (
        "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n"
        "\\ No newline at end of file\ndiff --git a/y b/y\nindex 1..2 100644\n--- a/y\n+++ b/y\n@@ -1,3 +1,2 @@ def f():\n a\n\n-b\n"
    )
    assert check(DIFF, text) == text


def test_a_diff_of_two_files_needs_nothing_between_them() -> None:
    text = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1 +1 @@\n-c\n+d\n"
    assert check(DIFF, text) == text


@pytest.mark.parametrize(
    "text, reason",
    [
        ("I changed it.", "line 1: expected `--- `, `+++ ` or a hunk, which begins with `@@ `"),
        ("--- a\n@@ -1 +1 @@\n-a\n+b", "line 2: expected a line that begins with `+++ `"),
        ("--- a\n+++ b\n", "line 3: expected a hunk, which begins with `@@ `"),
        ("--- a\n+++ b\n@@ -1 +1\n-a\n+b", "line 3: expected `@@ -START,COUNT +START,COUNT @@`"),
        ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+b", "line 3: the hunk says @@ -1,2 +1,2 @@ and has fewer lines"),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n+c", "line 3: the hunk has more lines than it says"),
        ("--- a\n+++ b\n@@ -1,2 +0,0 @@\n-a\n+b\n-c", "line 3: the hunk has more lines than it says"),
        ("@@ -1 +1 @@\n-a\n+b", "line 1: expected `--- `, `+++ ` or a hunk, which begins with `@@ `"),
        ("diff --git a/x b/y\nrename from x\nrename to y", "it has no hunk"),
    ],
)  # fmt: skip
def test_a_diff_that_is_wrong_says_where(text: str, reason: str) -> None:
    assert _why(DIFF, text) == f"not a unified diff: {reason}"


SHAPES = [
    "{}", "```\n{}\n```", '{{"age": "{}"}}', '{{"{}": 1}}', "{} = = 1", "'{}", "[{}]\n[{}]", "--- {}\n+++ {}\n@@ {}", '{{"age": {}}}',
    "def {}(:", '{} = "a"\n{} = "b"', "f(**{}, {}=1, {}=2)", "--- {}\n", "```{}\nx", "f'{{{}'",
    'f"{{x!{}}}"',
]  # fmt: skip


@pytest.mark.parametrize("wanted", EVERY, ids=lambda wanted: str(wanted.name))
@pytest.mark.parametrize("shape", SHAPES)
def test_no_reason_quotes_the_answer(wanted: Format, shape: str) -> None:
    text = shape.replace("{{", "\0").replace("{}", WORD).replace("\0", "{").replace("}}", "}")
    try:
        check(wanted, text)
    except FormatBroken as error:
        assert WORD not in str(error)  # noqa: PT017


def test_what_a_newer_parser_quotes_is_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> None:
        message = f"f-string: invalid conversion character '{WORD}': expected 's', 'r', or 'a'"
        raise SyntaxError(message, ("", 1, 1, text))

    monkeypatch.setattr(formats, "ast", SimpleNamespace(parse=parse))
    assert _why(PYTHON, f'f"{{x!{WORD}}}"') == (
        "not Python: line 1: f-string: invalid conversion character '…': expected 's', 'r', or 'a'"
    )


@given(st.sampled_from(EVERY), st.text() | st.lists(st.sampled_from(SHAPES)).map("\n".join))
def test_any_text_is_of_a_format_or_says_why_not(wanted: Format, text: str) -> None:
    try:
        answer = check(wanted, text)
    except FormatBroken as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert answer.strip() in text.replace("\r\n", "\n").strip()


@given(st.text().filter(str.strip))
def test_a_text_is_given_as_it_is_but_for_blanks_around_it(text: str) -> None:
    assert check(TEXT, text) == text.strip()


def test_a_model_is_told_the_form_and_the_schema() -> None:
    assert instruction(TEXT) is None
    told = instruction(SCHEMED)
    assert told is not None
    assert '"required":["age"]' in told
    assert "python" in (instruction(PYTHON) or "")
    assert instruction(JSON) != instruction(CODE) != instruction(DIFF)
