"""Records the files that tool runs hand out, by rules and without a model (K070)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from mdmem.attachments.model import AttachmentTexts
from mdmem.attachments.service import AttachmentDetails, attach
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import PERSONS
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome
from mdmem.errors import RefusedError, TargetError, UnreadableFileError
from mdmem.formats.sentences import Splitter
from mdmem.text.pattern import pattern

_LONGEST = 1024  # bytes of a path
_TOKEN = pattern(r"[^\s\"'`<>|;,，。；（）()\[\]{}]{1,1024}")
_AGENT = "agent"


def record_outbound(
    config: WorkspaceConfig,
    tool: str,
    input_text: str,
    sentence: str = "",
    session: str = "",
    *,
    actor: str = "main",
) -> tuple[Outcome, ...]:
    """Record the files that a tool run hands out: those that its input names and that exist (K070).

    Only tools of `[attachments] tools` are looked at, and only files of its `types` that an agent may attach. Memory
    files are no attachments. The description is the sentence of the assistant that names the file; a later call with
    one adds it.

    Args:
        config: the workspace.
        tool: the tool's name.
        input_text: its input: JSON, or a command line.
        sentence: what the assistant said about the run.
        session: the id of the session.
        actor: the agent.
    """
    settings = config.settings.attachments
    if tool not in settings.tools or not config.settings.memory.enabled:
        return ()
    done: list[Outcome] = []
    for path in _paths(config, input_text)[: settings.paths]:
        said = _sentence(config, sentence, path)
        try:
            commit = ChangeRequest(config, "attach", _agent(actor), f"tool {tool}")
            done.append(attach(commit, path, AttachmentDetails("outbound", session=session), AttachmentTexts(said)))
        except (RefusedError, TargetError, UnreadableFileError):
            continue
    return tuple(done)


def _agent(actor: str) -> str:
    """Return the name under which a tool run reads files: a person's own run is limited like an agent's."""
    return _AGENT if actor in PERSONS else actor


def _paths(config: WorkspaceConfig, text: str) -> list[str]:
    """Return the words of a tool's input that name an existing file, each once."""
    try:
        words = list(_strings(json.loads(text)))
    except (ValueError, RecursionError):
        words = [match[0] for match in _TOKEN.finditer(text)]
    roots = (config.root, *config.settings.attachments.allowed)
    return [
        word
        for word in dict.fromkeys(words)
        if "\0" not in word
        and word.isprintable()
        and word.lower().endswith(config.settings.attachments.types)
        and not config.is_memory(os.path.basename(word))
        and any(os.path.isfile(os.path.join(root, word)) for root in roots)
    ]


def _strings(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Yield the short strings in a JSON value."""
    if isinstance(value, str) and 0 < len(value) <= _LONGEST:
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _sentence(config: WorkspaceConfig, text: str, path: str) -> str:
    """Return the sentence that names a file by its path or its name; empty if there is none."""
    names = (path, os.path.basename(path))
    sentences = Splitter(config.settings.sentences).split(text) if text else ()
    return next((" ".join(one.split()) for one in sentences if any(name in one for name in names)), "")
