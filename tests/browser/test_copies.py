"""A figure is copied as CSV, JSON, SVG and PNG; what comes to the clipboard is the figure that is seen."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tests.requirements import requirement

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Looker

_PNG = """async () => {
  const [item] = await navigator.clipboard.read();
  const picture = await item.getType("image/png");
  const bytes = new Uint8Array(await picture.arrayBuffer());
  const bitmap = await createImageBitmap(picture);
  return [btoa(String.fromCharCode(...bytes.slice(0, 8))), bitmap.width, bitmap.height];
}"""


def _copied(page: Page, form: str) -> None:
    page.locator("#daily .copies a", has_text=form).click()
    page.wait_for_function("() => document.getElementById('said').textContent !== ''")
    assert page.locator("#said").inner_text() == "Copied."
    page.evaluate("() => { document.getElementById('said').textContent = ''; }")


@requirement("V2")
def test_a_figure_is_copied_in_every_form(look: Looker) -> None:
    looked = look(permissions=["clipboard-read", "clipboard-write"])
    page = looked.open("/usage?days=all")
    _copied(page, "CSV")
    table = page.evaluate("navigator.clipboard.readText()").splitlines()
    shown = page.locator("#daily tbody tr").count()
    assert len(table) == shown + 1
    _copied(page, "JSON")
    facts = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert (facts["figure"], len(facts["rows"])) == ("daily", shown)
    _copied(page, "SVG")
    drawn = ElementTree.fromstring(page.evaluate("navigator.clipboard.readText()"))
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    _copied(page, "PNG")
    begin, width, height = page.evaluate(_PNG)
    assert base64.b64decode(begin) == b"\x89PNG\r\n\x1a\n"
    assert min(width, height) > 100
    assert looked.errors == []


def test_a_picture_of_a_figure_has_its_colours(look: Looker) -> None:
    looked = look()
    page = looked.open("/usage?days=all")
    address = page.locator("#daily .copies a", has_text="SVG").get_attribute("href")
    colours = page.evaluate(
        """async (address) => {
          const image = new Image();
          image.src = address;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = image.naturalWidth;
          canvas.height = image.naturalHeight;
          const pen = canvas.getContext("2d");
          pen.drawImage(image, 0, 0);
          const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;
          const seen = new Set();
          for (let at = 0; at < data.length; at += 4) {
            const [red, green, blue] = data.slice(at, at + 3);
            if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) {
              seen.add([red >> 4, green >> 4, blue >> 4].join());
            }
          }
          return seen.size;
        }""",
        address,
    )
    assert colours > 2
    assert looked.errors == []
