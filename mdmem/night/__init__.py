"""The night run: what a memory does while nobody works, in steps that can stop and go on after any item."""
