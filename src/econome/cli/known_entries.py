"""Which entry of a client's configuration a server has, as the words by which `econome proxy install` finds it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from econome.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.lean.install.changing import Found
    from econome.lean.install.places import Place
    from econome.settings import Settings

__all__ = ["install_words"]


def install_words(
    settings: Settings,
    names: Sequence[str],
    words: Sequence[str],
    url: str | None,
    config: str | None,
) -> list[str]:
    """Return the options and the name of an entry that can go through the proxy; nothing where none is known.

    With *config* that is the first of *names* that the file has such an entry of. Else it is the entry that starts *words* or
    reaches *url*, or that has the one name: of this user's own clients first, and then of the project in this directory.
    """  # fmt: skip
    from econome.lean.install.folders import folders_of, places_in
    from econome.lean.install.places import file_places, project_places, user_places

    folders = folders_of(os.getcwd())
    own = user_places(settings.home(), sys.platform, settings.variable, folders)
    if config is not None:
        options = ["--config", config]
        places = places_in(config, own) or file_places(os.path.abspath(config))
        known = _known(settings, places)
        wanted = [name for name in names if any(one.name == name for one in known)]
        return _told(known, wanted[:1], options, folders)
    for places, options in ((own, []), (project_places(folders, sys.platform), ["--project"])):
        known = _known(settings, places)
        started = [one.name for one in known if _starts(one, words, url)]
        named = [one.name for one in known if one.name in names]
        if found := _told(known, [*started, *named][:1], options, folders):
            return found
    return []


def _known(settings: Settings, places: Sequence[Place]) -> list[Found]:
    """Return the entries that can go through the proxy and do not yet."""
    from econome.cli.addresses import command_words
    from econome.lean.install.changing import Changes
    from econome.lean.install.originals import Originals, proxied_dir

    changes = Changes(Originals(proxied_dir(settings.data_dir)), command_words())
    return [one for one in changes.look(places).found if one.state == "direct"]


def _starts(found: Found, words: Sequence[str], url: str | None) -> bool:
    if found.entry is None:
        return False
    if found.entry.url is not None:
        return found.entry.url == url
    return bool(words) and found.entry.command_words() == list(words)


def _told(
    known: Sequence[Found], names: Sequence[str], options: Sequence[str], folders: Sequence[str]
) -> list[str]:
    from econome.lean.install.choosing import Where, choose, options_for

    for name in names:
        rivals = [(Where.of(one.place), one) for one in known if one.name == name]
        apart: list[str] = []
        try:
            choose(name, rivals, folders)
        except UsageError:
            if "--config" in options:
                return []
            apart = options_for(rivals[0][0], [where for where, _ in rivals])
        whole = [*(["--config", *apart[1:]] if apart[:1] == ["--config"] else [*options, *apart])]
        return [*whole, *(["--"] if name.startswith("-") else []), name]
    return []
