"""Create a workspace: write the files it starts with, and list those that come with their first entry."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mdmem.core.edit import Edit
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.errors import WriteError
from mdmem.store.draft import Edits, Files
from mdmem.store.walk import SETTINGS_FILE
from mdmem.workspace.config import Config
from mdmem.workspace.kind_file import kind_file
from mdmem.workspace.words import say


class Made(NamedTuple):
    """What was written, what was already present, and which files come with their first entry."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    later: tuple[str, ...]
    purposes: Mapping[str, str]  # what belongs in each file, in one line


def init(config: Config) -> Made:
    """Write `mdmem.toml` and each file whose template says `create: on-init`, where no file of its kind exists."""
    texts = {SETTINGS_FILE: f'lang = "{config.lang}"\n'}
    purposes = {SETTINGS_FILE: say(config.lang, "settings-purpose")}
    kept: list[str] = []
    later: list[str] = []
    for kind in config.schemas.kinds:
        template = config.schemas.get(kind)
        if template is None or template.create == "never":
            continue
        name = kind_file(config.root, template)
        purposes[name] = purpose(template)
        if os.path.lexists(os.path.join(config.root, name)):
            kept.append(name)
        elif template.create == "on-init":
            texts[name] = template.text
        else:
            later.append(name)
    kept += [name for name in texts if os.path.lexists(os.path.join(config.root, name))]
    new = {name: text for name, text in texts.items() if name not in kept}
    written = _write(config, new) if new else ()
    return Made(written, tuple(kept), tuple(later), purposes)


def purpose(template: Template) -> str:
    """Return what belongs in the files of a kind: the first sentence of the template's comment below its title."""
    document = template.document
    first = min((section.heading.start for section in document.sections if section.level > 1), default=None)
    above = (one.text for one in document.comments if first is None or one.span.start < first)
    said = " ".join(next(above, "").split())
    ends = [at + 1 for mark in ("。", ". ") if (at := said.find(mark)) >= 0]
    return said[: min(ends, default=len(said))].rstrip("。.")


def _write(config: Config, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Write new files as one change; one that somebody else makes meanwhile is left alone."""
    written: list[str] = []

    def change(files: Files) -> Edits:
        written[:] = [name for name in texts if files[name] is None]
        return {name: (Edit.insert(0, texts[name]),) for name in written}

    try:
        os.makedirs(config.root, mode=0o700, exist_ok=True)
    except OSError as error:
        raise WriteError(f"could not be created: {error.strerror}", path=config.root) from error
    config.pen().commit(change, actor="user", reason="init", paths=tuple(texts))
    return tuple(written)
