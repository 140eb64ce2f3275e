"""Runs in a mount namespace of its own: fills a tiny file system to the last page, and writes memories there.

For every amount of free space, from none to plenty, an entry is added: it is written whole, or refused with the reason,
and nothing is changed. Then space is freed, and the same pen writes. Prints what it found as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import commands

_PAGE = 4096
_PAGES = 28  # more than a commit needs


def main(mount: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", mount], check=True)
    try:
        found = [_try(Path(mount), pages) for pages in range(_PAGES)]
    finally:
        subprocess.run(["umount", mount], check=False)
    print(json.dumps(found))


def _try(mount: Path, pages: int) -> dict[str, object]:
    root = mount / f"memory{pages}"
    root.mkdir()
    (root / "MEMORY.md").write_bytes(commands.OLD)
    commands.next_write(str(root), lambda _: None)
    ballast = mount / "ballast"
    (mount / "spare").write_bytes(b"x" * _PAGE * pages)
    _fill(ballast)
    (mount / "spare").unlink()
    error = _append(root)
    text = (root / "MEMORY.md").read_bytes()
    ballast.unlink()
    after = _append(root)
    answer = {
        "pages": pages, "error": error, "old": text == commands.OLD,
        "new": text == commands.OLD + f"{commands.ENTRY}\n".encode(), "after": after,
        "strays": [str(path) for path in root.rglob("*.mdmem") if path.is_file()],
    }  # fmt: skip
    subprocess.run(["rm", "-rf", str(root)], check=True)
    return answer


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as stream:
        try:
            while stream.write(b"x" * _PAGE):
                pass
        except OSError:
            return


def _append(root: Path) -> dict[str, str]:
    try:
        commands.append(str(root), lambda _: None)
    except Exception as error:  # noqa: BLE001  (the test looks at what it was)
        return {"type": type(error).__name__, "code": getattr(error, "code", ""), "message": str(error),
                "hint": getattr(error, "hint", "")}  # fmt: skip
    return {}


if __name__ == "__main__":
    main(sys.argv[1])
