"""Reads records of attachments, and makes the edits that write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.attachments.model import DESCRIPTION, FOLDER, TEXT, TRANSCRIPTION, Attachment, AttachmentTexts
from mdmem.entries.edits import add
from mdmem.formats.template import Template
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.yaml.post import FrontValue, new_file

_BESIDE = {"tags", "linked"}  # lists, which the schema does not type
_ADDRESS = pattern(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://")
_TAG = pattern(r"[^\W\d_][\w./-]{0,39}")


def record_path(id: str) -> str:  # noqa: A002 - the noun
    """Return the path of a record."""
    return f"{FOLDER}/{id}.md"


def is_address(source: str) -> bool:
    """Return True for a URL, which is recorded and never fetched."""
    return _ADDRESS.match(source) is not None


def is_tag(word: str) -> bool:
    """Return True for a word that can be a tag."""
    return _TAG.fullmatch(word) is not None


def new_record(template: Template, attachment: Attachment, texts: AttachmentTexts) -> tuple[Edit, ...]:
    """Return the edit that writes a new record: its values, the name as the title, and the texts as entries."""
    values = _values(attachment)
    keys = [key for key in template.front_matter if key not in _BESIDE] + sorted(_BESIDE)
    head = {key: values[key] for key in keys if values.get(key, "") not in ("", ())}
    title = one_line(attachment.original_filename).replace("`", "")
    sections = "".join(f"\n## {spec.name}\n" for spec in template.sections)
    document = parse(new_file(head, f"# {title}\n{sections}").encode())
    text = document.text
    for section, lines in texts.given():
        text = apply_edits(text, add(parse(text.encode()), template, lines, section=section).edits)
    return (Edit.insert(0, text),)


def description_edits(document: Document, template: Template | None, texts: AttachmentTexts) -> tuple[Edit, ...]:
    """Return the edits that add texts to the sections of a record; a text that is there already is not added again."""
    known = {comparison_key(line.strip().removeprefix("- ")) for line in document.text.splitlines()}
    given = ((section, [one for one in lines if comparison_key(one) not in known]) for section, lines in texts.given())
    plans = (add(document, template, lines, section=section) for section, lines in given if lines)
    return tuple(edit for plan in plans for edit in plan.edits)


def read_record(document: Document, path: str, template: Template | None) -> Attachment:
    """Return the attachment that a record describes; a value that is missing or of another type is empty."""
    values = document.post().metadata
    texts = dict(_texts(document, template))

    def word(key: str) -> str:
        value = values.get(key)
        return "" if value is None or isinstance(value, list | dict) else str(value)

    size = values.get("file_size")
    stem = path.rpartition("/")[2].removesuffix(".md")
    return Attachment(
        id=stem,
        path=path,
        filename=word("filename") or stem,
        original_filename=word("original_filename") or word("filename") or stem,
        mime_type=word("mime_type"),
        file_size=size if isinstance(size, int) and not isinstance(size, bool) else None,
        direction=word("direction") or "inbound",
        local_path=word("local_path"),
        url=word("url"),
        session=word("session"),
        episode=word("episode"),
        created_at=word("created_at"),
        digest=word("digest"),
        tags=_words(values.get("tags")),
        linked=_words(values.get("linked")),
        description=texts.get(DESCRIPTION, ""),
        transcription=texts.get(TRANSCRIPTION, ""),
        text=texts.get(TEXT, ""),
        origin=word("origin"),
    )


def _texts(document: Document, template: Template | None) -> Iterator[tuple[str, str]]:
    """Yield the text below each of the three headings, without comments and list markers."""
    canonical = {template.name(word): word for word in (DESCRIPTION, TRANSCRIPTION, TEXT)} if template else {}
    for section in document.sections:
        word = canonical.get(template.named(section) or "") if template else None
        if word:
            body = section.body.of(document.text)
            for comment in document.comments:
                body = body.replace(comment.span.of(document.text), "")
            lines = (line.strip().removeprefix("- ") for line in body.splitlines())
            yield word, "\n".join(filter(None, lines))


def _words(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else tuple(str(value).split()) if value else ()


def _values(attachment: Attachment) -> Mapping[str, FrontValue]:
    """Return the values of the front matter; one that is not known is empty."""
    size = attachment.file_size
    return {
        "filename": attachment.filename,
        "original_filename": attachment.original_filename
        if attachment.original_filename != attachment.filename
        else "",
        "mime_type": attachment.mime_type,
        "direction": attachment.direction,
        "local_path": attachment.local_path,
        "url": attachment.url,
        "session": attachment.session,
        "episode": attachment.episode,
        "digest": attachment.digest,
        "origin": attachment.origin,
        "file_size": "" if size is None else size,
        "created_at": attachment.created_at,
        "tags": attachment.tags,
        "linked": attachment.linked,
    }
