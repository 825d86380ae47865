"""Texts as a model reads them whatever tricks they are written with: letters folded, hidden ones brought out, cut into sentences.

It changes a text only to compare it. What is shown of it to people is made safe in `shown.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

__all__ = ["SECRET_FILE", "folded", "sentences", "words_of"]

_TAGS: Final = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
"""Characters that nobody sees and that spell plain letters all the same."""

_LOOKS: Final = (
    "аa еe оo рp сc уy хx іi јj ѕs ԁd һh ӏl кk мm тt вb нh гr пn зz ьb ԛq ԝw үy ёe їi ɑa ɡg ɩi "
    "αa βb γy δd εe ζz ηn ιi κk λl μu νv οo ρp σo τt υu χx ωw ϲc ϳj łl øo đd ħh ıi"
)
_ALIKE: Final = {ord(pair[0]): pair[1] for pair in _LOOKS.split()}
"""Cyrillic and Greek letters, and others, that look like Latin ones."""

_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .*\-]){3,}[^\W\d_](?![^\W_])")
_BETWEEN = re.compile(r"[ .*\-]")
_RUN = re.compile(r"\w+")
_WORD = re.compile(r"[^\W_][\w'@$]*")
SECRET_FILE: Final = re.compile(
    r"(?:~|%userprofile%|\$home|/home/[\w.-]{1,64}|/root)?[/\\]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|cursor|claude"
    r"|codeium|config[/\\]gcloud|azure|bash_history|zsh_history)(?:[/\\][\w.*-]{0,80}){0,4}"
    r"|/etc/(?:passwd|shadow|sudoers)\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\b(?:claude_desktop_config|mcp|credentials|secrets)\.json\b"
    r"|\bwallet\.dat\b|\bauthorized_keys\b|\b\.?netrc\b|\blogin\.keychain\b"
)
"""Files that hold keys and passwords, in a folded text."""

_MERGED: Final = (
    ("'", re.compile(r"\b(?:[ldnscjmt]|qu)'(?=[^\W\d_]{2})"), " "),
    ("do", re.compile(r"\bdo not\b|\bdon'?t\b"), "dont"),
    ("n", re.compile(r"\b(must|should|need)(?:n't| not)\b"), r"\1nt"),
    ("api", re.compile(r"\bapi[ -]keys?\b"), "apikey"),
    ("key", re.compile(r"\b(?:private|ssh|signing|encryption) keys?\b"), "privatekey"),
    ("token", re.compile(r"\b(?:access|auth|authentication|bearer|session|oauth) tokens?\b"), "authtoken"),
    ("environment", re.compile(r"\benvironment variables?\b"), "envvars"),
    ("system", re.compile(r"\bsystem (?:prompt|message|instruction)s?\b"), "systemprompt"),
    (" ", re.compile(r"\b(?:chat|conversation|message) (?:history|log|transcript)\b"), "chathistory"),
    (".env", re.compile(r"(?<!\w)\.env\b"), " dotenv "),
    ("", SECRET_FILE, " secretfile "),
    ("://", re.compile(r"\b(?:https?|wss?|ftp)://[^\s<>\"']{1,2000}"), " webaddress "),
    ("@", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}"), " mailaddress "),
)  # fmt: skip
"""What is read as one word; the text has to hold the first to be looked through for the second."""

_END = re.compile(
    r"(?<=[.!?;。！？])['\")\]*_]{0,3}\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•#>|<\[]|\d{1,3}[.)]\s))"
)
_SHORT: Final = 8
"""A piece of fewer characters is no sentence of its own: it goes with the next."""


def folded(text: str) -> str:
    """Return *text* in small letters without accents, hidden characters, look-alikes and spaced-out words; it may be shorter."""
    if not text.isascii():
        text = _plain(text)
    text = text.lower()
    return _SPACED.sub(lambda found: _BETWEEN.sub("", found.group()), text)


def _plain(text: str) -> str:
    seen = unicodedata.normalize("NFKD", text.translate(_TAGS)).replace("’", "'").casefold()
    kept = "".join(
        each
        for each in seen
        if each.isascii() or unicodedata.category(each) not in ("Mn", "Cf", "Me", "Cc")
    )
    return _RUN.sub(lambda found: _latin(found.group()), kept)


@lru_cache(maxsize=4096)
def _latin(word: str) -> str:
    """Return a word whose letters all look Latin as if they were; one of another script stays."""
    if word.isascii():
        return word
    alike = word.translate(_ALIKE)
    return alike if alike.isascii() else word


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences, list entries and paragraphs of *text*, as they stand there."""
    start = 0
    for end in _END.finditer(text):
        held = text[start : end.start()].strip()
        if len(held) >= _SHORT:
            yield held
            start = end.end()
    held = text[start:].strip()
    if held:
        yield held


def words_of(sentence: str) -> list[str]:
    """Return the folded words of *sentence*, negations, addresses and secrets of two words made one."""
    plain = folded(sentence)
    for needed, pattern, merged in _MERGED:
        if needed in plain:
            plain = pattern.sub(merged, plain)
    return [word.replace("'", "").strip("_") for word in _WORD.findall(plain)]
