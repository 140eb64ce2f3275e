"""What the packer cannot know by itself: what of a text may be shown, and how important it is."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache

from mdmem.context.material import Eyes
from mdmem.core.placeholders import is_placeholder
from mdmem.core.settings.keeper import KeeperSettings
from mdmem.keeper.weigh import Weigher
from mdmem.linter.secrets import mask
from mdmem.linter.visible import visible
from mdmem.workspace.config import Config

_LINES = 4096  # lines whose reading is remembered from one pack to the next


def eyes(config: Config) -> Eyes:
    """Return the checks of a workspace for its day."""
    return _eyes(config.settings.keeper, dt.date.fromisoformat(config.day))


@lru_cache(maxsize=4)
def _eyes(settings: KeeperSettings, today: dt.date) -> Eyes:
    weigher = Weigher(settings, today)
    importance = lru_cache(maxsize=_LINES)(weigher.importance)

    def worth(text: str, day: dt.date | None) -> float:
        return importance(text) + weigher.recency(day)

    return Eyes(clean, lru_cache(maxsize=_LINES)(is_placeholder), lru_cache(maxsize=_LINES)(weigher.is_kept), worth)


@lru_cache(maxsize=_LINES)
def clean(text: str) -> str:
    """Return a text as a person sees it, its secrets masked."""
    return mask(visible(text))
