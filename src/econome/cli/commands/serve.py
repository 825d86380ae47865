"""`econome serve`: the server in the foreground, and what a client has to be told to reach it."""

from __future__ import annotations

import gc

import click

from econome import settings
from econome.cli.addresses import add_line
from econome.cli.params import params
from econome.cli.server_texts import SERVE, SERVER_OPTIONS
from econome.cli.texts import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.settings import Settings

__all__ = ["command"]

_LAST_PORT = 65535


@click.command(help=COMMANDS["serve"])
@click.option(
    "--port", type=click.IntRange(0, _LAST_PORT), metavar="N", help=SERVER_OPTIONS["port"]
)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help=SERVER_OPTIONS["host"])
@click.option("--tls-cert", metavar="FILE", help=SERVER_OPTIONS["tls-cert"])
@click.option("--tls-key", metavar="FILE", help=SERVER_OPTIONS["tls-key"])
@click.option("--behind-proxy", metavar="HOST", help=SERVER_OPTIONS["behind-proxy"])
@params("data-dir")
def command(
    port: int | None,
    host: str,
    tls_cert: str | None,
    tls_key: str | None,
    behind_proxy: str | None,
    data_dir: str | None,
) -> None:
    """Serve until the process is told to end."""
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError(SERVE["half_tls"])
    found = settings.load(data_dir=data_dir)

    def ready(url: str) -> None:
        outside = url if behind_proxy is None else f"https://{behind_proxy}"
        _tell(found, url, outside, None if data_dir is None else found.data_dir)

    from econome.server.run import serve
    from econome.server.serving import Tls

    gc.enable()  # which commands that end soon go without
    tls = None if tls_cert is None or tls_key is None else Tls(tls_cert, tls_key)
    serve(found, host, port, tls=tls, behind_proxy=behind_proxy, ready=ready)


def _tell(found: Settings, url: str, outside: str, data_dir: str | None) -> None:
    """Print where the server is and how it is reached; a parent process waits for the first line."""
    print(
        SERVE["serves"].format(url=url),
        SERVE["token"].format(path=found.token_path()),
        SERVE["claude"],
        f"  {add_line(outside, data_dir)}",
        SERVE["end"],
        sep="\n",
        flush=True,
    )
