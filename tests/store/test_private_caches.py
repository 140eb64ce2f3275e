"""What mdmem keeps in the cache of a user is for that user only, also where others could read it before."""

from __future__ import annotations

import stat
from pathlib import Path

from conftest import Run


def _open_to_others(cache: Path) -> list[str]:
    found = [cache / "mdmem", *(cache / "mdmem").rglob("*")]
    return [one.name for one in found if one.lstat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]


def test_the_caches_are_private_whatever_they_were(root: Path, mdmem: Run, cache: Path) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    mdmem("search", "owl")
    mdmem("status")
    assert (cache / "mdmem").is_dir()
    assert not _open_to_others(cache)
    for one in [cache / "mdmem", *(cache / "mdmem").rglob("*")]:
        one.chmod(0o755 if one.is_dir() else 0o644)
    (root / "MEMORY.md").write_text("# Memory\n\n- the heron nests on the mill\n", "utf-8")
    mdmem("search", "heron")
    mdmem("status")
    left = _open_to_others(cache)
    assert not [name for name in left if name == "mdmem" or name.endswith(".db") or name.startswith("lint-")]
