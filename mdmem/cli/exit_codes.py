"""What each exit code means: the table of `mdmem --help` and of the README."""

from __future__ import annotations

from mdmem.errors import ExitCode
from mdmem.messages.catalog import say


def meaning(lang: str, code: ExitCode) -> str:
    """Return what an exit code means."""
    return say(lang, f"cli.exit.{code.name.lower().replace('_', '-')}")
