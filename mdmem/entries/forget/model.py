"""The types of forgetting: what it changes, what it could not read, and its result. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from mdmem.store.history.versions import Transaction


@dataclass(frozen=True, slots=True)
class ForgetTarget:
    """One location that forgetting changes."""

    path: str  # empty for the history and the caches
    line: int  # 1-based; 0 if there are no lines
    # entry, words, attached (file), copy (of an editor), name, version, displaced (file), line (of the log), derived
    what: str
    text: str = ""  # in a dry run: the start of what would be removed


@dataclass(frozen=True, slots=True)
class Unread:
    """A file or folder that may still contain the text, because it could not be read or changed."""

    path: str
    reason: str


ForgetStatus: TypeAlias = Literal["done", "partial", "planned", "unchanged"]


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What forgetting did, or would do."""

    status: ForgetStatus  # partial: something could not be read
    message: str
    hint: str
    places: tuple[ForgetTarget, ...]
    elsewhere: tuple[str, ...]  # other files that contain the text; the person decides about them
    unread: tuple[Unread, ...] = ()
    transaction: Transaction | None = None
