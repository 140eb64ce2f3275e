"""What several readers share: looking into files, times, numbers, and Markdown by headings. Pure."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mdmem.importers.json_stream import BrokenJsonError, JsonItem, stream_json, stream_lines
from mdmem.importers.model import ImportProblem, ImportSource
from mdmem.text.document import Document, parse
from mdmem.text.encodings import likely_encoding
from mdmem.text.inline import one_line

BROKEN_FILE = "import.broken-file"
_BROKEN = ("import.broken-json", "import.broken-line")
JSON_ENDINGS = (".json", ".jsonl")
_NO_NAME = str.maketrans('/\\:*?"<>|', "_" * 9)
_PART_CHARS = 120
_HEAD = 1 << 16  # bytes that tell an encoding


def note_text(source: ImportSource, name: str) -> str | ImportProblem:
    """Return the text of a note; the problem if it is none, or empty."""
    if (text := source.text(name)) is None:
        return not_text(source, name)
    return text if text.strip() else ImportProblem(name, "import.empty", {}, "skipped")


def not_text(source: ImportSource, name: str) -> ImportProblem:
    """Return the problem of a file without a text: the encoding that it is in, if that can be told."""
    with suppress(OSError), source.open(name) as stream:
        encoding = likely_encoding(stream.read(_HEAD))
        return ImportProblem(name, "import.in-encoding" if encoding else "import.not-text", {"encoding": encoding})
    return ImportProblem(name, "import.not-text", {})


def base(name: str) -> str:
    """Return the last part of a path."""
    return name.rpartition("/")[2]


def stem(name: str) -> str:
    """Return the last part of a path without its ending."""
    last = base(name)
    return last.rpartition(".")[0] or last


def file_name(text: str) -> str:
    """Return a text as one part of a path; it may be empty."""
    return one_line(text).translate(_NO_NAME).strip(" .")


def safe_path(path: str) -> str:
    """Return a path whose parts may be names of files."""
    parts = [file_name(one) for one in path.split("/")]
    joined = "/".join(part[-_PART_CHARS:] for part in parts if part) or "note.md"
    return joined if joined.endswith(".md") else f"{joined}.md"


def first_item(source: ImportSource, name: str) -> JsonItem | None:
    """Return the first element of a JSON file or of JSON lines; None if it is neither."""
    try:
        with source.open(name) as stream:
            if name.endswith(".jsonl"):
                found = next(stream_lines(stream), None)
                return found if isinstance(found, JsonItem) else None
            return next(stream_json(stream), None)
    except (BrokenJsonError, OSError):
        return None


def objects(source: ImportSource, name: str, *keys: str) -> Iterator[tuple[str, Mapping[str, Any]] | ImportProblem]:
    """Yield the objects of a JSON file, or of the lists below the given keys, each with its place; tell what is broken.

    A place is a line; of several objects on one line the later ones have their number too.
    The same for JSON lines, by the ending of the name.
    """
    try:
        with source.open(name) as stream:
            is_lines, last = name.endswith(".jsonl"), 0
            for number, item in enumerate(stream_lines(stream) if is_lines else stream_json(stream), 1):
                if isinstance(item, int):
                    yield ImportProblem(f"{name}:{item}", "import.broken-line", {})
                    continue
                place = f"{name}:{item.line}" if item.line != last else f"{name}:{item.line}#{number}"
                last = item.line
                if item.key and item.key not in keys:
                    continue
                yield (
                    (place, item.value)
                    if isinstance(item.value, Mapping)
                    else ImportProblem(place, "import.no-object", {})
                )
    except BrokenJsonError as error:
        yield ImportProblem(f"{name}:{error.line}", "import.broken-json", {})
    except OSError as error:
        yield ImportProblem(name, "import.unreadable-file", {"reason": error.strerror or str(error)})


def broken(source: ImportSource, name: str) -> Iterator[ImportProblem]:
    """Yield what is wrong with a JSON file that is broken from its beginning; nothing if it is not, or is no JSON."""
    if not name.endswith(JSON_ENDINGS):
        return
    found = next(objects(source, name), None)
    if isinstance(found, ImportProblem) and found.key != "import.no-object":
        yield ImportProblem(found.place, BROKEN_FILE, {}) if found.key in _BROKEN else found


def text_of(value: object) -> str:
    """Return a text as it is; of anything else nothing."""
    return value if isinstance(value, str) else ""


def share(value: object) -> float | None:
    """Return a number from 0 to 1; None for anything else."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= 1 else None


def moment(value: object) -> str:
    """Return a time as ISO 8601 without a zone, from a text or from seconds since 1970; empty if it is none."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            found = dt.datetime.fromtimestamp(value, dt.UTC)
        else:
            found = dt.datetime.fromisoformat(text_of(value).strip())
    except (ValueError, OverflowError, OSError):
        return ""
    return found.replace(tzinfo=None, microsecond=0).isoformat()


def listed(value: object) -> list[Any]:
    """Return a list, or one that stands as JSON in a text; anything else is empty."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return value if isinstance(value, list) else []


def numbered(turns: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """Yield the round of each message of a conversation, as its session counts them."""
    number = 0
    for turn in turns:
        text = turn.get("content")
        is_said = bool(text.strip() if isinstance(text, str) else text)
        number = max(1, number + (turn.get("role") == "user" and is_said))
        yield number


def texts_of(value: object) -> tuple[str, ...]:
    """Return the texts of a list; of an object in it the name, of a number its digits."""
    named = (one.get("name") if isinstance(one, Mapping) else one for one in listed(value))
    texts = (str(one) if isinstance(one, int | float) else text_of(one) for one in named)
    return tuple(text for one in texts if (text := " ".join(one.split())))


def front_values(text: str) -> Mapping[str, Any]:
    """Return the front matter of a Markdown file; empty if it has none."""
    document: Document = parse(text.encode())
    front = document.front_matter
    values = front.values if front else None
    return values if isinstance(values, Mapping) else {}
