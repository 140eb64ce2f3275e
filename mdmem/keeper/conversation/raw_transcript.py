"""Write the raw messages of a context to `transcripts/`, beside its compact memory.

Each context has one file of JSON lines, named by a digest of its content, so writing it again changes nothing. The
files are not memory files: they are neither searched, linted nor packed. Secrets are masked and forgotten texts
removed. `mdmem compact context` can read such a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.tombstones import STRUCK, tombstones
from mdmem.errors import UnreadableFileError, WriteError
from mdmem.formats.session import Turn
from mdmem.linter.masking import mask
from mdmem.store.durable import make_new
from mdmem.store.history.versions import fingerprint
from mdmem.store.root import Root

FOLDER = "transcripts"
_NAME = 12  # characters of the digest in a name


def keep_transcript(config: WorkspaceConfig, turns: Iterable[Turn]) -> str:
    """Write turns as JSON lines, and return the path of the file.

    Raises:
        WriteError: the system refused; nothing was written.
    """
    stones = tombstones(config)
    data = b"".join(_line(turn, stones.strike(mask(turn.text), STRUCK)) for turn in turns)
    path = config.whose.place(FOLDER) + f"/{config.day}-{fingerprint(data)[:_NAME]}.jsonl"
    try:
        with Root(config.root) as root:
            make_new(root.place(path, make=True).name, data, path)
    except (FileNotFoundError, UnreadableFileError) as error:
        raise WriteError("its folder cannot be used", path=FOLDER, hint="nothing was kept") from error
    return path


def _line(turn: Turn, text: str) -> bytes:
    values = {"role": turn.role, "name": turn.speaker, "time": turn.time, "text": text}
    kept = {key: value for key, value in values.items() if value or key in ("role", "text")}
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
