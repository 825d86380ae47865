"""What a page of another origin can do to this server, in a browser that was let in: nothing (S1)."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.requirements import requirement

if TYPE_CHECKING:
    from tests.browser.conftest import Looker
    from tools.served import Served

pytestmark = requirement("S1")

_TRIES = """async (base) => {
  const told = {};
  const attempt = async (name, work) => {
    try { told[name] = await work(); } catch (error) { told[name] = "refused"; }
  };
  const read = (path, options) => async () => {
    const answer = await fetch(base + path, { credentials: "include", ...options });
    return `read ${answer.status} ${(await answer.text()).length}`;
  };
  await attempt("page", read("/usage"));
  await attempt("figures", read("/api/v1/usage"));
  await attempt("csv", read("/usage/figures/daily.csv"));
  await attempt("document", read("/openapi.json"));
  const simple = { method: "POST", headers: { "content-type": "text/plain" } };
  await attempt("events", read("/economies", { ...simple, body: "{\\"evenements\\": []}" }));
  await attempt("login", read("/login", { ...simple, body: "{}" }));
  const blind = await fetch(base + "/api/v1/usage", { credentials: "include", mode: "no-cors" })
    .then((answer) => answer.type, () => "refused");
  told.blind = blind;
  const loaded = (element, set) => new Promise((resolve) => {
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("refused");
    set(element);
    document.body.append(element);
    setTimeout(() => resolve("nothing"), 2000);
  });
  told.picture = await loaded(document.createElement("img"), (it) => { it.src = base + "/usage/figures/daily.svg"; });
  told.script = await loaded(document.createElement("script"), (it) => { it.src = base + "/api/v1/usage"; });
  told.own = await loaded(document.createElement("script"), (it) => { it.src = base + "/static/page.js"; });
  const frame = document.createElement("iframe");
  await loaded(frame, (it) => { it.src = base + "/usage"; });
  let inside = "refused";
  try { inside = frame.contentDocument ? frame.contentDocument.body.textContent : "refused"; } catch { inside = "refused"; }
  told.frame = inside;
  told.stream = await new Promise((resolve) => {
    const stream = new EventSource(base + "/api/v1/live", { withCredentials: true });
    stream.onopen = () => { stream.close(); resolve("opened"); };
    stream.onerror = () => { stream.close(); resolve("refused"); };
  });
  return told;
}"""


@pytest.fixture
def stranger() -> Iterator[str]:
    """Return the address of a page of another origin: the same machine, another port, as cookies go."""

    class Empty(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<!doctype html><title>x</title><body>"
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        running.join()


def test_a_page_of_another_origin_reads_nothing_and_changes_nothing(
    look: Looker, site: Served, stranger: str
) -> None:
    looked = look()
    page = looked.page
    assert any(cookie["name"].startswith("econome-") for cookie in page.context.cookies())
    before = page.evaluate("fetch('/api/v1/balance').then((answer) => answer.text())")
    page.goto(stranger)
    told: dict[str, Any] = page.evaluate(_TRIES, site.url)
    assert told == dict.fromkeys(told, "refused"), json.dumps(told)
    assert len(told) > 10
    page.goto(f"{site.url}/savings")
    assert page.evaluate("fetch('/api/v1/balance').then((answer) => answer.text())") == before


def test_a_form_of_another_origin_posts_nothing(look: Looker, site: Served, stranger: str) -> None:
    page = look().page
    for path in ("/economies", "/login", "/mcp", "/usage"):
        page.goto(stranger)
        with page.expect_navigation() as went:
            page.evaluate(
                """(address) => {
                  const form = document.createElement("form");
                  form.method = "post";
                  form.action = address;
                  form.enctype = "text/plain";
                  document.body.append(form);
                  form.submit();
                }""",
                site.url + path,
            )
        answer = went.value
        assert answer is not None
        assert answer.status == 403, path


def test_a_name_that_was_made_to_lead_here_opens_nothing(look: Looker, site: Served) -> None:
    port = site.url.rpartition(":")[2]
    page = look().page
    answer = page.goto(f"http://rebound.localhost:{port}/usage")
    assert answer is not None
    assert answer.status == 421
