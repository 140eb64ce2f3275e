"""Folders of skills as other people make them, and what lies in a workspace before and after."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mdmem.bundles.bundle_source import describe_files

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))
SKILLS: Mapping[str, bytes] = {
    "review/SKILL.md": b"---\nname: review\ndescription: Review a change of riverlog.\nlicense: MIT\n"
    b"allowed-tools: Bash(git:*)\nmetadata: {level: [1, 2]}\n---\n\n# Review\n\n1. read the diff\n2. run the tests\n",
    "review/scripts/check.sh": b"#!/bin/sh\ntouch ran\n",
    "review/scripts/lib/__init__.py": b"",
    "review/assets/logo.png": PNG,
    "review/references/style.md": "# Style\r\n\r\n- größe\r\n".encode(),
    "review/references/wide.txt": "\ufeffwide".encode("utf-16"),
    "import-csv/SKILL.md": b"---\r\ndescription: >-\r\n  Import the CSV\r\n  of riverlog.\r\nname: import-csv\r\n"
    b"---\r\nRead it.",
    "LICENSE": b"MIT\n",
}

Build = Callable[..., Path]


def manifest_of(files: Mapping[str, bytes], name: str = "riverlog", version: str = "1.0") -> bytes:
    """Return the manifest of some files, as `make` writes it."""
    return describe_files(name, files, version, "MIT").text.encode()


def write_zip(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def write_folder(path: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Write a bundle as a folder; `version` and other files make another one of it."""

    def write(files: Mapping[str, bytes] = SKILLS, version: str = "1.0", place: str = "bundle") -> Path:
        return write_folder(tmp_path / place, {**files, "bundle.toml": manifest_of(files, version=version)})

    return write


def tree(root: str | Path) -> dict[str, str]:
    """Return the digest of each file in a workspace but those of mdmem's own state; of a link where it leads."""
    found = {}
    for above, folders, names in os.walk(root):
        folders[:] = [one for one in folders if one != ".mdmem"]
        for name in names:
            path = Path(above) / name
            is_file = path.is_file() and not path.is_symlink()
            data = path.read_bytes() if is_file else os.readlink(path).encode() if path.is_symlink() else b"special"
            found[path.relative_to(root).as_posix()] = hashlib.sha256(data).hexdigest()
    return found
