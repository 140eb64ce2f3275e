"""What a caller asks of a pack besides the recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mdmem.core.record import NamedTuple
from mdmem.core.session import Turn
from mdmem.core.tokens import TokenCounter
from mdmem.errors import UsageError
from mdmem.workspace.artifacts.kept import Kept

Said = Turn | Mapping[str, object] | tuple[str, str]
Recall = Callable[[str, Sequence[str], int], str | None]  # (query, recent turns, tokens) → Markdown, None: unknown


class Ask(NamedTuple):
    """The arguments of `Workspace.pack`."""

    counter: TokenCounter
    budget: int | None
    query: str
    tool_result: str | Kept | None
    inline: str | None
    rounds: Sequence[Said] | None
    texts: Mapping[str, str]
    agent: str | None
    recall: Recall


def turns_of(said: Sequence[Said]) -> tuple[Turn, ...]:
    """Read a chat as programs hold it: turns, `(role, text)`, or messages with `role` and `content`.

    A round begins with each word of the user's.

    Raises:
        UsageError: something is none of them.
    """
    found: list[Turn] = []
    number = 0
    for one in said:
        if isinstance(one, Turn):
            found.append(one)
            number = one.number
            continue
        role, text = _words(one)
        number += role == "user" or not number
        found.append(Turn(number, role, role, "", text, 0, 0, 0))
    return tuple(found)


def _words(one: Mapping[str, object] | tuple[str, str]) -> tuple[str, str]:
    if isinstance(one, Mapping):
        role, text = one.get("role"), one.get("content", one.get("text"))
        if isinstance(text, list):  # parts of a message, as some interfaces have them
            text = "\n".join(str(part["text"]) for part in text if isinstance(part, Mapping) and "text" in part)
        text = "" if text is None else text
    else:
        role, text = one if len(one) == 2 else (None, None)
    if not (isinstance(role, str) and role and isinstance(text, str)):
        raise UsageError("a turn is (role, text), or a message with `role` and `content`")
    return role, text
