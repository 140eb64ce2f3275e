"""ChatGPT and Claude: the exports of their web applications. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mdmem.importers.json_stream import BrokenJsonError, stream_json
from mdmem.importers.model import (
    ImportedFact,
    ImportedFile,
    ImportedSession,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import base, broken, first_item, listed, moment, objects, text_of
from mdmem.text.inline import one_line

_ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_LISTS = ("docs", "memory_files")
_ObjectReader = Callable[[str, Mapping[str, Any]], Iterator[ImportRecord]]
_MOST = 100_000  # messages on one way through a conversation


def recognizes_chatgpt(source: ImportSource) -> bool:
    """Return whether a JSON file holds conversations as trees of messages."""
    return any(_holds(source, name, "mapping") for name in source.names)


def recognizes_claude(source: ImportSource) -> bool:
    """Return whether a JSON file holds conversations with `chat_messages`, or memories of conversations."""
    return any(
        _holds(source, name, "chat_messages") or _holds(source, name, "conversations_memory") for name in source.names
    )


def _holds(source: ImportSource, name: str, key: str) -> bool:
    item = first_item(source, name) if name.endswith(".json") else None
    return item is not None and isinstance(item.value, Mapping) and key in item.value


def read_chatgpt(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield each conversation along the branch that was shown last, and the memories that were saved in it."""
    for name in source.names:
        if not _holds(source, name, "mapping"):
            yield from broken(source, name)
            continue
        for found in objects(source, name):
            if isinstance(found, ImportProblem):
                yield found
            else:
                yield from _chatgpt(*found)


def _chatgpt(place: str, given: Mapping[str, Any]) -> Iterator[ImportRecord]:
    mapping = given.get("mapping")
    if not isinstance(mapping, Mapping):
        yield ImportProblem(place, "import.no-messages", {}, "skipped")
        return
    turns: list[Mapping[str, Any]] = []
    ident = text_of(given.get("conversation_id")) or text_of(given.get("id"))
    title = one_line(text_of(given.get("title"))).strip()
    origin = origin_of("chatgpt", ident or f"{title}{given.get('create_time')}")
    for message in _branch(mapping, text_of(given.get("current_node"))):
        author, content = message.get("author"), message.get("content")
        role = _ROLES.get(text_of(author.get("role")) if isinstance(author, Mapping) else "", "")
        parts = _parts(content)
        meta = message.get("metadata")
        is_hidden = isinstance(meta, Mapping) and meta.get("is_visually_hidden_from_conversation")
        if not role or not parts or is_hidden:
            continue
        at = moment(message.get("create_time"))
        if message.get("recipient") == "bio":
            saved = origin_of("chatgpt", "bio", ident, parts)
            yield ImportedFact(saved, place, one_line(parts).strip(), date=at[:10], is_proposal=True)
        elif role in ("user", "assistant"):
            turns.append({"role": role, "content": parts, "timestamp": at})
    if turns:
        started = moment(given.get("create_time")) or text_of(turns[0]["timestamp"])
        yield ImportedSession(origin, place, title or "ChatGPT", tuple(turns), "chatgpt", started)
    else:
        yield ImportProblem(place, "import.no-messages", {}, "skipped")


def _branch(mapping: Mapping[str, Any], current: str) -> list[Mapping[str, Any]]:
    """Return the messages from the first to the one that was shown last; without one, the last branch."""
    if current not in mapping:
        parents = {node.get("parent") for node in mapping.values() if isinstance(node, Mapping)}
        current = next((key for key in reversed(list(mapping)) if key not in parents), "")
    found: list[Mapping[str, Any]] = []
    seen = set[str]()
    while isinstance(node := mapping.get(current), Mapping) and current not in seen and len(seen) < _MOST:
        seen.add(current)
        if isinstance(message := node.get("message"), Mapping):
            found.append(message)
        current = text_of(node.get("parent"))
    return found[::-1]


def _parts(content: object) -> str:
    """Return the text of a message; what is no text stands as its kind."""
    if not isinstance(content, Mapping):
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return text_of(content.get("text")).strip()
    texts = [
        one if isinstance(one, str) else f"[{text_of(one.get('content_type')) or 'file'}]"
        for one in parts
        if isinstance(one, str | Mapping)
    ]
    return "\n".join(text for text in texts if text.strip()).strip()


def read_claude(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield conversations, the memory of each account and project, and the documents of projects."""
    for name in source.names:
        last = base(name)
        if not last.endswith(".json"):
            continue
        if last == "users.json":
            yield ImportProblem(name, "import.account", {}, "skipped")
        elif _holds(source, name, "chat_messages"):
            yield from _each(source, name, _claude)
        elif last.startswith("memories") or "memories/" in name:
            yield from _each(source, name, _claude_memory)
        elif last.startswith("projects") or "projects/" in name:
            yield from _each(source, name, _claude_project)
        else:
            unknown = ImportProblem(name, "import.unknown-file", {}, "skipped")
            yield next(broken(source, name), unknown)


def _each(source: ImportSource, name: str, read: _ObjectReader) -> Iterator[ImportRecord]:
    """Read the objects of a list, or the one object that a file is."""
    item = first_item(source, name)
    if item is None or not item.key:
        for found in objects(source, name):
            if isinstance(found, ImportProblem):
                yield found
            else:
                yield from read(*found)
        return
    whole: dict[str, Any] = {}
    try:
        with source.open(name) as stream:
            for one in stream_json(stream):
                whole[one.key] = [*whole.get(one.key, ()), one.value] if one.key in _LISTS else one.value
    except BrokenJsonError as error:
        yield ImportProblem(f"{name}:{error.line}", "import.broken-json", {})
        return
    yield from read(name, whole)


def _claude(place: str, given: Mapping[str, Any]) -> Iterator[ImportRecord]:
    turns: list[Mapping[str, Any]] = []
    for one in listed(given.get("chat_messages")):
        if not isinstance(one, Mapping):
            continue
        role = _ROLES.get(text_of(one.get("sender")), "")
        text = text_of(one.get("text")).strip() or _blocks(one.get("content"))
        files = [*listed(one.get("attachments")), *listed(one.get("files"))]
        named = [text_of(file.get("file_name")) for file in files if isinstance(file, Mapping)]
        text = "\n".join([text, *(f"[{name}]" for name in named if name)]).strip()
        if role and text:
            turns.append({"role": role, "content": text, "timestamp": moment(one.get("created_at"))})
    if not turns:
        yield ImportProblem(place, "import.no-messages", {}, "skipped")
        return
    title = one_line(text_of(given.get("name"))).strip() or "Claude"
    origin = origin_of("claude", text_of(given.get("uuid")) or f"{title}{given.get('created_at')}")
    started = moment(given.get("created_at")) or text_of(turns[0]["timestamp"])
    yield ImportedSession(origin, place, title, tuple(turns), "claude", started)


def _blocks(content: object) -> str:
    found = (text_of(one.get("text")) for one in listed(content) if isinstance(one, Mapping))
    return "\n".join(text for text in found if text).strip()


def _claude_memory(place: str, given: Mapping[str, Any]) -> Iterator[ImportRecord]:
    texts = {"memory": text_of(given.get("conversations_memory"))}
    projects = given.get("project_memories")
    texts |= (
        {f"project-{key}": text_of(value) for key, value in projects.items()} if isinstance(projects, Mapping) else {}
    )
    for at, one in enumerate(listed(given.get("memory_files")), 1):
        if isinstance(one, Mapping):
            name = text_of(one.get("path")) or text_of(one.get("name")) or f"file-{at}"
            texts[name.removesuffix(".md")] = text_of(one.get("content"))
    for name, text in texts.items():
        if text.strip():
            yield ImportedFile(origin_of("claude", name, text), place, f"notes/claude/{name}.md", text)


def _claude_project(place: str, given: Mapping[str, Any]) -> Iterator[ImportRecord]:
    project = text_of(given.get("name")) or "project"
    for one in listed(given.get("docs")):
        name, text = (
            (text_of(one.get("filename")), text_of(one.get("content"))) if isinstance(one, Mapping) else ("", "")
        )
        if text.strip():
            path = f"notes/claude/{project}/{name or 'document'}"
            yield ImportedFile(origin_of("claude", project, name, text), place, path, text)
    about = "\n\n".join(
        text for text in (text_of(given.get("description")), text_of(given.get("prompt_template"))) if text.strip()
    )
    if about:
        yield ImportedFile(origin_of("claude", project, about), place, f"notes/claude/{project}/about.md", about)


CHATGPT = ImportReader("chatgpt", recognizes_chatgpt, read_chatgpt)
CLAUDE = ImportReader("claude", recognizes_claude, read_claude)
