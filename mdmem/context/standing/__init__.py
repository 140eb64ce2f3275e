"""The rules that the user has set, as a part of a pack: facts, lines of files, and what was just said."""
