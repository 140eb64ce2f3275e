"""Pure: what is wrong with a memory file, one rule a file, and the edits that mend it."""
