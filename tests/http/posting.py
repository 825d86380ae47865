"""Many clients that post at once, each over one connection, and remember what was acknowledged."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

from tests.http.process import Served
from tests.http.raw import Connection, spelt
from tests.savings.builders import body, delegation, steering

__all__ = ["Posters"]

_EVENTS = 10


@dataclass
class Posters:
    """Posts until the server is gone; `acknowledged` are the ids of the events that were answered with 200.

    Each post repeats an event of the one before, and one that every client sends.
    """

    server: Served
    clients: int = 4
    acknowledged: set[str] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    threads: list[threading.Thread] = field(default_factory=list)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def start(self, round_number: int = 0) -> None:
        """Begin to post."""
        self.threads = [
            threading.Thread(target=self._post, args=(f"{round_number}-{client}",))
            for client in range(self.clients)
        ]
        for thread in self.threads:
            thread.start()

    def wait(self) -> None:
        """Wait until each has met the end of the server."""
        for thread in self.threads:
            thread.join(timeout=60)
            assert not thread.is_alive()

    def _post(self, name: str) -> None:
        token = self.server.token
        headers = {
            "Host": f"127.0.0.1:{self.server.port}",
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
        }
        try:
            with Connection(self.server.port) as connection:
                for number in count():
                    ids = [f"{name}-{number}-{at}" for at in range(_EVENTS)]
                    events = [delegation(demande_id=own) for own in ids]
                    events.append(steering(turn_id=f"{name}-{number // 2}"))
                    events.append(delegation(demande_id="everybody's"))
                    connection.send(spelt("POST", "/economies", headers, body(*events)))
                    status = connection.reply().status
                    self.statuses[status] += 1
                    if status == 200:
                        self.acknowledged.update(event["id"] for event in events)
                        self.begun.release()
        except (OSError, AssertionError, KeyError, ValueError):
            pass  # the server is gone, perhaps in the middle of an answer
