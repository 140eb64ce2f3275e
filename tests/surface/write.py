"""Rewrites the golden files: `python -m tests.surface.write`; review the diff before a commit."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .goldens import FOLDER, goldens


def main() -> None:
    """Write every golden file, and remove those that are golden no more."""
    with tempfile.TemporaryDirectory() as home:
        texts = goldens(Path(home).resolve())
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
