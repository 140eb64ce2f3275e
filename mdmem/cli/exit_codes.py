"""The meanings of the exit codes, for `mdmem --help` and the README."""

from __future__ import annotations

from mdmem.errors import ExitCode
from mdmem.messages.catalog import say


def meaning(lang: str, code: ExitCode) -> str:
    """Return the meaning of an exit code."""
    return say(lang, f"cli.exit.{code.name.lower().replace('_', '-')}")
