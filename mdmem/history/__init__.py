"""The history of memory files: changes, undo, restore, recovery, and the provenance of entries."""
