"""The inks of drawings can be told apart and from the ground, in both themes, by eyes of every kind."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest

from econome.server.charts.inks import CLASSES, INKS, STEPS
from econome.server.charts.values import PLACES
from econome.server.pages import page_text
from tests.server.colours import EYES, contrast, distance, lightness, properties

ANY, BESIDE = 0.09, 0.125
"""How far apart any two inks are at the least, and two that follow each other."""

PARTS = [*(f"part-{place}" for place in range(PLACES)), "part-rest"]
HEATS = [f"heat-{step}" for step in range(STEPS + 1)]
LIGHT, DARK = (
    {**frame, **drawn}
    for frame, drawn in zip(
        *(properties(page_text(name).decode()) for name in ("econome.css", "charts.css")),
        strict=True,
    )
)
themes = pytest.mark.parametrize("inks", [LIGHT, DARK], ids=["light", "dark"])


@themes
@pytest.mark.parametrize("part", PARTS)
def test_a_part_stands_out_from_the_ground_and_its_pattern_from_it(
    inks: dict[str, str], part: str
) -> None:
    assert contrast(inks[part], inks["ground"]) >= 3
    assert contrast(inks[part], inks["ink"]) >= 3


@themes
@pytest.mark.parametrize("eyes", EYES)
def test_parts_can_be_told_apart(inks: dict[str, str], eyes: str) -> None:
    apart = {
        (one, other): distance(inks[one], inks[other], EYES[eyes])
        for one, other in combinations(PARTS, 2)
    }
    assert {pair: far for pair, far in apart.items() if far < ANY} == {}
    assert {pair: apart[pair] for pair in pairwise(PARTS) if apart[pair] < BESIDE} == {}


@themes
@pytest.mark.parametrize("eyes", EYES)
def test_bars_of_what_is_no_model_look_like_none(inks: dict[str, str], eyes: str) -> None:
    assert contrast(inks["part-plain"], inks["ground"]) >= 3
    assert min(distance(inks["part-plain"], inks[part], EYES[eyes]) for part in PARTS) >= 0.06


@themes
@pytest.mark.parametrize("eyes", EYES)
def test_steps_of_much_go_one_way(inks: dict[str, str], eyes: str) -> None:
    away = [abs(lightness(inks[step]) - lightness(inks["ground"])) for step in HEATS]
    assert away == sorted(away)
    near = [distance(inks[one], inks[other], EYES[eyes]) for one, other in pairwise(HEATS)]
    assert min(near) >= 0.05
    assert contrast(inks[HEATS[-1]], inks["ground"]) >= 7


@themes
def test_the_letters_of_a_drawing_can_be_read(inks: dict[str, str]) -> None:
    assert min(contrast(inks[name], inks["ground"]) for name in ("text", "quiet")) >= 4.5
    assert contrast(inks["edge"], inks["ground"]) >= 3


def test_a_drawing_alone_has_the_inks_of_the_light_theme() -> None:
    assert {name: LIGHT[name] for name in INKS} == INKS


def test_classes_say_the_same_in_a_page_and_in_a_drawing_alone() -> None:
    sheet = page_text("charts.css").decode().partition("@media (forced-colors")[0]
    rules = {
        name: dict(re.findall(r"([\w-]+): ([^;]+);", body))
        for name, body in re.findall(r"^(?:\.chart )?\.([\w-]+) \{([^}]*)\}", sheet, re.M)
    }
    apart = {"chart", "told", "track", *(name for name in rules if name.startswith("room-"))}
    assert {name: rules.get(name) for name in CLASSES if name not in apart} == {
        name: {
            key: f"var(--{value})" if value in INKS else value for key, value in said.items()
        }
        for name, said in CLASSES.items()
        if name not in apart
    }  # fmt: skip
