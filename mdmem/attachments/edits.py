"""From attachments to records and back: the text of a new record, one section of a record, what a record says. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from mdmem.attachments.model import TEXTS, Attachment
from mdmem.formats.session import escape, part_span, unescape
from mdmem.formats.template import Template
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.inline import one_line
from mdmem.text.yaml_source import scalar

_COMMENT = re.compile(r"\A\s*<!--(?:(?!-->).)*-->\s*\Z", re.DOTALL)
_SIGNATURES = (  # the first bytes of a format, the offset at which they begin, and its media type (IANA)
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
    (b"BM", 0, "image/bmp"),
    (b"%PDF-", 0, "application/pdf"),
    (b"WAVE", 8, "audio/wav"),
    (b"OggS", 0, "audio/ogg"),
    (b"fLaC", 0, "audio/flac"),
    (b"ID3", 0, "audio/mpeg"),
    (b"ftyp", 4, "video/mp4"),
    (b"\x1f\x8b", 0, "application/gzip"),
)


def mime_type(head: bytes, by_name: str) -> str:
    """Return the media type of a file: by its first bytes, else by its name, else text or unknown bytes.

    Args:
        head: the first bytes of the file.
        by_name: the type that its name suggests; empty if it suggests none.
    """
    for mark, start, name in _SIGNATURES:
        if head[start : start + len(mark)] == mark:
            return by_name if by_name.partition("/")[0] == name.partition("/")[0] else name
    if by_name:
        return by_name
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4 or b"\0" in head:  # a character may be cut at the end
            return "application/octet-stream"
    return "application/octet-stream" if b"\0" in head else "text/plain"


def record_text(template: Template, attachment: Attachment) -> str:
    """Return the text of a new record: the values of its front matter, and its sections."""
    values = _values(attachment)
    lines = [f"{key}: {values[key]}" for key in template.front_matter if values.get(key)]
    lines += [f"{key}: {values[key]}" for key in ("tags", "linked") if key not in template.front_matter and values[key]]
    parts = [f"## {template.name(name)}\n\n{_body(getattr(attachment, name), template)}" for name in TEXTS]
    title = escape(one_line(attachment.original_filename or attachment.filename), template)
    return "---\n" + "\n".join(lines) + f"\n---\n# {title}\n\n" + "\n".join(parts)


def _values(attachment: Attachment) -> dict[str, str]:
    keys = (
        "filename",
        "original_filename",
        "mime_type",
        "direction",
        "local_path",
        "url",
        "session",
        "created_at",
        "origin",
    )
    found = {key: scalar(getattr(attachment, key)) for key in (*keys, "episode")}
    size = attachment.file_size
    lists = {key: ", ".join(map(_item, getattr(attachment, key))) for key in ("tags", "linked")}
    return found | {"file_size": "" if size is None else str(size)} | {
        key: f"[{value}]" if value else "" for key, value in lists.items()
    }  # fmt: skip


def _item(text: str) -> str:
    """Return an item of a list on one line; quoted where it is not a plain word."""
    return text if text.isalnum() else json.dumps(text, ensure_ascii=False)


def _body(text: str, template: Template) -> str:
    return f"{escape(text.strip(), template)}\n" if text.strip() else ""


def set_text(document: Document, template: Template, name: str, text: str) -> tuple[Edit, ...]:
    """Put a text into one section of a record; the section is added at the end if it is missing."""
    written = f"\n{_body(text, template)}"
    span = part_span(document, template, name)
    if span is None:
        end = len(document.text)
        gap = "" if end == 0 or document.text.endswith("\n") else document.lines.ending
        return (Edit.insert(end, f"{gap}\n## {template.name(name)}\n{written}"),)
    rest = document.text[span.end :]
    return (Edit(span, written + ("\n" if rest else "")),)


def read_record(document: Document, path: str, template: Template) -> Attachment:
    """Read a record; what it does not say is empty."""
    values = document.front_matter.values if document.front_matter else {}
    size = values.get("file_size")

    def word(key: str) -> str:
        value = values.get(key)
        return "" if value is None or isinstance(value, list | dict) else str(value)

    return Attachment(
        path,
        word("filename") or path.rpartition("/")[2].removesuffix(".md"),
        original_filename=word("original_filename"),
        mime_type=word("mime_type"),
        file_size=size if isinstance(size, int) and not isinstance(size, bool) else None,
        direction=word("direction") or "inbound",
        local_path=word("local_path"),
        url=word("url"),
        session=word("session"),
        created_at=word("created_at"),
        tags=tuple(_list(values, "tags")),
        linked=tuple(_list(values, "linked")),
        episode=word("episode"),
        **{name: _part(document, template, name) for name in TEXTS},
    )


def _list(values: Mapping[str, object], key: str) -> Iterator[str]:
    value = values.get(key)
    for one in value if isinstance(value, list) else () if value is None else (value,):
        yield str(one)


def _part(document: Document, template: Template, name: str) -> str:
    span = part_span(document, template, name)
    inner = span.of(document.text).strip() if span else ""
    return "" if _COMMENT.match(inner) else unescape(inner)
