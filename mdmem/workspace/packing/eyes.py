"""What the packer cannot know by itself: what of a text may be shown, and what it is worth."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache

from mdmem.context.material import Eyes
from mdmem.core.placeholders import is_placeholder
from mdmem.keeper.weigh import Weigher
from mdmem.linter.secrets import mask
from mdmem.linter.visible import visible
from mdmem.workspace.config import Config


def eyes(config: Config) -> Eyes:
    """Give the eyes of a workspace on its day."""
    weigher = Weigher(config.settings.keeper, dt.date.fromisoformat(config.day))

    def worth(text: str, day: dt.date | None) -> float:
        return weigher.importance(text) + weigher.recency(day)

    return Eyes(clean, is_placeholder, weigher.is_kept, worth)


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """Give a text as a person sees it, its secrets masked."""
    return mask(visible(text))
