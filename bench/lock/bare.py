"""The least a client can do: start a server, ask for its tools, read them. It is what a check is held against."""

import json
import subprocess
import sys

GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bare", "version": "1.0"},
}

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert server.stdin is not None
assert server.stdout is not None
hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETING}
ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
server.stdin.write(json.dumps(hello).encode() + b"\n")
server.stdin.flush()
server.stdout.readline()
for said in (ready, ask):
    server.stdin.write(json.dumps(said).encode() + b"\n")
server.stdin.flush()
heard = json.loads(server.stdout.readline())
server.stdin.close()
server.wait()
print(len(heard["result"]["tools"]))
