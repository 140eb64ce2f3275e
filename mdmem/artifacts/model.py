"""The types of stored tool runs, and of the lines that are read from them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """A tool run that is on disk."""

    id: str
    path: str  # from the workspace's root
    summary: tuple[str, ...]  # one to six lines; the last names the artifact
    exit_code: int | None
    tool: str
    input: str  # one line, masked, short enough for a summary
    secrets: int  # the number of secrets in the output; they are masked in everything a model reads
    masked: int = 0  # the number of secrets that were masked before the output was stored
    warning: str = ""  # what was masked or struck, and why the notebook has no line about it if writing failed


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """The requested lines, as text that may be shown to a model."""

    path: str
    text: str
    message: str
    hint: str = ""
    first: int = 0  # 1-based; 0 if there are no lines
    last: int = 0
    total: int = 0  # number of lines of the file
    raw: bytes = b""  # the whole output of a tool run, unmasked; for a person, never for a model


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """One matching line."""

    path: str
    line: int  # 1-based
    text: str


@dataclass(frozen=True, slots=True)
class MatchedLines:
    """The matching lines."""

    path: str
    hits: tuple[MatchedLine, ...]
    message: str
    hint: str = ""
