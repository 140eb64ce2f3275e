"""Keep the raw messages of a context beside its compact memory, in a file that is no memory (B1 row 13).

`transcripts/` holds one file of JSON lines for each context, named by its content, so that doing it again changes
nothing. No name there is that of a memory file: it is neither searched, nor judged, nor packed. Secrets are masked and
forgotten words struck.
`mdmem compact context` reads such a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.tombstones import STRUCK, tombstones
from mdmem.errors import UnreadableFileError, WriteError
from mdmem.formats.session import Turn
from mdmem.linter.detect.secrets import mask
from mdmem.store.durable import make_new
from mdmem.store.history.versions import fingerprint
from mdmem.store.root import Root

FOLDER = "transcripts"
_NAME = 12  # characters of the digest in a name


def keep_transcript(config: WorkspaceConfig, turns: Iterable[Turn]) -> str:
    """Write the messages and return the path of their file.

    Raises:
        WriteError: the system refused; nothing was written.
    """
    stones = tombstones(config.root)
    data = b"".join(_line(turn, stones.strike(mask(turn.text), STRUCK)) for turn in turns)
    path = f"{FOLDER}/{config.day}-{fingerprint(data)[:_NAME]}.jsonl"
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
