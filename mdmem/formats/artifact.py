"""The file of a tool run: the call and its outcome in the front matter, the output below.

Everything after the line that closes the front matter is output, so a pointer (`tool:ID`) refers to the exact bytes of
the tool (G030, G033), but for secrets that were masked before it was stored.
"""

from __future__ import annotations

from dataclasses import dataclass

from mdmem.formats.paths import within_user
from mdmem.text.document import Document
from mdmem.text.pattern import pattern

POINTER = "tool:"
FOLDER = "artifacts"
HEAD = 1 << 17  # bytes; longer than any front matter
_DATED = pattern(r"(\d{4})(\d\d)\d\d-\d{6}-")
_NAMED = pattern(r"(?:\btool:|\bartifacts/\d{4}-\d\d/)(\d{8}-\d{6}-[0-9a-v]{4})")
_BESIDE = ("", "-input", "-stderr")  # the files of one run
_ID = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


@dataclass(frozen=True, slots=True)
class Artifact:
    """The front matter of a tool run, and the offset of its output."""

    id: str
    path: str  # from the workspace
    owner: str  # main, keeper, or the name of an agent
    tool: str
    input: str  # masked; cut if it is long: then `rest` names the artifact with all of it
    exit_code: int | None
    started: str  # YYYY-MM-DD HH:MM:SS, local
    ended: str
    bytes: int  # of the output
    lines: int
    digest: str  # SHA-256 of the output, in hexadecimal
    summary: tuple[str, ...]  # one to six lines (G032)
    body: int = 0  # the offset of the output in the file, in bytes
    secrets: int = 0  # the number of secrets in the output
    masked: int = 0  # the number of secrets that were masked before it was stored
    rest: str = ""  # id of the artifact with the whole input
    stderr: str = ""  # id of the artifact with the standard error
    next: str = ""  # id of the artifact that continues an output too long for one file


def artifact_path(id: str) -> str:  # noqa: A002 - the noun
    """Return the path of a tool run: in the folder of its month if the id has one, else in the folder itself."""
    dated = _DATED.match(id)
    return f"{FOLDER}/{dated[1]}-{dated[2]}/{id}.md" if dated else f"{FOLDER}/{id}.md"


def artifact_id(reference: str) -> str:
    """Return the id from `tool:ID`, an id or a path under artifacts/; empty for any other text."""
    name = reference.strip().removeprefix(POINTER)
    name = within_user(name)
    if name.startswith(f"{FOLDER}/"):
        stem = name.rpartition("/")[2].removesuffix(".md")
        return stem if is_id(stem) and artifact_path(stem) == name else ""
    return name if is_id(name) else ""


def artifacts_since(text: str, session: str) -> tuple[str, ...]:
    """Return the paths of the tool runs that a session's text names, of those that were stored since it began.

    `session` is the id of the session, which begins with the time.
    """
    ids = dict.fromkeys(match[1] for match in _NAMED.finditer(text))
    new = (id for id in ids if id[:15] >= session[:15].replace("_", "-"))  # noqa: A001 - the noun
    return tuple(artifact_path(f"{id}{end}") for id in new for end in _BESIDE)  # noqa: A001 - the noun


def is_id(id: str) -> bool:  # noqa: A002 - the noun
    """Return whether a word can be the id of a tool run; a path to another folder cannot."""
    return _ID.match(id) is not None and not id.endswith(".md")


def read_artifact(data: bytes, path: str) -> Artifact:
    """Read a tool run from its file, or from the first `HEAD` bytes of it.

    A file whose front matter names no tool is output as a whole. For older files without counts, bytes and lines
    are 0.
    """
    document = Document(data[:HEAD])
    values = document.post().metadata
    begin = document.start if values.keys() & {"tool_id", "tool_name"} else 0

    def word(key: str) -> str:
        return _text(values.get(key))

    def number(key: str) -> int:
        return _whole(values.get(key)) or 0

    return Artifact(
        id=word("tool_id") or path.rpartition("/")[2].rpartition(".")[0],
        path=path,
        owner=word("owner"),
        tool=word("tool_name"),
        input=word("input"),
        exit_code=_whole(values.get("exit_code")),
        started=word("created_at"),
        ended=word("ended_at"),
        bytes=number("bytes"),
        lines=number("lines"),
        digest=word("digest"),
        summary=tuple(line.strip() for line in word("summary").split("\n") if line.strip()),
        body=len(document.text[:begin].encode("utf-8", "surrogateescape")),
        secrets=number("secrets"),
        masked=number("masked"),
        rest=word("whole_input").removeprefix(POINTER),
        stderr=word("stderr").removeprefix(POINTER),
        next=word("continued").removeprefix(POINTER),
    )


def write_head(artifact: Artifact) -> bytes:
    """Return the front matter of a tool run with both fences; the output follows it."""
    from mdmem.text.yaml.post import LiteralText, new_file  # loads YAML, which most callers do not need

    values = {
        "tool_id": _readable(artifact.id),
        "owner": _readable(artifact.owner),
        "tool_name": _readable(artifact.tool),
        "input": _readable(artifact.input),
        "whole_input": artifact.rest and POINTER + artifact.rest,
        "exit_code": "" if artifact.exit_code is None else artifact.exit_code,
        "created_at": artifact.started,
        "ended_at": artifact.ended,
        "bytes": artifact.bytes,
        "lines": artifact.lines,
        "digest": artifact.digest,
        "secrets": artifact.secrets or "",
        "masked": artifact.masked or "",
        "stderr": artifact.stderr and POINTER + artifact.stderr,
        "continued": artifact.next and POINTER + artifact.next,
        "summary": LiteralText("\n".join(_visible(line).strip() for line in artifact.summary if line.strip())),
    }
    return new_file({key: value for key, value in values.items() if value != ""}).encode()


def _text(value: object) -> str:
    """Return a scalar as text; empty for a list."""
    return "" if value is None or isinstance(value, list | dict) else str(value)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _readable(text: str) -> str:
    """Return a text in which a lone surrogate, from an undecodable byte, is shown as that byte."""
    return "".join(f"\\x{ord(char) & 0xFF:02x}" if "\ud800" <= char <= "\udfff" else char for char in text)


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
