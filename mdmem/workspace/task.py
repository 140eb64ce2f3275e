"""Makes the keeper's task of one file: its text as it is now, its schema, and the eyes that a pure room has not."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress

from mdmem.core.document import parse
from mdmem.core.placeholders import is_form, is_placeholder
from mdmem.core.record import NamedTuple
from mdmem.errors import UnreadableFileError
from mdmem.keeper.piece import Originals
from mdmem.keeper.plan import Task
from mdmem.keeper.weigh import Weigher
from mdmem.store.root import Root, read
from mdmem.workspace.access import KEEPER, Access
from mdmem.workspace.archive import archives, originals
from mdmem.workspace.config import Config
from mdmem.workspace.gate import Gate
from mdmem.workspace.read import read_file
from mdmem.workspace.sessions_held import session_days


class Read(NamedTuple):
    """A task, and the version of the file that it was made of."""

    task: Task
    digest: str


def read_task(config: Config, path: str) -> Read | None:
    """Read a file for the keeper; None where it is no memory of a known kind.

    Raises:
        UnreadableFileError: what stands there now cannot be read.
        TargetError: there is no such file.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    document = parse(found.text.encode())
    access = Access(config, KEEPER)
    template = access.template(path, document)
    if template is None:
        return None
    gate = Gate(access)
    gate.screen(path, [f"- {entry.text}\n" for entry in document.entries])
    task = Task(
        path,
        document,
        template,
        Weigher(config.settings.keeper, dt.date.fromisoformat(config.day)),
        config.settings.lint.near_duplicate,
        is_form=lambda text: is_placeholder(text) or is_form(text),
        unfit=lambda text: gate.unfit(path, f"- {text}\n") is not None,
        lang=template.lang or config.lang,
        sessions=session_days(config) if template.parts.get("ttl") else (),
    )
    if task.compacts:
        task = task._replace(originals=Originals(archived(config, path)))
    return Read(task, found.digest)


def archived(config: Config, path: str) -> Iterator[str]:
    """Return the entries of a file that were archived when it was condensed."""
    with Root(config.root) as root:
        for name in archives(config):
            with suppress(FileNotFoundError, UnreadableFileError):
                version = read(root.place(name), config.settings.lint.max_bytes)
                text = version.data.decode("utf-8", "replace") if version else ""
                yield from originals(text.splitlines(), path)
