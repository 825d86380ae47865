"""Runs the server: its socket, its ledger, its loop, and a stop that loses nothing.

The lock on the ledger is taken before the socket listens: where two servers begin on one ledger, the second one says
who the first is. SIGTERM and SIGINT let requests in flight end, then what they wrote is on disk and the lock is free.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Callable
from functools import partial
from secrets import token_urlsafe

from econome.errors import LedgerHeld, PortTaken, UsageError
from econome.savings.lock import holder
from econome.savings.store import Ledger
from econome.server.app import App, Parts
from econome.server.delegating.opening import instant
from econome.server.hosts import Hosts, is_loopback
from econome.server.listening import bound, fingerprint, listen, url_of
from econome.server.logs import route_logging, to_standard_error
from econome.server.serving import Serving, Tls
from econome.server.token import TokenFile
from econome.settings import Settings

__all__ = ["serve"]


def serve(
    settings: Settings,
    host: str = "127.0.0.1",
    port: int | None = None,
    *,
    tls: Tls | None = None,
    behind_proxy: str | None = None,
    ready: Callable[[str], None] | None = None,
    log: Callable[[str], None] = to_standard_error,
) -> None:
    """Serve until SIGTERM or SIGINT.

    *port* None is the one of the settings, 0 any that is free. *ready* is told the URL once requests are answered;
    *log* takes lines for the operator.

    Raises:
        UsageError: the address can be reached from other machines, and neither a certificate nor a proxy guards it;
            or the certificate cannot be used, or the proxy's name.
        PortTaken: the address cannot be used.
        LedgerHeld: another process writes this ledger.
        LedgerBroken: the ledger cannot be read or repaired.
        TokenUnsafe: there is no token that only this user can read.
    """
    if not is_loopback(host) and tls is None and behind_proxy is None:
        raise UsageError(f"--host {host}: give --tls-cert and --tls-key, or --behind-proxy")
    _check(tls)
    hosts = Hosts.of(host, tls=tls is not None, behind_proxy=behind_proxy)
    route_logging(log)
    token = TokenFile(settings.token_path())
    token.ensure()
    with contextlib.closing(_bound(settings, host, port)) as listener:
        number: int = listener.getsockname()[1]
        url = url_of(host, number, tls=tls is not None)
        key = token_urlsafe()
        ledger = Ledger.open(
            settings.ledger_dir(),
            "econome serve",
            url if behind_proxy is None else f"https://{behind_proxy}",
            log,
            local=None if behind_proxy is None else url,
            certificate=None if tls is None else fingerprint(tls.certificate),
            key=key,
        )
        with contextlib.closing(ledger):
            listen(listener, host)
            parts = Parts(settings, ledger, token, hosts, number, log, time.monotonic, instant, key)
            server = Serving(App(parts), tls, None if ready is None else partial(ready, url))
            server.run(sockets=[listener])


def _bound(settings: Settings, host: str, port: int | None) -> socket.socket:
    """Return the socket; where the port is taken by the first server of the ledger, that one is what is told."""
    try:
        return bound(host, settings.port if port is None else port)
    except PortTaken:
        directory = settings.ledger_dir()
        first = holder(directory)
        if first is None:
            raise
        raise LedgerHeld(directory, str(first)) from None


def _check(tls: Tls | None) -> None:
    if tls is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.certificate, tls.key)
    except ssl.SSLError:
        reason = f"no certificate that belongs to the key in {tls.key}; both in PEM, unencrypted"
        raise UsageError(f"--tls-cert {tls.certificate}: {reason}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"--tls-cert {tls.certificate}: {reason}") from None
