"""Rewrites the golden files, and adds the rows that `docs/commands.md` lacks; review the diff before a commit.

`python -m tests.surface.write` runs it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what the tests share

from verbs import PAGE, with_rows

from surface.goldens import FOLDER, goldens


def main() -> None:
    """Write every golden file, remove those that are golden no more, and add rows to the page of commands."""
    PAGE.write_text(with_rows(PAGE.read_text("utf-8")), "utf-8", newline="\n")
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
