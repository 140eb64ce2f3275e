"""How an agent starts this mdmem, and whether that works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

_SECONDS = 20  # for the program to tell its version


def program() -> list[str]:
    """Return how an agent starts this mdmem: by its name on the path if that is this one, else beside this Python.

    An agent starts it in the project, and `-P` keeps Python from taking modules out of that folder.
    """
    beside = os.path.join(os.path.dirname(sys.executable), "mdmem")
    found = shutil.which("mdmem")
    if found and os.path.exists(beside) and os.path.realpath(found) == os.path.realpath(beside):
        return [os.path.abspath(found)]
    return [beside] if os.access(beside, os.X_OK) else [sys.executable, "-P", "-m", "mdmem"]


def runs(command: Sequence[str]) -> bool:
    """Return whether a program tells its version."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [*command, "--version"], capture_output=True, check=False, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
