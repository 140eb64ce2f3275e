"""The name of an entry that has no id of its own."""

from __future__ import annotations

from mdmem.core.blake import blake2b
from mdmem.core.entry import read_entry
from mdmem.core.similarity import essence

_BYTES = 6  # twelve hexadecimal characters


def entry_key(text: str) -> str:
    """Give the name of an entry without an id: the hash of what it says, whether it is done or not."""
    parts = read_entry(text)
    start = next((span.end for span in (parts.tick, parts.checkbox) if span), 0)
    return blake2b(essence(text[start:]).encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()
