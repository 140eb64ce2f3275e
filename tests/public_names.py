"""What type checkers and editors read of mdmem's public names: `python -m tests.public_names` writes `__init__.pyi`."""

from __future__ import annotations

from pathlib import Path

import mdmem

FILE = Path(mdmem.__file__).with_suffix(".pyi")
_HEAD = "# Made by `python -m tests.public_names` from the table in `__init__.py`.\n"
_VERSION = "__version__"


def stub() -> str:
    """Return the text of the file: each public name as an import from its module, and all of them."""
    homes: dict[str, tuple[str, str]] = vars(mdmem)["_HOMES"]
    imports = [
        f"from mdmem.{homes[name][0]} import {homes[name][1]} as {name}"
        for name in sorted(homes, key=lambda name: (homes[name][0], _kind(name), name))
    ]
    listed = [f'    "{name}",' for name in sorted((*homes, _VERSION), key=lambda name: (_kind(name), name))]
    return "\n".join([_HEAD, *imports, "", f"{_VERSION}: str", "", "__all__ = [", *listed, "]", ""])


def _kind(name: str) -> int:
    """Return the place of a name's kind in a sorted list: constants, classes, the rest."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


if __name__ == "__main__":
    FILE.write_text(stub(), "utf-8", newline="\n")
