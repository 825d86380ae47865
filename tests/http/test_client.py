"""How a command speaks to the running server: to that one and no other, plainly, by proxy name or by its certificate."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome import settings
from econome.errors import ServerAway, ServerRefused, UsageError
from econome.savings.lock import Holder, holder
from econome.server.client import Client, login_link, running
from econome.server.hosts import Hosts
from econome.server.listening import url_of
from econome.server.token import TokenFile
from econome.settings import Settings
from tests.door import run
from tests.http.certificates import certificate_files
from tests.http.process import Served, served
from tests.requirements import requirement
from tests.savings.builders import body, delegation, text


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server."""
    with served(tmp_path) as running:
        yield running


def _settings(server: Served) -> Settings:
    return settings.load(data_dir=str(server.directory))


def _holder(server: Served) -> Holder:
    found = holder(str(server.ledger.parent))
    assert found is not None
    return found


@requirement("S5", "S6")
def test_events_are_posted_and_counted(server: Served) -> None:
    with running(_settings(server)) as client:
        assert client.post_events([text(delegation(1)), text(delegation(2))]) == (2, 0)
        assert client.post_batch(body(delegation(2), delegation(3))) == (1, 1)
        assert client.get("/api/v1/health") == b'{"ok":true}'


@requirement("S4", "S5")
def test_a_refusal_is_told_with_its_status_and_reason(server: Served) -> None:
    with running(_settings(server)) as client:
        with pytest.raises(ServerRefused) as caught:
            client.post_batch(b"{}")
        assert caught.value.status == 422
        assert "evenements" in caught.value.reason
        with pytest.raises(ServerRefused) as caught:
            client.get("/nowhere")
        assert caught.value.status == 404
        assert client.post_batch(body(delegation(1))) == (1, 0)


@requirement("S1")
def test_a_wrong_token_is_refused_and_never_told(server: Served) -> None:
    client = Client(_holder(server), "wrong-token")
    with client, pytest.raises(ServerRefused) as caught:
        client.get("/api/v1/balance")
    assert caught.value.status == 401
    assert "wrong-token" not in str(caught.value)


@requirement("S5")
def test_without_a_server_there_is_nobody_to_ask(tmp_path: Path) -> None:
    found = settings.load(data_dir=str(tmp_path))
    with pytest.raises(ServerAway):
        running(found)
    with pytest.raises(ServerAway):
        login_link(found)
    TokenFile(found.token_path()).ensure()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    client = Client(Holder(1, "gone", f"http://127.0.0.1:{port}"), "token")
    with client, pytest.raises(ServerAway) as caught:
        client.get("/")
    assert f"http://127.0.0.1:{port}" in str(caught.value)


@requirement("S5")
def test_a_server_that_hangs_up_in_mid_answer_is_away(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        found, port = _settings(first), first.port
        with running(found) as client:
            assert client.post_batch(body(delegation(1))) == (1, 0)
            first.stop()
            with pytest.raises(ServerAway):
                client.post_batch(body(delegation(2)))
            with served(tmp_path, "--port", str(port)):
                assert client.post_batch(body(delegation(1), delegation(2))) == (1, 1)


@requirement("S5")
def test_a_connection_that_was_closed_meanwhile_is_opened_again(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        port = first.port
        with running(_settings(first)) as client:
            assert client.post_batch(body(delegation(1))) == (1, 0)
            first.stop()
            with served(tmp_path, "--port", str(port)):
                assert client.post_batch(body(delegation(1), delegation(2))) == (1, 1)


@requirement("S5")
def test_no_proxy_of_the_environment_is_asked(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with running(_settings(server)) as client:
        assert client.get("/api/v1/health") == b'{"ok":true}'


@requirement("S1")
def test_behind_a_proxy_it_is_called_by_the_proxys_name(tmp_path: Path) -> None:
    with served(tmp_path, "--behind-proxy", "tokens.example.org") as proxied:
        found = _holder(proxied)
        assert (found.url, found.local) == ("https://tokens.example.org", proxied.url)
        with running(_settings(proxied)) as client:
            assert client.post_batch(body(delegation(1))) == (1, 0)
        assert login_link(_settings(proxied)).startswith("https://tokens.example.org/login#")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """Return the files of a certificate that nobody vouches for, and of its key."""
    return certificate_files(tmp_path / "first")


@requirement("S1")
def test_with_a_certificate_only_that_certificate_is_spoken_to(
    tmp_path: Path, certificate: tuple[str, str]
) -> None:
    cert, key = certificate
    with served(tmp_path, "--tls-cert", cert, "--tls-key", key) as secured:
        assert secured.url == f"https://127.0.0.1:{secured.port}"
        with running(_settings(secured)) as client:
            assert client.post_batch(body(delegation(1))) == (1, 0)
        assert login_link(_settings(secured)).startswith(f"{secured.url}/login#")
        for other in ("0" * 64, None):
            found = _with_certificate(_holder(secured), other)
            with Client(found, secured.token) as client, pytest.raises(ServerAway):
                client.get("/api/v1/health")
        assert secured.stop().code == 0


def _with_certificate(found: Holder, certificate: str | None) -> Holder:
    """Return who holds the ledger as if it had another certificate, or named none."""
    return Holder(found.pid, found.what, found.url, found.local, certificate)


@requirement("S1")
def test_a_certificate_that_cannot_be_used_is_told_before_anything_is_begun(
    tmp_path: Path, certificate: tuple[str, str]
) -> None:
    cert, key = certificate
    _, other = certificate_files(tmp_path / "second")
    for files in ((cert, other), (cert, str(tmp_path)), ("nowhere.pem", key), (key, cert)):
        ran = run("serve", "--port", "0", "--tls-cert", files[0], "--tls-key", files[1])
        assert (ran.code, ran.out) == (2, ""), files
        assert "--tls-cert" in ran.err


@requirement("S1")
@pytest.mark.parametrize(
    "host, tls, proxy, header, origin",
    [
        ("127.0.0.1", False, None, "localhost:8090", "http://localhost:8090"),
        ("127.0.0.1", True, None, "localhost", "https://localhost"),
        ("::1", False, None, "[::1]:1", "http://[::1]:1"),
        ("127.0.0.2", False, None, "127.0.0.2:1", "http://127.0.0.2:1"),
        ("192.0.2.1", True, None, "192.0.2.1:8090", "https://192.0.2.1:8090"),
        ("192.0.2.1", True, None, "127.0.0.1:8090", None),
        ("box.example", True, None, "BOX.example:443", "https://box.example"),
        ("0.0.0.0", True, None, "anything.example:1", "https://anything.example:1"),
        ("0.0.0.0", True, None, "any thing", None),
        ("0.0.0.0", False, "Tokens.example", "tokens.example", "https://tokens.example"),
        ("127.0.0.1", False, "tokens.example", "tokens.example:443", "https://tokens.example"),
        (
            "127.0.0.1",
            False,
            "tokens.example",
            "tokens.example:8090",
            "https://tokens.example:8090",
        ),
        ("127.0.0.1", False, "x.example:8443", "X.example:8443", "https://x.example:8443"),
        ("127.0.0.1", False, "x.example:8443", "x.example", None),
        ("127.0.0.1", False, "x.example:8443", "x.example:8444", None),
        ("127.0.0.1", False, "x.example:443", "x.example", "https://x.example"),
        ("127.0.0.1", False, "[2001:db8::1]", "[2001:db8::1]", "https://[2001:db8::1]"),
        ("127.0.0.1", False, "tokens.example", "127.0.0.1", None),
        ("127.0.0.1", False, "tokens.example", "x.tokens.example", None),
    ],
)
def test_the_names_of_a_server_follow_from_where_it_listens(
    host: str, tls: bool, proxy: str | None, header: str, origin: str | None
) -> None:
    names = Hosts.of(host, tls=tls, behind_proxy=proxy)
    for _ in range(2):  # the second answer is remembered
        assert names.origin(header.encode()) == (None if origin is None else origin.encode())


@requirement("S1")
def test_the_url_is_one_that_this_machine_can_follow() -> None:
    assert [url_of(host, 1, tls=False) for host in ("127.0.0.1", "0.0.0.0", "::", "::1")] == [
        "http://127.0.0.1:1", "http://127.0.0.1:1", "http://[::1]:1", "http://[::1]:1",
    ]  # fmt: skip
    assert url_of("box.example", 8443, tls=True) == "https://box.example:8443"


@requirement("S1")
def test_whoever_asks_for_an_open_address_is_told_what_it_takes(tmp_path: Path) -> None:
    from econome.server.run import serve

    found = settings.load(data_dir=str(tmp_path / "new"))
    with pytest.raises(UsageError, match="behind-proxy"):
        serve(found, "0.0.0.0", 0)
    assert not (tmp_path / "new").exists()


@requirement("S1")
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "x.example:", "x.example:0", "x.example:65536", "x.example:8443:1",
     "https://x.example", "x.example/", "é.example", "user@x.example", "::1"],
)  # fmt: skip
def test_a_proxy_that_no_request_can_name_is_wrong_usage(
    tmp_path: Path, host: str, name: str
) -> None:
    place = tmp_path / "new"
    ran = run(
        "serve", "--port", "0", "--host", host, "--behind-proxy", name, "--data-dir", str(place)
    )
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "--behind-proxy" in ran.err
    assert not place.exists()


@requirement("S1")
def test_a_proxy_with_a_port_is_called_by_that_port(tmp_path: Path) -> None:
    with served(tmp_path, "--behind-proxy", "tokens.example.org:8443") as proxied:
        with running(_settings(proxied)) as client:
            assert client.post_batch(body(delegation(1))) == (1, 0)
        link = login_link(_settings(proxied))
        assert link.startswith("https://tokens.example.org:8443/login#")
        hosts = ("tokens.example.org:8443", "tokens.example.org", f"127.0.0.1:{proxied.port}")
        statuses = [proxied.status("GET", "/api/v1/health", Host=host) for host in hosts]
        assert statuses == [200, 421, 421]
