"""What a list of servers shows of an entry: never a login, a query, a value under a telling name, or a token."""

from __future__ import annotations

import base64
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.install.masking import masked, masked_variables, masked_words
from tests.requirements import requirement

pytestmark = requirement("L18")

_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize(
    "word, shown",
    [
        ("postgresql://me:p4ss@db.example:5432/app", "postgresql://…@db.example:5432/app"),
        ("postgresql://me:p@ss/w?rd@db.example/app", "postgresql://…@db.example/app"),
        ("mongodb+srv://u:pw@c.example/x?retry=true", "mongodb+srv://…@c.example/x?…"),
        ("--url=redis://:pw@cache.example:6379/0", "--url=redis://…@cache.example:6379/0"),
        ("jdbc:postgresql://u:pw@db.example/app", "jdbc:postgresql://…@db.example/app"),
        ("https://pw@a.example/x", "https://…@a.example/x"),
        ("https://a.example/mcp?code=x#y", "https://a.example/mcp?…"),
        ("Server=h;Database=d;User Id=sa;Password=p;w;", "Server=h;Database=d;User Id=sa;Password=…"),
        ("Server=h;UID=sa;PWD=pw", "Server=h;UID=sa;PWD=…"),
        ("host=h dbname=d user=u password='a b'", "host=h dbname=d user=u password=…"),
        ("AccountName=a;AccountKey=x==;EndpointSuffix=y", "AccountName=a;AccountKey=…"),
        ('{"region":"eu","apiKey":"abc"}', '{"region":"eu","apiKey":…'),
        ("X-Api-Key: abc", "X-Api-Key:…"),
        ("Bearer abc", "Bearer …"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "…"),
        ("sk-ant-api03-abcdefghijk", "…"),
        ("--with=xoxb-123456789012-abcdefGHIJ", "…"),
        ("AKIAIOSFODNN7EXAMPLE", "…"),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "…"),
        ("eyJhbGciOiJIUzI1NiJ9.e30.x", "….e30.x"),
        ("https://hooks.example/T0/8f14e45fceea167a5a36dedd4bea2543/x", "https://hooks.example/T0/…/x"),
        ("x" * 5000, "…"),
    ],
)  # fmt: skip
def test_what_may_be_a_secret_is_not_shown(word: str, shown: str) -> None:
    assert masked(word) == shown


@pytest.mark.parametrize(
    "word",
    [
        "npx",
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "@modelcontextprotocol/server-sequential-thinking@2025.7.1",
        "mcp-server-git==2025.9.25",
        "ghcr.io/github/github-mcp-server:v0.12.1",
        "/home/someone/Projects/my-first-server-2024/dist/index.js",
        "C:\\Users\\someone\\AppData\\Roaming\\npm\\server.cmd",
        "git+https://github.com/someone/some-long-named-repository",
        "https://docs.example/mcp",
        "http://127.0.0.1:8080/mcp",
        "--allow-write-to-this-directory",
        "getUserAccountInformationServer",
        "production-eu-central-1",
        "8080:80",
        "1234567890123456",
    ],
)
def test_what_names_a_server_is_shown(word: str) -> None:
    assert masked(word) == word


@pytest.mark.parametrize(
    "words, shown",
    [
        (["-u", "me:pw", "x"], ["-u", "…", "x"]),
        (["-u", "server.py"], ["-u", "server.py"]),
        (["-u", "C:\\server.py"], ["-u", "C:\\server.py"]),
        (["--password", "pw"], ["--password", "…"]),
        (["--pass", "pw"], ["--pass", "…"]),
        (["-H", "X-Own: pw"], ["-H", "X-Own:…"]),
        (["-e", "GITHUB_PAT=pw"], ["-e", "GITHUB_PAT=…"]),
    ],
)
def test_the_word_behind_a_telling_option_is_not_shown(words: list[str], shown: list[str]) -> None:
    assert masked_words(words) == shown


def test_variables_are_masked_by_their_names_and_by_their_values() -> None:
    variables = {
        "GITHUB_PAT": "a",
        "PGPASS": "a",
        "DATABASE_URL": "postgres://u:p@h/d",
        "LANG": "C",
        "PATH_TO": "/x",
        "ID": "8f14e45fceea167a5a36dedd4bea2543",
    }
    assert masked_variables(variables) == [
        "GITHUB_PAT=…",
        "PGPASS=…",
        "DATABASE_URL=postgres://…@h/d",
        "LANG=C",
        "PATH_TO=/x",
        "ID=…",
    ]


@given(st.binary(min_size=24, max_size=64), st.sampled_from(["", "--id=", "x:", "/srv/"]))
def test_a_token_in_hex_or_an_identity_is_never_shown(data: bytes, before: str) -> None:
    for token in (data.hex(), str(uuid.UUID(bytes=data[:16]))):
        digits = sum(map(str.isdigit, token))
        if 4 < digits < len(token) - 4 and len(set(token)) > 8:
            assert token not in masked(before + token)


@given(st.text(_SIGNS, min_size=1, max_size=40), st.text(_SIGNS, min_size=8, max_size=300))
def test_a_login_in_an_address_is_never_shown(user: str, word: str) -> None:
    assert word not in masked(f"x=mysql://{user}:{word}@h/d").replace("h/d", "")


def test_tokens_as_programs_make_them_are_masked() -> None:
    for seed in range(300):
        data = (
            uuid.uuid5(uuid.NAMESPACE_URL, str(seed)).bytes
            + uuid.uuid5(uuid.NAMESPACE_DNS, str(seed)).bytes
        )
        token = base64.b64encode(data).decode("ascii")
        assert masked(token) == "…", token
