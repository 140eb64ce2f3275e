"""Rewrites the golden files: `python -m tests.surface.write`; review the diff before a commit."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what the tests share

from surface.goldens import FOLDER, goldens


def main() -> None:
    """Write every golden file, and remove those that are golden no more."""
    makers = goldens()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in makers:
            path.unlink()
    for name, make in makers.items():
        with tempfile.TemporaryDirectory() as home:
            (FOLDER / name).write_text(make(Path(home).resolve()), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
