"""The report of `econome profile` never scrolls sideways, whatever servers call things: looked at in a browser, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from econome.__main__ import main
from tests.cli.test_profile import LIST
from tests.contract.listed import command, entry

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
ADDRESS = "https://" + "a" * 150 + ".example/" + "p" * 200
LONG = "n" * 64


def _page(path: Path) -> str:
    tools = [
        entry(LONG, outputSchema=LIST, description=f"Always call {LONG}2 first. See {ADDRESS}"),
        entry(LONG + "2", outputSchema=LIST),
        entry("Z" * 200),
    ]
    words = command(path, tools=tools, instructions=f"You must always visit {ADDRESS} first.")
    page = path / "report.html"
    assert main(["profile", "--name", "s" * 64, "--html", str(page), "--", *words]) == 0
    return page.read_text(encoding="utf-8")


def test_text_of_any_kind_breaks_anywhere(tmp_path: Path) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", _page(tmp_path), re.DOTALL)
    rules = [body for names, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style) if names.split()[-1:] == ["main"]]  # fmt: skip
    assert any("overflow-wrap: anywhere" in body for body in rules)


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="there is no browser")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_is_as_wide_as_its_window(width: int, tmp_path: Path) -> None:
    page = re.sub(r"<meta http-equiv[^>]*>", "", _page(tmp_path))
    measure = "parent.postMessage(`${innerWidth} ${document.documentElement.scrollWidth}`, '*')"
    inner = page.replace("</body>", f"<script>{measure}</script></body>")
    (tmp_path / "inner.html").write_text(inner, encoding="utf-8")
    (tmp_path / "outer.html").write_text(
        "<script>onmessage = said => document.title = said.data</script>"
        f'<iframe src="inner.html" width="{width}" height="900" style="border: 0"></iframe>',
        encoding="utf-8",
    )
    told = subprocess.run(
        [
            str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'own'}",
            "--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", f"file://{tmp_path / 'outer.html'}",
        ],
        check=True, capture_output=True, encoding="utf-8", timeout=60,
    ).stdout  # fmt: skip
    found = re.search(r"<title>(\d+) (\d+)</title>", told)
    assert found is not None
    assert int(found[1]) == width
    assert int(found[2]) <= width
