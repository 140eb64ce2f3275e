"""Memory entries: add, change, remove, archive, propose and forget them; policy checks before every write."""
