"""Where mdmem's own templates lie: in the wheel beside the code, in a checkout one folder up."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mdmem.core.record import NamedTuple
from mdmem.errors import UnreadableFileError
from mdmem.store.files import read_bytes

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def code_folder() -> str:
    """Give the folder of mdmem's own code."""
    return _HERE


def templates_folder() -> str:
    """Give the folder of the shipped templates."""
    inside = os.path.join(_HERE, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_HERE), "templates")


class TemplateFile(NamedTuple):
    """A template on disk: its language, empty where it serves all, and its path as messages name it."""

    lang: str
    path: str
    place: str

    def read(self) -> bytes:
        """Read its bytes; raises UnreadableFileError."""
        return read_bytes(self.place, self.path)


def template_files(folder: str) -> Iterator[TemplateFile]:
    """List the templates of a folder: `zh/MEMORY.md`, `en/MEMORY.md`, and those of no language in the folder itself."""
    for lang in ("", "zh", "en"):
        place = os.path.join(folder, lang)
        for name in _names(place):
            path = os.path.join(place, name)
            yield TemplateFile(lang, "/".join(part for part in ("templates", lang, name) if part), path)


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted(entry.name for entry in found if entry.name.endswith(".md") and entry.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UnreadableFileError(f"could not be read: {error.strerror}", path="templates/") from error
