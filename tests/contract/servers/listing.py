"""A small MCP server over standard input and output, of the standard library alone, that lists what a JSON file says.

The file is an object. `tools`, `prompts`, `resources` and `resourceTemplates` are its lists; what is there is announced, unless
`capabilities` says otherwise. `name`, `version`, `instructions` are what it calls itself, `page` how many entries a page has.
`raw` has by a method the text of a result that is sent as it is. `refuse` and `hang` name methods, `refuse_meta` refuses
requests with `_meta`, `die` names the method upon which it ends, after the text `stderr`. `backwards` answers all lists
at once and the last one first. `asks` has it ask for a ping, for sampling, roots and elicitation before it answers `tools/list`, and answer
once it was answered. `meets` is the `path` of a pipe with a name and the `mode` to open it in before anything is answered. `pause_s` is how long it takes to answer.
`log` is a file to which every line that comes in is appended.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
ASKS = ("ping", "sampling/createMessage", "roots/list", "elicitation/create")


def send(**message: object) -> None:
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


class Listing:
    """What the file says, and what was heard."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said
        self.held: list[dict[str, Any]] = []
        self.open = 0

    def capabilities(self) -> dict[str, Any]:
        if "capabilities" in self.said:
            found: dict[str, Any] = self.said["capabilities"]
            return found
        names = {
            "resources" if name == "resourceTemplates" else name
            for name in LISTS.values()
            if name in self.said
        }
        return {name: {} for name in sorted(names)}  # fmt: skip

    def hear(self, message: dict[str, Any]) -> None:
        method, identity = message.get("method"), message.get("id")
        if method is None:
            self.open -= 1
            if self.open == 0:
                self.answer(self.held.pop())
            return
        if method == self.said.get("die"):
            sys.stderr.write(self.said.get("stderr", ""))
            sys.stderr.flush()
            os._exit(3)
        if identity is None or method in self.said.get("hang", ()):
            return
        if method in LISTS and self.said.get("backwards"):
            self.held.append(message)
            announced = self.capabilities()
            if len(self.held) == len(announced) + ("resources" in announced):
                while self.held:
                    self.answer(self.held.pop())
            return
        if method == "tools/list" and self.said.get("asks"):
            self.held.append(message)
            self.open = len(ASKS)
            send(method="notifications/message", params={"level": "info", "data": "asking"})
            for number, each in enumerate(ASKS):
                send(id=number, method=each, params={})  # the client's own ids are such numbers
            return
        self.answer(message)

    def answer(self, message: dict[str, Any]) -> None:
        method, identity = message["method"], message["id"]
        params = message.get("params") or {}
        if "pause_s" in self.said:
            time.sleep(self.said["pause_s"])
        if method in self.said.get("raw", ()):
            text = '{"jsonrpc":"2.0","id":%s,"result":%s}\n'
            sys.stdout.write(text % (json.dumps(identity), self.said["raw"][method]))
            sys.stdout.flush()
        elif "_meta" in params and self.said.get("refuse_meta"):
            send(id=identity, error={"code": -32602, "message": "Invalid params"})
        elif method in self.said.get("refuse", ()):
            send(id=identity, error={"code": -32601, "message": "Method not found"})
        elif method == "initialize":
            about = {
                "name": self.said.get("name", "listing"),
                "version": self.said.get("version", "1"),
            }
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": self.capabilities(),
                "serverInfo": about,
            }
            if "instructions" in self.said:
                result["instructions"] = self.said["instructions"]
            send(id=identity, result=result)
        elif method in LISTS:
            entries = self.said.get(LISTS[method], [])
            begin, page = int(params.get("cursor", 0)), self.said.get("page", len(entries))
            more = {"nextCursor": str(begin + page)} if page and begin + page < len(entries) else {}
            send(id=identity, result={LISTS[method]: entries[begin : begin + page], **more})
        else:
            send(id=identity, error={"code": -32601, "message": "Method not found"})


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        listing = Listing(json.load(file))
    meets = listing.said.get("meets")
    if meets:
        with open(meets["path"], meets["mode"], encoding="utf-8"):
            pass
    for line in sys.stdin:
        if "log" in listing.said:
            with open(listing.said["log"], "a", encoding="utf-8") as log:
                log.write(line)
        listing.hear(json.loads(line))


if __name__ == "__main__":
    main()
