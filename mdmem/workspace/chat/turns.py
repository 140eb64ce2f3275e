"""What of a conversation may leave the file it stands in: no secret, and nothing that nobody sees."""

from __future__ import annotations

from collections.abc import Iterable

from mdmem.core.session import Turn
from mdmem.linter.secrets import mask
from mdmem.linter.visible import visible


def shown(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Give the turns as a model may see them."""
    return tuple(turn._replace(text=mask(visible(turn.text))) for turn in turns)
