"""Pure: bytes become a Document, templates become schemas, changes are Edits; no I/O, clock or randomness."""
