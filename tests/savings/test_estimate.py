"""What the producer of events computes: by hand, and against a JavaScript file that computes it independently."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from econome.savings.estimate import (
    Rework,
    estimate_delegation,
    follow_up_share,
    rework_cost,
    rework_target,
    steering_cost,
)
from econome.savings.wire import Estimate, Reply, Usage
from econome.tokens import estimate_tokens
from tests.requirements import requirement

pytestmark = requirement("S8")

Ask = Callable[..., Any]

counts = st.integers(0, 2**53) | st.integers(0, 400) | st.integers(2**53 - 20, 2**53)
usages = st.builds(Usage, counts, counts, counts, counts)
# Every plane, lone surrogates, and pairs that arrive as two characters of a Python text.
texts = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud801\udc00\ud83d\ude00a"))
# What lower case does differently from letter to letter: sigmas, dotted and sharp letters, marks between them.
letters = st.sampled_from("aAßẞİIıiΣσς'·\u0301 .-_/\\ΑΝǅÉK\U00010400\ud801\udc00\udfff9")
names = st.text(letters, max_size=12)
paths = names | st.sampled_from(["/p/Report.md", "\\p\\report.MD", "report.md", "/q/report.md", ""])


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Yield a function that has node compute one case of `estimate.mjs`."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; the JavaScript side cannot be computed")
    command = [node, str(Path(__file__).with_name("estimate.mjs"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        questions, answers = process.stdin, process.stdout

        def asked(calculation: str, **case: Any) -> Any:
            questions.write(json.dumps({"calcul": calculation, **case}) + "\n")
            questions.flush()
            return json.loads(answers.readline())

        yield asked
        questions.close()


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
    }


def _estimate(
    brief: int = 0, took: int = 0, gave: int = 0, reply: Reply = "complet", answer: int = 0,
    by_subagent: bool = False,
) -> Estimate:  # fmt: skip
    return estimate_delegation(
        brief="x" * brief,
        tokens_in=took,
        tokens_out=gave,
        reply=reply,
        answer="y" * answer,
        by_subagent=by_subagent,
    )


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("éééé", 1),
        ("😀😀", 1),  # two units each
        ("😀😀a", 2),
        ("\ud83d\ude00\ud83d\ude00", 1),  # the same, as a Python text can also hold them
        ("\ud83d" * 5, 2),
        ("x" * 400, 100),
    ],
)
def test_four_units_of_text_are_a_token(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@requirement("C-M14", "C-M15", "C-M16", "C-M17", "C-M18", "C-M19")
@pytest.mark.parametrize(
    "estimate, expected",
    [
        # the contract's example: 400 characters of brief, a sub-agent, everything returned
        (_estimate(400, 4100, 900, by_subagent=True), (4000, 900, 100, 900, 4900)),
        # the same by the main agent: brief and answer are taken off
        (_estimate(400, 4100, 900), (4000, 900, 100, 900, 3900)),
        # a preview of 41 characters is 11 tokens, whatever was written
        (_estimate(400, 4100, 900, "apercu", 41), (4000, 900, 100, 11, 4789)),
        # a full answer counts as what was written, not as its text
        (_estimate(400, 4100, 900, "complet", 41), (4000, 900, 100, 900, 3900)),
        # a long brief, little read, a small answer read whole: negative, and not bounded
        (_estimate(4001, 500, 20), (0, 20, 1001, 20, -1001)),
        (_estimate(4001, 500, 20, by_subagent=True), (0, 20, 1001, 20, 20)),
        (_estimate(), (0, 0, 0, 0, 0)),
        # a double has no odd number above 2**53: halves go to the even one
        (_estimate(0, 2**53, 2**53 - 1, by_subagent=True), (2**53, 2**53 - 1, 0, 2**53 - 1, 2**54)),
    ],
)
def test_an_estimate_is_what_claude_did_not_read_and_write(
    estimate: Estimate, expected: tuple[int, int, int, int, int]
) -> None:
    read, written, brief, returned, avoided = expected
    assert estimate == Estimate(read, written, brief, returned, avoided, "caracteres/4")


@requirement("C-M51")
@pytest.mark.parametrize(
    "usage, cost",
    [
        (Usage(800, 200, 10000, 0), 2000),  # the contract's example
        (Usage(1, 20, 0, 300), 321),
        (Usage(0, 0, 4, 0), 0),
        (Usage(0, 0, 5, 0), 1),  # a half goes up, where Python's own round goes to the even 0
        (Usage(0, 0, 25, 0), 3),
        (Usage(0, 0, 2**53, 0), 900719925474099),
        (Usage(2**53, 1, 0, 1), 2**53),  # each 1 alone is lost in a double, as it is in JavaScript
    ],
)
def test_a_turn_costs_its_tokens_and_a_tenth_of_its_cache_reads(usage: Usage, cost: int) -> None:
    assert steering_cost(usage) == cost


OUTPUTS = {
    "/p/src/Report.md": "dem-1",
    "C:\\code\\a.py": "dem-2",
    "/q/src/report.md": "dem-3",
    "": "dem-4",
}


@requirement("C-M46", "C-M40")
@pytest.mark.parametrize(
    "tool, arguments, target",
    [
        ("Read", {"file_path": "/p/src/Report.md"}, "dem-1"),
        ("Edit", {"file_path": "/P/SRC/REPORT.MD"}, "dem-1"),
        ("Write", {"file_path": "c:/code/A.py"}, "dem-2"),
        ("Read", {"file_path": "\\p\\src\\report.md"}, "dem-1"),
        ("NotebookEdit", {"notebook_path": "/q/src/report.md"}, "dem-3"),
        ("NotebookEdit", {"file_path": "/q/src/report.md"}, None),
        ("Read", {"file_path": "src/report.md"}, None),
        ("Read", {"file_path": "/p/src/Report.md.bak"}, None),
        ("Read", {"file_path": ""}, None),
        ("Read", {}, None),
        ("Read", {"file_path": 3}, None),
        ("Grep", {"file_path": "/p/src/Report.md"}, None),
        ("", {"": "/p/src/Report.md"}, None),
    ],
)
def test_a_call_reworks_the_output_at_its_path(
    tool: str, arguments: dict[str, object], target: str | None
) -> None:
    assert rework_target(tool, arguments, OUTPUTS) == target


@requirement("C-M47")
@pytest.mark.parametrize(
    "command, target",
    [
        ("cat /p/src/report.md | head", "dem-1"),
        ("cat \\Q\\src\\report.md", "dem-3"),
        ("grep -c x report.md", "dem-3"),  # by its name, of the newer one
        ("python C:/Code/a.py", "dem-2"),
        ("python a.py", None),  # four letters are too few
        ("git status", None),
        ("", None),
    ],
)
def test_a_command_reworks_the_output_it_names(command: str, target: str | None) -> None:
    assert rework_target("Bash", {"command": command}, OUTPUTS) == target


@requirement("C-M47")
@pytest.mark.parametrize(
    "name, found", [("abcde", False), ("abcdef", True), ("abcd😀", True), ("abc😀", False)]
)
def test_a_file_name_counts_from_six_units_on(name: str, found: bool) -> None:
    target = rework_target("Bash", {"command": f"cat {name}"}, {f"/p/{name}": "dem-1"})
    assert target == ("dem-1" if found else None)


@requirement("C-M46")
def test_of_outputs_at_one_path_the_newest_is_meant() -> None:
    outputs = {"/p/a.txt": "dem-1", "/P/A.txt": "dem-2"}
    assert rework_target("Read", {"file_path": "/p/a.txt"}, outputs) == "dem-2"


@requirement("C-M43", "C-M44", "C-M45", "C-M48", "C-M41")
@pytest.mark.parametrize(
    "tool, arguments, result, expected",
    [
        ("Read", {"file_path": "/p/a", "content": "unread"}, "x" * 41, Rework(11, 0, 11)),
        ("Edit", {"old_string": "abc", "new_string": "defgh"}, "done", Rework(0, 2, 2)),
        ("Edit", {"old_string": "a", "new_string": ""}, "done", Rework(0, 1, 1)),
        ("Edit", {"new_string": "😀😀a"}, "done", Rework(0, 2, 2)),
        ("Write", {"content": "x" * 40}, "done", Rework(0, 10, 10)),
        ("NotebookEdit", {"new_source": "x" * 4}, "done", Rework(0, 1, 1)),
        ("Bash", {"command": "cat /p/a"}, "x" * 9, Rework(3, 2, 5)),
        ("Bash", {"command": "true"}, "", Rework(0, 1, 1)),
        ("Read", {"file_path": "/p/a"}, "", None),
        ("Write", {"content": ""}, "done", None),
        ("Write", {"content": 12345678}, "done", None),
        ("NotebookEdit", {}, "done", None),
        ("Grep", {"pattern": "x"}, "x", None),
    ],
)
def test_a_rework_costs_what_it_reads_and_writes(
    tool: str, arguments: dict[str, object], result: str, expected: Rework | None
) -> None:
    assert rework_cost(tool, arguments, result) == expected


@requirement("C-M32")
@pytest.mark.parametrize(
    "usage, followed, launched, share",
    [
        (Usage(800, 200, 10000, 7), 1, 1, Usage(800, 200, 10000, 7)),
        (Usage(800, 201, 10001, 7), 1, 2, Usage(400, 101, 5001, 4)),  # halves go up
        (Usage(100, 10, 1, 2), 1, 3, Usage(33, 3, 0, 1)),
        (Usage(100, 10, 1, 2), 2, 3, Usage(67, 7, 1, 1)),
        (Usage(100, 10, 1, 2), 0, 3, Usage(0, 0, 0, 0)),
    ],
)
def test_a_follow_up_bears_its_share_of_the_request(
    usage: Usage, followed: int, launched: int, share: Usage
) -> None:
    assert follow_up_share(usage, followed, launched) == share


@pytest.mark.parametrize("followed, launched", [(0, 0), (1, 0), (3, 2), (-1, 2), (-2, -1)])
def test_a_share_of_nothing_launched_is_refused(followed: int, launched: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        follow_up_share(Usage(1, 1, 1, 1), followed, launched)


@given(
    brief=texts,
    answer=texts,
    took=counts,
    gave=counts,
    reply=st.sampled_from(["complet", "apercu"]),
    sub=st.booleans(),
)
@example("x" * 4001, "", 500, 20, "complet", False)
@example("", "", 2**53, 2**53, "complet", True)
def test_an_estimate_is_the_one_javascript_computes(
    ask: Ask, brief: str, answer: str, took: int, gave: int, reply: Reply, sub: bool
) -> None:
    ours = estimate_delegation(
        brief=brief, tokens_in=took, tokens_out=gave, reply=reply, answer=answer, by_subagent=sub
    )
    theirs = ask(
        "estimer", consigne=brief, tokens_entree=took, tokens_sortie=gave, retour=reply,
        reponse=answer, par_subagent=sub,
    )  # fmt: skip
    assert {
        "lus": str(ours.read),
        "ecrits": str(ours.written),
        "consigne": str(ours.brief),
        "rendus": str(ours.returned),
        "evites": str(ours.avoided),
        "methode": ours.method,
    } == theirs


@given(usages)
@example(Usage(0, 0, 5, 0))
@example(Usage(2**53, 2**53, 2**53, 2**53))
def test_a_cost_is_the_one_javascript_computes(ask: Ask, usage: Usage) -> None:
    assert str(steering_cost(usage)) == ask("cout", usage=_usage(usage))


@given(
    tool=st.sampled_from(["Read", "Edit", "Write", "NotebookEdit", "Bash", "Grep"]),
    path=paths,
    around=st.tuples(names, names),
    outputs=st.dictionaries(paths, st.integers(1, 9).map("dem-{}".format), max_size=4),
    hit=st.integers(0, 7),
)
def test_a_target_is_the_one_javascript_finds(
    ask: Ask, tool: str, path: str, around: tuple[str, str], outputs: dict[str, str], hit: int
) -> None:
    if hit < len(outputs):
        path = sorted(outputs)[hit].swapcase()
    arguments = {"file_path": path, "notebook_path": path, "command": path.join(around)}
    theirs = ask("cible", outil=tool, entree=arguments, sorties=list(outputs.items()))
    assert rework_target(tool, arguments, outputs) == theirs


@given(
    tool=st.sampled_from(["Read", "Edit", "Write", "NotebookEdit", "Bash", "Grep"]),
    arguments=st.dictionaries(
        st.sampled_from(["old_string", "new_string", "content", "new_source", "command"]),
        texts | st.none(),
    ),
    result=texts,
)
def test_a_rework_is_the_one_javascript_measures(
    ask: Ask, tool: str, arguments: dict[str, object], result: str
) -> None:
    ours = rework_cost(tool, arguments, result)
    theirs = ask("mesurerCorrection", outil=tool, entree=arguments, resultat=result)
    expected = ours and dict(
        zip(("tokens_lus", "tokens_ecrits", "cout"), map(str, ours), strict=True)
    )
    assert expected == theirs


@given(usage=usages, launched=st.integers(1, 40), data=st.data())
def test_a_share_is_the_one_javascript_computes(
    ask: Ask, usage: Usage, launched: int, data: st.DataObject
) -> None:
    followed = data.draw(st.integers(0, launched))
    share = _usage(follow_up_share(usage, followed, launched))
    theirs = ask("suivi", usage=_usage(usage), suivis=followed, lances=launched)
    assert {name: str(count) for name, count in share.items()} == theirs


def test_the_lower_case_of_every_known_character_is_that_of_javascript(ask: Ask) -> None:
    known = [
        point
        for point in range(0x110000)
        if unicodedata.category(chr(point)) not in ("Cn", "Co", "Cs")
    ]
    theirs = ask("minuscules", points=known)
    differing = [
        (chr(point), lowered)
        for point, lowered in zip(known, theirs, strict=True)
        if lowered is not None and chr(point).lower() != lowered
    ]
    assert len(known) > 140_000
    assert differing == []


@given(names)
@example("ὈΔΥΣΣΕΎΣ")
@example("Σ'Σ Α·Σ.md")
@example("İstanbul\\ẞ")
def test_paths_are_compared_in_the_lower_case_of_javascript(ask: Ask, name: str) -> None:
    lowered = ask("normaliser", chemin=name)
    outputs = {lowered: "dem-1"}
    found = rework_target("Read", {"file_path": name}, outputs)
    assert found == ask(
        "cible", outil="Read", entree={"file_path": name}, sorties=[[lowered, "dem-1"]]
    )
