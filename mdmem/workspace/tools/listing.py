"""Lists a folder for `view`: two levels deep, with sizes, without what is hidden or what no tool may touch."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mdmem.core.paths import closed
from mdmem.workspace.config import Config

_LEVELS = 2  # published


def listing(config: Config, inside: str) -> list[tuple[str, str]]:
    """Give (size as `du -h` writes it, path from the root) of a folder and of what is in it, in the order of paths."""
    sizes = {inside: 0}
    for path, size in _below(config, inside):
        parts = path.removeprefix(f"{inside}/").split("/") if inside else path.split("/")
        sizes[inside] += size
        for level in range(1, min(_LEVELS, len(parts)) + 1):
            above = "/".join(([inside] if inside else []) + parts[:level])
            sizes[above] = sizes.get(above, 0) + size
    return [(_short(size), path) for path, size in sorted(sizes.items())]


def _below(config: Config, inside: str) -> Iterator[tuple[str, int]]:
    """Give the files and folders below a folder, a folder itself with no size; what may not be read is empty."""
    waiting = [inside]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(os.path.join(config.root, folder)) as found:
                items = [one for one in found if not one.name.startswith(".")]
        except OSError:
            continue
        for one in items:
            path = f"{folder}/{one.name}" if folder else one.name
            if closed(path, config.settings.lint.skip_folders):
                continue
            if one.is_dir(follow_symlinks=False):
                waiting.append(path)
                yield path, 0
            elif one.is_file(follow_symlinks=False):
                yield path, one.stat(follow_symlinks=False).st_size


def _short(size: int) -> str:
    """Write a size for people: `512`, `5.5K`, `1.2M`."""
    if size < 1024:
        return str(size)
    value, unit = size / 1024, "K"
    for larger in "MG":
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{value:.1f}{unit}"
