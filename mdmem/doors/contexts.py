"""Takes a program's messages from a pipe, and tells what became of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mdmem.doors import emit, outcome
from mdmem.doors.terminal import safe
from mdmem.workspace.chat.messages import Message, read_messages

if TYPE_CHECKING:
    from mdmem.workspace.chat.context import Compacted


def messages(text: str, lang: str) -> tuple[Message, ...]:
    """Read messages from JSON, an object a line or one list; raises UsageError."""
    return read_messages(text, lang)


def told(made: Compacted, lang: str, *, as_json: bool, text: bool) -> int:
    """Print what was made, or only its text; gives the exit code: 0 done, 1 nothing was made."""
    if as_json:
        values = {"outcome": outcome.as_dict(made.outcome), "text": made.text, "tokens": made.tokens, "left": made.left}
        emit.json(values)
        return int(not made.text)
    if text and made.text:
        emit.raw("".join(f"{safe(line)}\n" for line in made.text.splitlines()) if sys.stdout.isatty() else made.text)
        return 0
    return outcome.tell_all((made.outcome,), lang, as_json=False)
