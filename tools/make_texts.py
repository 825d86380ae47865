"""Bring the catalogue of the interface's texts up to date: what the code and the templates say, and what it is in French.

English stands in the code, so only the other languages have a catalogue. The tool adds what is new without a translation,
takes away what is no longer said, and compiles the rest, into the same bytes on every machine; `--check` changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import re
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from babel.messages.extract import extract
from babel.messages.pofile import read_po

__all__ = [
    "CATALOGUE",
    "Flaws",
    "Ids",
    "Texts",
    "compiled",
    "dynamic",
    "extracted",
    "flaws",
    "is_current",
    "merged",
    "parsed",
    "read",
    "written",
]

Ids = tuple[str, ...]
"""A text as the code has it: one string, or that of one and that of many."""

Texts = Mapping[Ids, Ids]
"""What each text is in the other language; empty where it is not said yet."""

Flaws = Sequence[str]

_SOURCE: Final = Path(__file__).resolve().parent.parent / "src" / "econome"
_SERVER: Final = _SOURCE / "server"
CATALOGUE: Final = _SOURCE / "locale" / "fr" / "LC_MESSAGES" / "econome.po"

_HEADER: Final = (
    "Language: fr\n"
    "MIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\n"
    "Plural-Forms: nplurals=2; plural=(n > 1);\n"
)
_ABOUT: Final = "# The texts of the pages in French; `make texts` keeps the list, people write the right side.\n"
_FORMS: Final = 2
_FORMS_OF: Final = {"text": 1, "plural": _FORMS}
_TEMPLATES: Final = "jinja2.ext:babel_extract"
_CALLS: Final = {"_": None, "ngettext": (1, 2)}
_VAGUE: Final = re.compile(r"(?<!\w)(?:_|n?gettext)\((?!\")")
_PLACE: Final = re.compile(r"\{\w*\}|%\(\w+\)[a-z]|%%|%")
_MAGIC: Final = 0x950412DE


def extracted() -> set[Ids]:
    """Return every text that a page can show."""
    found = {said for _, said in _asked() if said}
    for path in sorted((_SERVER / "templates").glob("*.html")):
        with path.open("rb") as file:
            rows = extract(_TEMPLATES, file, _CALLS, options={"silent": "false"})
            found |= {(ids,) if isinstance(ids, str) else tuple(ids) for _, ids, _, _ in rows}
    many = {ids[0] for ids in found if len(ids) > 1}
    return {ids for ids in found if len(ids) > 1 or ids[0] not in many}


def dynamic() -> list[str]:
    """Return where a text is asked for by something else than a literal, which no catalogue can know of."""
    found = [place for place, said in _asked() if not said]
    for path in sorted((_SERVER / "templates").glob("*.html")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [f"{path.name}:{at}" for at, line in enumerate(lines, 1) if _VAGUE.search(line)]
    return found


def _asked() -> Iterator[tuple[str, Ids]]:
    """Yield where the code asks for a text and for which one; none where that is no literal.

    The tree of the code tells more than its words: Babel's own reader takes a variable that is called `text` for a call.
    """
    for path in sorted(_SERVER.rglob("*.py")):
        if path.is_relative_to(_SERVER / "delegating"):
            continue  # whose `text` reads an argument
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (forms := _FORMS_OF.get(_called(node))):
                said = [one.value for one in node.args[:forms] if isinstance(one, ast.Constant)]
                yield (
                    f"{path.relative_to(_SOURCE)}:{node.lineno}",
                    tuple(map(str, said)) if len(said) == forms else (),
                )


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def read(path: Path) -> dict[Ids, Ids]:
    """Return the texts of a catalogue on disk."""
    with path.open("rb") as file:
        return parsed(file)


def parsed(file: IO[bytes]) -> dict[Ids, Ids]:
    """Return the texts of a catalogue; what is marked as fuzzy counts as not said."""
    catalogue = read_po(file, charset="utf-8", abort_invalid=True)
    found: dict[Ids, Ids] = {}
    for message in catalogue:
        if message.id:
            ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
            said = (
                (message.string,)
                if isinstance(message.string, str)
                else tuple(message.string or ())
            )
            found[ids] = () if message.fuzzy or not all(said) else said
    return found


def merged(known: Texts, others: Sequence[Texts], wanted: set[Ids]) -> dict[Ids, Ids]:
    """Return the texts that are *wanted*, in order: as they are known, else as the first of *others* has them."""
    found: dict[Ids, Ids] = {}
    for ids in sorted(wanted):
        found[ids] = next((texts[ids] for texts in (known, *others) if texts.get(ids)), ())
    return found


def flaws(texts: Texts, wanted: set[Ids]) -> Flaws:
    """Return what is wrong with a catalogue, a line each."""
    found = [f"not in the catalogue: {ids[0]}" for ids in sorted(wanted - texts.keys())]
    for ids, said in sorted(texts.items()):
        if ids not in wanted:
            found.append(f"no longer said: {ids[0]}")
        elif not said:
            found.append(f"not translated: {ids[0]}")
        elif len(said) != (1 if len(ids) == 1 else _FORMS):
            found.append(f"has {len(said)} forms: {ids[0]}")
        elif not _agree(ids, said):
            found.append(f"has other places for values: {ids[0]}")
    return found


def _agree(ids: Ids, said: Ids) -> bool:
    """Tell whether a translation has places for the same values; in French its first form is also that of 0."""
    places = sorted(_PLACE.findall(ids[-1]))
    return all(sorted(_PLACE.findall(one)) == places for one in said)


def written(texts: Texts) -> str:
    """Return a catalogue as gettext writes it."""
    head = "".join(f"{_quoted(line)}\n" for line in _HEADER.splitlines(keepends=True))
    parts = [f'{_ABOUT}msgid ""\nmsgstr ""\n{head}']
    for ids, said in sorted(texts.items()):
        told = said or ("",) * (1 if len(ids) == 1 else _FORMS)
        if len(ids) == 1:
            parts.append(f"msgid {_quoted(ids[0])}\nmsgstr {_quoted(told[0])}\n")
        else:
            forms = "".join(f"msgstr[{at}] {_quoted(one)}\n" for at, one in enumerate(told))
            parts.append(f"msgid {_quoted(ids[0])}\nmsgid_plural {_quoted(ids[1])}\n{forms}")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    for plain, spelt in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(plain, spelt)
    return f'"{text}"'


def compiled(texts: Texts) -> bytes:
    """Return a catalogue in the form that gettext loads."""
    rows = {b"": _HEADER.encode()}
    rows |= {
        "\0".join(ids).encode(): "\0".join(said).encode() for ids, said in texts.items() if said
    }
    keys = sorted(rows)
    ids, strings = b"", b""
    id_rows, string_rows = [], []
    for key in keys:
        id_rows.append((len(key), len(ids)))
        string_rows.append((len(rows[key]), len(strings)))
        ids += key + b"\0"
        strings += rows[key] + b"\0"
    head = 7 * 4
    start = head + 16 * len(keys)
    table = [(length, at + start) for length, at in id_rows]
    table += [(length, at + start + len(ids)) for length, at in string_rows]
    made = struct.pack("<7I", _MAGIC, 0, len(keys), head, head + 8 * len(keys), 0, 0)
    return made + b"".join(struct.pack("<2I", *row) for row in table) + ids + strings


def is_current() -> bool:
    """Return whether the catalogue has every text, nothing else, and was compiled since."""
    if not CATALOGUE.is_file() or flaws(read(CATALOGUE), extracted()):
        return False
    texts = read(CATALOGUE)
    compiled_is = CATALOGUE.with_suffix(".mo").read_bytes() == compiled(texts)
    return compiled_is and CATALOGUE.read_text(encoding="utf-8") == written(texts)


def main() -> None:
    """Bring the catalogue up to date and say what it lacks, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when anything is missing")
    parser.add_argument(
        "--merge", type=Path, action="append", default=[], metavar="DIR",
        help="fill in what is not translated yet from the catalogues (*.po) of a directory",
    )  # fmt: skip
    asked = parser.parse_args()
    wanted = extracted()
    if asked.check:
        if not is_current():
            found = flaws(read(CATALOGUE), wanted) if CATALOGUE.is_file() else ()
            sys.exit(
                "\n".join(
                    [*found, "the texts are out of date; `make texts` brings them up to date"]
                )
            )
        return
    others = [read(path) for directory in asked.merge for path in sorted(directory.glob("*.po"))]
    texts = merged(read(CATALOGUE) if CATALOGUE.is_file() else {}, others, wanted)
    CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
    CATALOGUE.write_text(written(texts), encoding="utf-8")
    CATALOGUE.with_suffix(".mo").write_bytes(compiled(texts))
    lacking = flaws(texts, wanted)
    print("\n".join([*lacking, f"{len(texts)} texts, {len(lacking)} to look at"]))


if __name__ == "__main__":
    main()
