"""`python -m bench.load`: post batches from many connections at once and print what came of it, as JSON.

A process of its own, so that the server has a processor to itself. Bodies are made before the clock starts, and then it
does next to nothing: send what is ready, count the bytes of what comes back.
"""

from __future__ import annotations

import argparse
import gc
import json
import selectors
import socket
import time
from pathlib import Path

from bench.wire import body, events

__all__ = ["Connection", "drive", "main"]

_HEAD = (
    "POST /economies HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
    "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
)
_OK = b"HTTP/1.1 200 "
_LENGTH = b"content-length: "


class Connection:
    """One client: it posts, waits for the answer, posts the next."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.rest = memoryview(b"")
        self.answer = b""
        self.begun = 0.0

    def post(self, request: bytes) -> None:
        """Begin the next post."""
        self.rest, self.answer, self.begun = memoryview(request), b"", time.perf_counter()
        self.write()

    def write(self) -> bool:
        """Send what the socket takes; return whether all of it is sent."""
        try:
            while self.rest:
                self.rest = self.rest[self.socket.send(self.rest) :]
        except BlockingIOError:
            return False
        return True

    def read(self) -> bool:
        """Take what came; return whether the answer is whole.

        Raises:
            ConnectionError: the server hung up, or did not take the batch.
        """
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server hung up")
        self.answer += data
        head, blank, content = self.answer.partition(b"\r\n\r\n")
        if not blank:
            return False
        if not head.startswith(_OK):
            raise ConnectionError(self.answer.decode("utf-8", "replace"))
        at = head.lower().index(_LENGTH) + len(_LENGTH)
        return len(content) >= int(head[at:].split(b"\r\n", 1)[0])


def drive(
    address: tuple[str, int], requests: list[bytes], clients: int, seconds: float
) -> tuple[float, list[float]]:
    """Post *requests* from *clients* connections until all are sent or *seconds* are over.

    Return the time from the first post to the last answer, and how long each took.
    """
    waiting = list(reversed(requests))
    took: list[float] = []
    with selectors.DefaultSelector() as selector:
        both = selectors.EVENT_READ | selectors.EVENT_WRITE
        begun = time.perf_counter()
        busy = 0
        for _ in range(min(clients, len(waiting))):
            connection = Connection(address)
            connection.post(waiting.pop())
            selector.register(
                connection.socket, both if connection.rest else selectors.EVENT_READ, connection
            )
            busy += 1
        ended = begun
        while busy:
            for key, ready in selector.select():
                one: Connection = key.data
                if ready & selectors.EVENT_WRITE and one.write():
                    selector.modify(one.socket, selectors.EVENT_READ, one)
                if not ready & selectors.EVENT_READ or not one.read():
                    continue
                ended = time.perf_counter()
                took.append(ended - one.begun)
                if waiting and ended - begun < seconds:
                    one.post(waiting.pop())
                    if one.rest:
                        selector.modify(one.socket, both, one)
                else:
                    selector.unregister(one.socket)
                    one.socket.close()
                    busy -= 1
    return ended - begun, took


def main() -> None:
    """Make the bodies, say so, wait for a line, post, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--token", type=Path, required=True, help="the file that holds it")
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--first", type=int, required=True, help="the number of the first event")
    parser.add_argument("--events", type=int, required=True, help="the most to send")
    parser.add_argument("--seconds", type=float, required=True, help="begin no post after these")
    options = parser.parse_args()
    token = options.token.read_text(encoding="ascii").strip()
    requests = []
    for first in range(options.first, options.first + options.events, options.batch):
        content = body(events(first, options.batch))
        head = _HEAD.format(host=f"127.0.0.1:{options.port}", token=token, length=len(content))
        requests.append(head.encode("ascii") + content)
    gc.collect()
    gc.disable()
    spent = time.process_time()
    seconds, took = drive(("127.0.0.1", options.port), requests, options.clients, options.seconds)
    spent = time.process_time() - spent
    print(json.dumps({"seconds": seconds, "took": took, "cpu": spent}))


if __name__ == "__main__":
    main()
