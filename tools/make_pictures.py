"""Take the pictures of the pages in docs/pictures: a made-up tree, served for real, in a Chromium that is installed.

`make pictures` runs it; it needs the extra `browser`. A picture is as good as the fonts of the machine it was taken on, so
none is compared with anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tools.served import demo_home, environment, serving

PLACE = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SHOTS = (
    ("usage", "/usage?days=30", 1280, "light"),
    ("usage-dark", "/usage?days=30", 1280, "dark"),
    ("usage-phone", "/usage?days=30", 390, "light"),
    ("session", "", 1280, "light"),
    ("savings", "/savings?days=all", 1280, "light"),
    ("servers", "/servers", 1280, "light"),
    ("diagnosis", "/diagnosis?days=all", 1280, "light"),
    ("manual", "/manual/usage", 1280, "light"),
)
_HEIGHT = 1400
"""Pictures end there: below it are tables."""


def main() -> None:
    """Write every picture anew."""
    PLACE.mkdir(exist_ok=True)
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        home = Path(folder) / "home"
        home.mkdir()
        demo_home(home)
        _measure(home)
        with serving(home) as running:
            browser = play.chromium.launch(
                executable_path=program, args=["--no-sandbox", "--disable-gpu"]
            )
            for name, path, width, scheme in SHOTS:
                window = browser.new_context(
                    viewport={"width": width, "height": 900},
                    color_scheme="dark" if scheme == "dark" else "light",
                    locale="en-GB",
                )
                page = window.new_page()
                page.goto(running.link())
                page.wait_for_url(f"{running.url}/")
                page.goto(running.url + (path or _dearest_session(page, running.url)))
                page.wait_for_function("() => !document.querySelector('[hx-trigger*=\"load\"]')")
                _take(page, PLACE / f"{name}.png", width)
                window.close()
            browser.close()


def _measure(home: Path) -> None:
    """Have the example server profiled and locked, so that there is something to show of a server."""
    given = {**environment(home), "COLUMNS": "100"}
    server = (sys.executable, str(PLACE.parent / "examples" / "lean_server.py"))
    for command in (("profile",), ("lock",)):
        subprocess.run(
            (sys.executable, "-m", "econome", *command, "--", *server),
            env=given, cwd=home, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip


def _dearest_session(page: Page, base: str) -> str:
    page.goto(f"{base}/usage?days=all&sort=cost")
    address = page.locator('#sessions a[href^="/session/"]').first.get_attribute("href")
    return str(address)


def _take(page: Page, target: Path, width: int) -> None:
    height: int = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": width, "height": min(height, _HEIGHT)})
    page.screenshot(path=target)


if __name__ == "__main__":
    main()
