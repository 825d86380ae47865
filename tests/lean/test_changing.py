"""Entries go through the proxy and come back to the byte, and what is not as it was is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import ConfigRefused
from econome.lean.install.changing import Changes, Found
from econome.lean.install.entries import LeftAlone
from econome.lean.install.originals import Original, Originals
from econome.lean.install.places import Place
from econome.lean.install.spans import blanked
from tests.lean.documents import Written, documents
from tests.requirements import requirement

pytestmark = requirement("L18")

PROGRAM = ["/opt/econome"]
ENTRY = {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "s3"}}
OTHER = {"mcpServers": {"gh": ENTRY, "db": {"command": "db"}}, "numStartups": 3}


class Ground:
    """A client's file and a data directory."""

    def __init__(self, folder: Path, data: bytes, place: Place | None = None) -> None:
        self.file = folder / "mcp.json"
        self.file.write_bytes(data)
        self.asked: list[str] = []
        self.originals = Originals(str(folder / "proxied"))
        self.changes = Changes(self.originals, PROGRAM, ask=self.asked.append)
        self.place = place or Place("cursor", str(self.file), ("mcpServers",))

    def find(self, name: str = "gh") -> Found:
        """Return an entry as it is found now."""
        return next(each for each in self.changes.look([self.place]).found if each.name == name)

    def states(self) -> dict[str, str]:
        """Return how each entry stands."""
        return {each.name: each.state for each in self.changes.look([self.place]).found}

    def edit(self, change: Callable[[Any], object]) -> bytes:
        """Change the file as a client would, which writes it whole."""
        value = json.loads(self.file.read_bytes())
        change(value)
        self.file.write_bytes(json.dumps(value, indent=2).encode())
        return self.file.read_bytes()


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path, json.dumps(OTHER, indent=4).encode())


@given(documents())
def test_install_changes_one_entry_and_uninstall_gives_the_same_bytes(written: Written) -> None:
    with TemporaryDirectory() as folder:
        *above, name = written.keys
        path = Path(folder) / "mcp.json"
        place = Place("vscode", str(path), tuple(above), written.comments)
        ground = Ground(Path(folder), written.data, place)
        try:
            found = ground.find(name)
            original = ground.changes.install(found)
        except LeftAlone:
            assert ground.file.read_bytes() == written.data
            return
        between = ground.file.read_bytes()
        assert between == written.before + original.written.encode() + written.after
        assert json.loads(original.written)["command"] == PROGRAM[0]
        assert ground.find(name).state == "proxied"
        assert ground.changes.uninstall(original) is True
        assert ground.file.read_bytes() == written.data
        assert ground.originals.all() == []


@given(documents(), st.randoms())
def test_a_client_that_writes_its_file_anew_meanwhile_loses_nothing(
    written: Written, random: Any
) -> None:
    with TemporaryDirectory() as folder:
        *above, name = written.keys
        path = Path(folder) / "mcp.json"
        place = Place("vscode", str(path), tuple(above), written.comments)
        ground = Ground(Path(folder), written.data, place)
        try:
            original = ground.changes.install(ground.find(name))
        except LeftAlone:
            return
        text = ground.file.read_bytes().decode("utf-8-sig")
        value = json.loads(blanked(text) if written.comments else text)
        value["added"] = random.random()
        path.write_bytes(json.dumps(value, indent=2).encode())
        if above[0] == "added":
            return
        assert ground.find(name).state == "proxied"
        assert ground.changes.uninstall(original) is True
        assert written.entry.encode() in path.read_bytes()


def test_the_original_is_kept_for_this_user_alone(ground: Ground) -> None:
    original = ground.changes.install(ground.find(), "2026-10-17T12:00:00Z")
    (kept,) = Path(ground.originals.directory).iterdir()
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert kept.name.startswith("gh-")
    assert ground.originals.all() == [original]
    assert (json.loads(original.original), original.at) == (ENTRY, "2026-10-17T12:00:00Z")


def test_two_entries_come_back_in_any_order(ground: Ground) -> None:
    before = ground.file.read_bytes()
    first = ground.changes.install(ground.find("gh"))
    second = ground.changes.install(ground.find("db"))
    assert ground.states() == {"gh": "proxied", "db": "proxied"}
    ground.changes.uninstall(first)
    ground.changes.uninstall(second)
    assert ground.file.read_bytes() == before


def test_an_entry_that_changed_since_it_was_looked_at_is_left(ground: Ground) -> None:
    found = ground.find()
    after = ground.edit(lambda value: value["mcpServers"]["gh"].update(command="uvx"))
    with pytest.raises(ConfigRefused, match="gh: its entry changed since it was looked at"):
        ground.changes.install(found)
    assert (ground.file.read_bytes(), ground.originals.all()) == (after, [])


def test_what_changed_elsewhere_since_it_was_looked_at_is_kept(ground: Ground) -> None:
    found = ground.find()
    text = ground.file.read_bytes().replace(b'"numStartups": 3', b'"numStartups": 4')
    ground.file.write_bytes(text)
    original = ground.changes.install(found)
    assert ground.file.read_bytes() == text.replace(
        original.original.encode(), original.written.encode()
    )


def test_an_entry_that_was_edited_since_is_not_given_back(ground: Ground) -> None:
    original = ground.changes.install(ground.find())
    after = ground.edit(lambda value: value["mcpServers"]["gh"].update(cwd="/x"))
    assert ground.states() == {"gh": "changed", "db": "direct"}
    with pytest.raises(ConfigRefused, match="gh: its entry was edited since it goes through"):
        ground.changes.uninstall(original)
    assert (ground.file.read_bytes(), ground.originals.all()) == (after, [original])


def test_an_entry_that_is_gone_is_told_and_its_original_kept(ground: Ground) -> None:
    original = ground.changes.install(ground.find())
    ground.edit(lambda value: value["mcpServers"].pop("gh"))
    with pytest.raises(ConfigRefused, match="gh: its entry is gone; the original is kept in"):
        ground.changes.uninstall(original)
    found = ground.changes.overview([ground.place]).found
    assert [(each.name, each.state) for each in found] == [("db", "direct"), ("gh", "gone")]
    assert ground.originals.all() == [original]


def test_an_entry_that_is_back_already_is_forgotten(ground: Ground) -> None:
    before = ground.file.read_bytes()
    original = ground.changes.install(ground.find())
    ground.file.write_bytes(before)
    assert ground.states()["gh"] == "direct"
    assert ground.changes.uninstall(original) is False
    assert (ground.file.read_bytes(), ground.originals.all()) == (before, [])


def test_an_entry_that_its_user_put_back_can_be_installed_again(ground: Ground) -> None:
    ground.changes.install(ground.find())
    ground.edit(lambda value: value["mcpServers"].update(gh={"command": "mine"}))
    again = ground.changes.install(ground.find())
    assert json.loads(again.original) == {"command": "mine"}
    assert ground.originals.all() == [again]


def test_a_file_that_cannot_be_replaced_leaves_no_original(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, read: bytes, new: bytes, *, locked: bool) -> None:
        raise ConfigRefused(path, "no")

    monkeypatch.setattr("econome.lean.install.changing.replace_file", refuse)
    with pytest.raises(ConfigRefused):
        ground.changes.install(ground.find())
    assert ground.originals.all() == []


@pytest.mark.parametrize(
    ("client", "waits"), [("claude-code", True), ("claude-code-project", True), ("cursor", False)]
)
def test_while_claude_code_writes_its_own_file_nothing_is_changed_in_it(
    tmp_path: Path, client: str, waits: bool
) -> None:
    place = Place(client, str(tmp_path / "mcp.json"), ("mcpServers",))
    ground = Ground(tmp_path, json.dumps(OTHER, indent=4).encode(), place)
    before = ground.file.read_bytes()
    lock = ground.file.with_name("mcp.json.lock")
    lock.mkdir()  # as the client does
    if not waits:
        ground.changes.install(ground.find())
        assert ground.states()["gh"] == "proxied"
        return
    with pytest.raises(ConfigRefused, match="its client is writing it right now"):
        ground.changes.install(ground.find())
    assert (ground.file.read_bytes(), ground.originals.all()) == (before, [])
    lock.rmdir()
    original = ground.changes.install(ground.find())
    written = ground.file.read_bytes()
    lock.mkdir()
    with pytest.raises(ConfigRefused, match="its client is writing it right now"):
        ground.changes.uninstall(original)
    assert (ground.file.read_bytes(), ground.originals.all()) == (written, [original])


def test_an_original_that_cannot_be_kept_leaves_the_file_as_it_is(ground: Ground) -> None:
    before = ground.file.read_bytes()
    Path(ground.originals.directory).write_bytes(b"in the way")
    with pytest.raises(ConfigRefused):
        ground.changes.install(ground.find())
    assert ground.file.read_bytes() == before


def test_what_already_goes_through_is_left_alone(ground: Ground) -> None:
    ground.changes.install(ground.find())
    before = ground.file.read_bytes()
    with pytest.raises(LeftAlone, match="it already goes through the proxy"):
        ground.changes.install(ground.find())
    assert ground.file.read_bytes() == before


def test_what_another_data_directory_sent_through_is_left_alone(
    ground: Ground, tmp_path: Path
) -> None:
    ground.changes.install(ground.find())
    elsewhere = Changes(Originals(str(tmp_path / "else")), PROGRAM)
    (gh, _) = elsewhere.look([ground.place]).found
    assert (gh.state, gh.reason) == (
        "alone",
        "it goes through the proxy, and its original is not kept in this data directory",
    )


@pytest.mark.parametrize(
    "data, reason",
    [
        (b'{"mcpServers": {"gh": {"command": "a"}', "it does not parse: line 1"),
        (b'{"mcpServers": {}, // x\n "a": 1}', "it does not parse: line 1"),
        (b'{"mcpServers": {}, "mcpServers": {}}', "it names 'mcpServers' twice"),
        (b'{"mcpServers": {"gh": {}, "gh": {}}}', "it names 'gh' twice"),
    ],
)
def test_a_file_that_cannot_be_understood_is_a_fault(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    ground = Ground(tmp_path, data)
    survey = ground.changes.look([ground.place, ground.place])
    assert (survey.found, len(survey.faults)) == ([], 1)
    assert reason in str(survey.faults[0])


@pytest.mark.parametrize("data", [b"", b"  \n", b"{}", b"[]", b'{"mcpServers": 3}'])
def test_a_file_without_entries_has_none(tmp_path: Path, data: bytes) -> None:
    ground = Ground(tmp_path, data)
    survey = ground.changes.look([ground.place])
    assert (survey.found, survey.faults) == ([], [])


def reached(tmp_path: Path, **entry: Any) -> Ground:
    return Ground(tmp_path, json.dumps({"mcpServers": {"gh": {"type": "http", **entry}}}).encode())


def test_a_server_without_a_token_is_asked_whether_it_wants_a_login(tmp_path: Path) -> None:
    ground = reached(tmp_path, url="https://a.example/mcp")
    ground.changes.install(ground.find())
    assert ground.asked == ["https://a.example/mcp"]


def test_a_server_that_wants_a_login_is_left_alone(tmp_path: Path) -> None:
    ground = reached(tmp_path, url="https://a.example/mcp")
    before = ground.file.read_bytes()

    def refuse(url: str) -> None:
        raise LeftAlone("it wants a login")

    changes = Changes(ground.originals, PROGRAM, ask=refuse)
    with pytest.raises(LeftAlone, match="it wants a login"):
        changes.install(ground.find())
    assert (ground.file.read_bytes(), ground.originals.all()) == (before, [])


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://a.example/mcp", "headers": {"Authorization": "Bearer s3"}},
        {"url": "${BASE}/mcp"},
    ],
)
def test_a_server_with_a_token_or_an_unknown_address_is_not_asked(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    ground = reached(tmp_path, **entry)
    ground.changes.install(ground.find())
    assert ground.asked == []


def test_looking_asks_nobody_and_changes_nothing(tmp_path: Path) -> None:
    ground = reached(tmp_path, url="https://a.example/mcp")
    before = ground.file.read_bytes()
    ground.changes.overview([ground.place])
    assert (ground.asked, ground.file.read_bytes()) == ([], before)
    assert not Path(ground.originals.directory).exists()


def test_a_damaged_original_is_told(ground: Ground) -> None:
    original = ground.changes.install(ground.find())
    path = ground.originals.path_of(original.path, original.keys, original.name)
    Path(path).write_bytes(b"{")
    with pytest.raises(ConfigRefused, match="it is no original that econome kept"):
        ground.originals.all()


def test_an_original_that_others_may_write_is_not_believed(ground: Ground) -> None:
    original = ground.changes.install(ground.find())
    path = Path(ground.originals.path_of(original.path, original.keys, original.name))
    path.chmod(0o666)
    with pytest.raises(ConfigRefused, match="others may write to it"):
        ground.originals.all()


def test_an_overview_tells_of_what_was_installed_elsewhere(ground: Ground) -> None:
    ground.changes.install(ground.find())
    survey = ground.changes.overview([])
    assert survey.report() == {
        "schema": "econome.clients/1",
        "entries": [
            {
                "client": "cursor",
                "path": str(ground.file),
                "name": "gh",
                "state": "proxied",
                "reason": None,
                "told": "TOKEN=… npx -y server",
            }
        ],
        "faults": [],
    }


def test_a_record_says_which_place_it_is_of(ground: Ground) -> None:
    original = ground.changes.install(ground.find())
    assert original == Original(
        client="cursor",
        path=str(ground.file),
        keys=("mcpServers",),
        name="gh",
        original=original.original,
        written=original.written,
    )
