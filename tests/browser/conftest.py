"""A real browser before a real server: Chromium, driven by Playwright, on a made-up tree with names meant to do harm.

These tests are skipped where Playwright or Chromium is missing; `make browser` installs the first and looks for the second.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from econome.settings import Settings
from tests.browser.hostile import write_hostile, write_hostile_work
from tools.served import Served, demo_home, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Error, Page, Request

    Looker = Callable[..., "Look"]

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


class Look:
    """A page in the browser, and what went wrong in it: errors of the console, scripts that failed, addresses asked elsewhere."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.errors: list[str] = []
        self.strange: list[str] = []
        page.on("console", self._told)
        page.on("pageerror", self._failed)
        page.on("dialog", self._asked_for)
        page.on("request", self._asked)

    def _told(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _failed(self, error: Error) -> None:
        self.errors.append(str(error))

    def _asked_for(self, dialog: Dialog) -> None:
        self.errors.append(dialog.message)
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        url = request.url
        if not url.startswith((self.base + "/", "data:", "blob:")):
            self.strange.append(url)

    def open(self, path: str) -> Page:
        """Go to a path and wait until nothing of it is still on its way."""
        answer = self.page.goto(self.base + path)
        assert answer is not None
        self.page.wait_for_function("() => !document.querySelector('[hx-trigger*=\"load\"]')")
        return self.page


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server on the made-up tree and the hostile one, which the tests leave as they found it."""
    home = tmp_path_factory.mktemp("site")
    demo_home(home)
    write_hostile(home)
    write_hostile_work(Settings({"HOME": str(home)}))
    with serving(home) as running:
        yield running


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Return a running Chromium; its loop of events ends with the last test here, since others run loops of their own."""
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        pytest.skip("there is no Chromium here")
    with driver.sync_playwright() as play:
        running = play.chromium.launch(executable_path=program, args=list(_QUIET))
        yield running
        running.close()


@pytest.fixture
def look(chromium: Browser, site: Served) -> Iterator[Looker]:
    """Return what opens a window that was let in: *width*, *scheme*, *locale* and more of Playwright's own."""
    with ExitStack() as open_windows:

        def opened(
            width: int = 1280, scheme: str = "light", locale: str = "en-GB", **more: Any
        ) -> Look:
            given: dict[str, Any] = {
                "viewport": {"width": width, "height": 900},
                "color_scheme": scheme,
                "locale": locale,
            }
            window = chromium.new_context(**{**given, **more})
            open_windows.callback(window.close)
            page = window.new_page()
            page.goto(site.link())
            page.wait_for_url(f"{site.url}/")
            return Look(page, site.url)

        yield opened


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """Return where pictures of the pages are put, None where none are wanted."""
    wanted = os.environ.get("PICTURES")
    return Path(wanted) if wanted else None
