"""What happened to the memory files: changes, undo, restore, recovery, and the evidence of entries."""
