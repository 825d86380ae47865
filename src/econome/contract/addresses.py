"""Addresses in a text: hosts by any scheme, mail, data, and files that hold keys and passwords.

It reads one blank-separated word after the other and asks nobody whether an address exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from econome.contract.folding import SECRET_FILE, folded

__all__ = ["addresses"]

_SCHEME = re.compile(
    r"(?:https?|wss?|s?ftps?|ssh|git|file|ldaps?|smtp|tcp|udp|dns)://([^\s/?#\"'<>`)\]}|\\]{1,300})"
)
_LOCAL_FILE = re.compile(r"\bfile:///[^\s\"'<>`)]{1,80}")
_DATA = re.compile(r"\bdata:[a-z]{1,20}/[a-z0-9.+-]{1,40}[;,]")
_MAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?![\w@])")
_BARE = re.compile(
    r"(?<![\w@/.:\\-])((?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,6}([a-z]{2,24}))(?::\d{1,5})?/[\w~%?=-]"
)
_DOTENV = re.compile(r"(?<![\w.])\.env(?![\w.])")
_IP = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5}(?!\d)|/\w)")
_FILES: Final = (
    "py js ts tsx jsx mjs md txt json yaml yml toml xml html css csv log lock ini cfg conf env go rs c h cpp java kt rb php sh bat ps1 sql "
    "png jpg jpeg gif svg pdf zip gz tar whl exe dll so app d git svn github vscode idea ext fs os path e g i"
)
_NO_DOMAINS: Final = frozenset(_FILES.split())
"""Endings of files that are no endings of hosts, or rarely."""


def addresses(text: str) -> Iterator[str]:
    """Yield each host, mail domain, kind of data and secret file that *text* names, in small letters, as often as it does."""
    plain = (
        folded(text)
        .replace("hxxp", "http")
        .replace("[.]", ".")
        .replace("(.)", ".")
        .replace("[dot]", ".")
    )
    if "://" in plain:
        for found in _SCHEME.finditer(plain):
            host = found.group(1).rpartition("@")[2].partition(":")[0].strip(".,;*_")
            if host:
                yield host
        for found in _LOCAL_FILE.finditer(plain):
            yield found.group()
    if "data:" in plain:
        for found in _DATA.finditer(plain):
            yield found.group().rstrip(";,")
    if "@" in plain:
        for found in _MAIL.finditer(plain):
            yield found.group(1)
    if "." not in plain and "/" not in plain and "id_" not in plain:
        return
    for found in _BARE.finditer(plain):
        if found.group(2) not in _NO_DOMAINS:
            yield found.group(1)
    for found in _IP.finditer(plain):
        yield found.group(1)
    for found in SECRET_FILE.finditer(plain):
        yield found.group().rstrip(".")
    if ".env" in plain and _DOTENV.search(plain):
        yield ".env"
