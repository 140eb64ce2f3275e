"""Parses Markdown into a tree of spans; edits, merges and verifies changes. Pure: no I/O, clock or randomness."""
