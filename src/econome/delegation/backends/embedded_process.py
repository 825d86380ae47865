"""The process of the embedded model: llama.cpp's own server on loopback, alone with one model.

    python -P -m econome.delegation.backends.embedded_process

Its first line of standard input is a JSON object: the model's path, the key that each question must show, and how much
there is of threads and context. It answers with one JSON line, its address or why there is none, and ends when its
standard input is closed, in whatever state it is. Nothing that a prompt holds is printed.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import sys
from typing import Any

__all__ = ["main"]

_STDIN, _STDOUT = 0, 1
_BATCH = 64
"""A prompt is read in pieces of so many tokens; between two, it is seen that nobody waits any more."""
_NICENESS = 5


def main() -> int:
    """Load the model, say where it answers, and serve it until standard input ends."""
    asked = json.loads(_first_line())
    answers = os.dup(_STDOUT)
    # The library prints to both, and what it prints may quote a prompt.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STDOUT)
    os.dup2(nowhere, 2)
    _end_with_the_parent()
    os.nice(_NICENESS)
    try:
        server = _server(asked)
    except ImportError as error:
        return _say(answers, {"error": f"xllamacpp cannot be imported ({error})"})
    except (RuntimeError, ValueError, TypeError, AttributeError) as error:
        return _say(answers, {"error": f"llama.cpp does not load it ({error})"})
    signal.signal(signal.SIGIO, signal.SIG_IGN)  # from here on, the end can be read
    _say(answers, {"url": server.listening_address})
    while os.read(_STDIN, 4096):
        pass
    # At once: a generation that runs has no one to hear it, and the library would wait for it.
    os._exit(0)


def _server(asked: dict[str, Any]) -> Any:
    """Return llama.cpp's server with the model loaded, on a free port of loopback."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = asked["model"]
    params.model_alias = {asked["name"]}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [asked["key"]]
    params.n_ctx, params.n_parallel = asked["context"], 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
    params.n_batch = params.n_ubatch = _BATCH
    params.n_gpu_layers = 0
    # So small a model otherwise repeats one thing until its limit.
    params.sampling.dry_multiplier, params.sampling.dry_penalty_last_n = 0.8, 512
    params.n_predict = asked["longest"]
    params.cache_ram_mib = 0
    params.ui = params.endpoint_slots = params.endpoint_props = False
    params.offline = True
    return xllamacpp.Server(params)


def _first_line() -> bytes:
    """Return the first line of standard input, and read nothing after it."""
    line = b""
    while not line.endswith(b"\n"):
        letter = os.read(_STDIN, 1)
        if not letter:
            sys.exit(0)
        line += letter
    return line


def _end_with_the_parent() -> None:
    """Have the system end this process once standard input is closed.

    The library holds the interpreter while it loads, so no thread could watch: the signal needs none.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(_STDIN, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(_STDIN, fcntl.F_SETFL, fcntl.fcntl(_STDIN, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([_STDIN], [], [], 0)[0]:  # it was closed before
        sys.exit(0)


def _say(answers: int, what: dict[str, str]) -> int:
    os.write(answers, json.dumps(what).encode() + b"\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
