"""The journey of a beginning: the files that a new workspace starts with."""

from __future__ import annotations

import os

from mdmem.core.record import NamedTuple
from mdmem.store.files import create
from mdmem.store.walk import SETTINGS_FILE
from mdmem.workspace.config import Config
from mdmem.workspace.kind_file import kind_file


class Made(NamedTuple):
    """What was written, and what stood there already."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


def init(config: Config) -> Made:
    """Write `mdmem.toml` and each file whose template says `create: on-init`, where nothing of its kind is there."""
    kept: list[str] = []
    files = {SETTINGS_FILE: f'lang = "{config.lang}"\n'.encode()}
    for kind in config.schemas.kinds:
        template = config.schemas.get(kind)
        if template and template.create == "on-init":
            name = kind_file(config.root, template)
            if name != template.files[0]:  # it stands there under an older name
                kept.append(name)
            else:
                files[name] = template.text.encode()
    written = tuple(name for name, data in files.items() if create(os.path.join(config.root, name), data, name))
    return Made(written, (*(name for name in files if name not in written), *kept))
