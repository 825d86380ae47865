"""Addresses in a text: of the network by any scheme or none, mail, data and scripts, and files that hold keys and passwords.

It reads one blank-separated word after the other and asks nobody whether an address exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from econome.contract.folding import SECRET_FILE, folded

__all__ = ["addresses"]

_ENDS = r"\s\"'<>`)\]}|\\"
_SCHEME = re.compile(
    r"\b((?:https?|wss?|s?ftps?|ssh|git|file|ldaps?|smtp|imap|pop3|tcp|udp|dns|postgres|postgresql|mysql|mariadb|mongodb(?:\+srv)?|rediss?"
    r"|amqps?|mqtts?|nats|kafka|s3|gs|gopher|telnet|rtsp|ircs?|smb|nfs|rsync|socks[45]h?|jdbc:[a-z]{1,20})://)([^\s/?#\"'<>`)\]}|\\]{1,300})([/?#][^"
    + _ENDS
    + r"]{0,1500})?"
)
_ODD_SLASHES = re.compile(r"\b(https?|wss?|s?ftps?):[\\/]{1,4}(?=[^\s\\/])")
_NO_SCHEME = re.compile(
    r"(?<![\w:/.\\*-])//((?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,6}([a-z]{2,24}|xn--[a-z0-9-]{2,59})(?::\d{1,5})?(?:[/?#][^"
    + _ENDS
    + r"]{0,1500})?)(?![\w.])"
)
_SCRIPT = re.compile(r"\b((?:java|vb)script:)\s?(?:void\b|[\w.]{1,60}\s?[(=])")
_MAILTO = re.compile(r"\bmailto:[^\s\"'<>`)]{1,200}")
_LOCAL_FILE = re.compile(r"\bfile:///[^\s\"'<>`)]{1,80}")
_DATA = re.compile(r"\bdata:[a-z]{1,20}/[a-z0-9.+-]{1,40}[;,]")
_MAIL = re.compile(r"(?<![\w.+%-])([\w.+%-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?![\w@])")
_BARE = re.compile(
    r"(?<![\w@/.:\\-])((?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,6}([a-z]{2,24})(?::\d{1,5})?/[\w~%?=-][^"
    + _ENDS
    + r"]{0,1500})"
)
_PLAIN_NAME = re.compile(
    r"(?<![\w@/.:\\-])(www\.(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}|(?:[a-z0-9-]{1,63}\.){0,5}xn--[a-z0-9-]{2,59}(?:\.[a-z0-9-]{2,24}){1,3})(?![\w@])"
)
_SENT_TO = re.compile(
    r"\b(?:send|post|upload|forward|submit|report|transmit|push|copy|email|visit|fetch|download|connect|go|curl|wget|ping"
    r"|envoyez|envoie|sende|schicke|envia|envie)\b(?:\s+[^\s.]{1,40}){0,7}\s+\W?((?!example\.)(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,5}(?:com|net|org|io|dev|ai|co|ru|cn"
    r"|info|biz|xyz|top|site|online|tech|link|click|cloud|tk|cc|pw|ws|su|to|live|shop|store|page|example|test|onion|de|fr|es|uk|eu))(?![\w@/-]|\.\w)"
)
_DOTENV = re.compile(r"(?<![\w.])\.env(?![\w.])")
_IP = re.compile(
    r"(?<![\w./@])(\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}(?!\d)(?:/[^\s\"'<>`)]{0,1500})?|/\w[^\s\"'<>`)]{0,1500}))"
)
_FILES: Final = (
    "py js ts tsx jsx mjs md txt json yaml yml toml xml html css csv log lock ini cfg conf env go rs c h cpp java kt rb php sh bat ps1 sql "
    "png jpg jpeg gif svg pdf zip gz tar whl exe dll so app d git svn github vscode idea ext fs os path e g i"
)
_NO_DOMAINS: Final = frozenset(_FILES.split())
"""Endings of files that are no endings of hosts, or rarely."""


def addresses(text: str) -> Iterator[str]:
    """Yield each address, kind of data or script and secret file that *text* names, in small letters, as often as it does.

    An address is whole, with port, path and query, without who is to sign in; what goes by `https` is told as without a scheme.
    """
    plain = (
        folded(text)
        .replace("hxxp", "http")
        .replace("[.]", ".")
        .replace("(.)", ".")
        .replace("[dot]", ".")
    )
    if ":" in plain:
        plain = _ODD_SLASHES.sub(r"\1://", plain)
        yield from _with_scheme(plain)
    if "//" in plain:
        for found in _NO_SCHEME.finditer(plain):
            if found.group(2) not in _NO_DOMAINS:
                yield _whole(found.group(1))
    if "@" in plain:
        for found in _MAIL.finditer(_SCHEME.sub(" ", plain)):
            yield found.group(1)
    if "." not in plain and "/" not in plain and "id_" not in plain:
        return
    for found in _BARE.finditer(plain):
        if found.group(2) not in _NO_DOMAINS:
            yield _whole(found.group(1))
    for pattern in (_PLAIN_NAME, _SENT_TO, _IP):
        for found in pattern.finditer(plain):
            yield _whole(found.group(1))
    for found in SECRET_FILE.finditer(plain):
        yield found.group().rstrip(".")
    if ".env" in plain and _DOTENV.search(plain):
        yield ".env"


def _with_scheme(plain: str) -> Iterator[str]:
    if "://" in plain:
        for found in _SCHEME.finditer(plain):
            scheme, host, rest = found.groups(default="")
            host = host.rpartition("@")[2]
            if host.strip(".,;:*_"):
                yield _whole(scheme.removeprefix("https://") + host + rest)
        for found in _LOCAL_FILE.finditer(plain):
            yield found.group()
    if "data:" in plain:
        for found in _DATA.finditer(plain):
            yield found.group().rstrip(";,")
    if "script:" in plain:
        for found in _SCRIPT.finditer(plain):
            yield found.group(1)
    if "mailto:" in plain:
        for found in _MAILTO.finditer(plain):
            if not _MAIL.search(found.group()):
                yield found.group()


def _whole(address: str) -> str:
    return address.rstrip(".,;:!?*_").removesuffix("/")
