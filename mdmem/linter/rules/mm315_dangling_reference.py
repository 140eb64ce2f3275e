"""MM315: a reference to something that does not exist."""

# `formats.artifact` is imported only for a reference to a tool run.
from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache

from mdmem.formats.paths import archived_path, user_of, user_place
from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject, quote
from mdmem.text.entry import EntryField
from mdmem.text.inline import mask_code
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_IDS = pattern(r"(?:^|(?<=\s))\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_LINK = pattern(r"\[\[([^\[\]#|\r\n]{0,200})#\^([A-Za-z0-9-]{1,80})(?:\|[^\[\]\r\n]{0,200})?\]\]")
_ADDRESS = pattern(r"[A-Za-z]:|[a-z]+://")
_NUMBERED = pattern(r"-\d{1,5}\Z")
_OUTSIDE = ("/", "\\", "~")  # absolute paths and addresses are not checked
_LINES = pattern(r"#L\d+(?:-L?\d+)?\Z")


def check(subject: Subject) -> Iterator[Finding]:
    """Look up ids in the file and files in the workspace, never outside of it."""

    @cache
    def exists(path: str) -> bool:
        return _exists(subject, path)

    def dangles(paths: tuple[str, ...]) -> bool:
        return bool(paths) and not any(exists(path) for path in paths)

    @cache
    def goes_on() -> bool:
        """Return whether the facts of the subject stand in several files, which one id may lead from to another."""
        stem = subject.path.removesuffix(".md")
        is_numbered = _NUMBERED.search(stem) is not None
        return subject.memory is not None and subject.memory.kind == "facts" and (is_numbered or exists(f"{stem}-2.md"))

    for span, paths in _keys(subject):
        if dangles(paths):
            yield Finding(span, {"target": quote(span.of(subject.document.text))})
    text = subject.document.text
    if subject.memory is None or ("[[" not in text and "::" not in text):
        return
    named = _IDS.finditer(text) if "^" in text else ()
    ids = {match.group(1) for match in named} | {item.parts.id for item in subject.items}
    for item in subject.items:
        for span, ident, paths in _references(item):
            if (ident and ident not in ids and not goes_on()) or dangles(paths):
                yield Finding(item.at(span), {"target": quote(span.of(item.entry.text))})


def _keys(subject: Subject) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield the files that keys of the front matter name."""
    rules = subject.template.front_matter if subject.template else {}
    pointing = [key for key, rule in rules.items() if rule.type in ("path", "source")]
    front = subject.front if pointing else None
    for key in pointing:
        node = front.node(key) if front else None
        if node and isinstance(node.value, str) and node.value.strip():
            yield node.span, _target(node.value.strip(), is_path=rules[key].type == "path")


def _references(item: RuleEntry) -> Iterator[tuple[Span, str, tuple[str, ...]]]:
    """Yield each reference with the id of this file that it names, or the files of which one must exist."""
    text = item.entry.text
    if "[[" in text:
        for match in _LINK.finditer(mask_code(text)):
            file = match.group(1).strip()
            yield Span(*match.span()), "" if file else match.group(2), (file, f"{file}.md") if file else ()
    for field in item.parts.fields:
        if field.value and "[[" not in field.value:
            yield from _field(item, field)


def _field(item: RuleEntry, field: EntryField) -> Iterator[tuple[Span, str, tuple[str, ...]]]:
    rule, value = item.rule.fields.get(field.key), field.value
    if value.startswith("^") or (rule and rule.type == "id"):
        file, _, name = value.rpartition("#")  # `file#id` names an entry of another file
        yield field.value_span, "" if file else name.removeprefix("^"), (file, f"{file}.md") if file else ()
        return
    is_path = field.key == "artifact" or (rule is not None and rule.type == "path")
    yield field.value_span, "", _target(value, is_path=is_path)


def _target(value: str, *, is_path: bool) -> tuple[str, ...]:
    """Return the files of which one must exist for a value; none if it names no file."""
    if value.startswith("file:"):
        return (_file(value[5:]),)
    if value.startswith("tool:"):
        from mdmem.formats.artifact import artifact_path

        return (artifact_path(value[5:]), f"artifacts/{value[5:]}.md")
    return (_file(value),) if is_path else ()


def _file(value: str) -> str:
    return _LINES.sub("", value) if "#L" in value else value


def _exists(subject: Subject, path: str) -> bool:
    """Look up a file from the root, the folders of the file and of its user, and the archive.

    One outside counts as existing.
    """
    if path.startswith(_OUTSIDE) or (":" in path and _ADDRESS.match(path)) or not path.isprintable():
        return True
    folder = subject.path.rpartition("/")[0]
    home = posixpath.normpath(user_place(user_of(subject.path), path))  # where a user's tool outputs and sessions are
    candidates = dict.fromkeys(map(posixpath.normpath, (path, posixpath.join(folder, path), home)))
    inside = [one for one in candidates if one != ".." and not one.startswith(("../", "/"))]
    archived = map(archived_path, dict.fromkeys(one for one in inside if one in (inside[0], home)))
    return not inside or any(map(subject.exists, (*inside, *archived)))


RULE = Rule(
    "MM315",
    "dangling-reference",
    "warning",
    check,
)
