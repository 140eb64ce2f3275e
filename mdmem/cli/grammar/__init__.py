"""The grammar of the command line: the catalog of verbs, the typer application, and usage errors."""
