"""Parse command lines: the catalog of verbs, declared commands, options, and usage errors."""
