"""Finds and reads the files of facts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import count

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.kind_files import files_of, kind_file
from mdmem.entries.read import live_bytes, read_optional
from mdmem.errors import RefusedError, UnreadableFileError
from mdmem.facts.edits import document_facts, title_of
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import KIND, FactWords, words_of
from mdmem.formats.template import Template
from mdmem.linter.masking import masked
from mdmem.messages.catalog import say
from mdmem.store.files import digest, file_size, names_in
from mdmem.text.document import parse
from mdmem.text.entry import read_entry, statement, without_brackets
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

_PART = pattern(r"(.+)-([2-9]|[1-9]\d{1,4})\.md")  # a full file goes on in riverlog-2.md
_RULE = "rule"  # the type of a standing rule


def stored_facts(
    config: WorkspaceConfig, subject: str | None = None, *, predicate: str = "", before: bool = False
) -> tuple[Fact, ...]:
    """Return the facts about a subject, or about all; see `Workspace.facts`."""
    words = fact_words(config)
    paths = parts_of(config, file_of(config, subject, words), words) if subject is not None else files_of(config, KIND)
    found = (fact for path in paths for fact in facts_in(config, path, words))
    wanted = words.predicate(predicate)
    return tuple(
        fact for fact in found if (before or fact.live) and (not predicate or words.predicate(fact.predicate) == wanted)
    )


def standing_rules(config: WorkspaceConfig) -> tuple[Fact, ...]:
    """Return the live facts of the type `rule`, or whose predicate is called so; other files are not parsed."""
    words = fact_words(config)
    names = (_RULE, *fact_template(config).parts.get(_RULE, ()))
    keys = {words.predicate(name) for name in names}
    found = (fact for path in files_of(config, KIND) for fact in _read(config, path, words, having=names))
    return tuple(
        _masked(fact) for fact in found if fact.live and (fact.type == _RULE or words.predicate(fact.predicate) in keys)
    )


def fact_words(config: WorkspaceConfig) -> FactWords:
    """Return the words of the facts kind; raises ConfigError."""
    return words_of(fact_template(config), config.settings)


def with_property(config: WorkspaceConfig, line: str, shown: str) -> str:
    """Return what is shown of a line of a facts file, with the property of a bare value: «morning drink: black tea»."""
    parts = read_entry(line)
    predicate, kind, said = parts.field("predicate"), parts.field("type"), statement(line, parts)
    if predicate is None or not shown.endswith(said):
        return shown
    colon = say(config.lang, "punctuation.colon")
    whole = fact_words(config).shown(said, predicate.value, kind.value if kind else "", colon)
    return f"{shown.removesuffix(said)}{whole}"


def fact_template(config: WorkspaceConfig) -> Template:
    """Return the template of the facts kind; raises ConfigError."""
    return config.schemas.required(KIND)


def stem(path: str) -> str:
    """Return the name of a file without its ending."""
    return path.rpartition("/")[2].removesuffix(".md")


def facts_in(config: WorkspaceConfig, path: str, words: FactWords) -> tuple[Fact, ...]:
    """Return the facts of a file; empty if it does not exist."""
    return tuple(map(_masked, _read(config, path, words)))


def _read(config: WorkspaceConfig, path: str, words: FactWords, having: Sequence[str] = ("",)) -> tuple[Fact, ...]:
    """Return the facts of a file with their passwords; empty if it contains none of some words, or cannot be read."""
    if file_size(config.root, path) > config.settings.lint.max_bytes:  # lint tells of it
        return ()
    found = read_optional(config, path, "user")
    if found is None or not any(word in found.text for word in having):
        return ()
    document = parse(found.text.encode("utf-8", "surrogateescape"))
    template = config.schemas.match(path, document) or fact_template(config)
    return document_facts(path, document, template, words, title_of(document) or stem(path))


@lru_cache(maxsize=1024)  # several steps of a verb read the same facts
def _masked(fact: Fact) -> Fact:
    """Return a fact without the password that its line holds: what reads it may not know what the predicate says."""
    text = masked(fact.text, in_words(fact.subject, fact.predicate, fact.text))
    return fact if text == fact.text else replace(fact, text=text, masked=True)


def file_of(config: WorkspaceConfig, subject: str, words: FactWords) -> str:
    """Return the file of a subject: one whose name or title is the subject or an alias of it, else a new one.

    Raises:
        RefusedError: the subject cannot be the name of a file.
    """
    access, name = AccessPolicy(config, "user"), one_line(subject).strip()
    if not name.strip(". ") or set(name) & set("/\\") or not name.isprintable() or name.startswith("."):
        access.stop(RefusedError, "fact.subject")
    folder = fact_template(config).files[0].rpartition("/")[0]
    wanted = {words.subject(name)} - {""}  # a name of signs only, as an emoji, is no other name's alias
    own = {words.subject(one) for one in (*person_names(config, words), words.user)}
    if wanted & own:
        wanted, folder = own, config.whose.place(folder)
    there = _files_in(config, folder)
    new = f"{folder}/{name}.md"
    if new in there:
        return new
    named = next((path for path in there if words.subject(stem(path)) in wanted), "")
    titles = {digest(one) for one in wanted}
    found = named or next((path for path in there if _titled(config, path, words) in titles), new)
    return first_part(config, found, words)


def first_part(config: WorkspaceConfig, path: str, words: FactWords) -> str:
    """Return the first of the files of a subject; they have the same title, and a number in their names."""
    numbered = _PART.fullmatch(path)
    if numbered is None or not os.path.lexists(os.path.join(config.root, first := f"{numbered[1]}.md")):
        return path
    return first if _titled(config, first, words) == _titled(config, path, words) else path


def parts_of(config: WorkspaceConfig, path: str, words: FactWords) -> list[str]:
    """Return the files of a subject from its first one: `riverlog.md`, `riverlog-2.md`; none that is too large."""
    stem, found = path.removesuffix(".md"), list[tuple[int, str]]()
    for one in _files_in(config, path.rpartition("/")[0]):
        numbered = _PART.fullmatch(one)
        if numbered and numbered[1] == stem and first_part(config, one, words) == path:
            found.append((int(numbered[2]), one))
    most = config.settings.lint.max_bytes  # lint tells of a file with more: nothing can be read from it
    parts = [one for one in (path, *(one for _, one in sorted(found))) if file_size(config.root, one) <= most]
    return parts or [next(further_parts(config, path))]


def further_parts(config: WorkspaceConfig, path: str) -> Iterator[str]:
    """Yield the paths that further files of a subject may have."""
    paths = (f"{path.removesuffix('.md')}-{number}.md" for number in count(2))
    return (one for one in paths if not os.path.lexists(os.path.join(config.root, one)))


def _files_in(config: WorkspaceConfig, folder: str) -> list[str]:
    try:
        names = names_in(config.root, folder)
    except UnreadableFileError:
        return []
    return [path for name in names if config.schemas.kind(path := f"{folder}/{name}") == KIND]


def person_names(config: WorkspaceConfig, words: FactWords) -> tuple[str, ...]:
    """Return the names of the person, as USER.md gives them."""
    template = config.schemas.get("user")
    path = kind_file(config.root, template) if template else ""
    data = None
    with suppress(UnreadableFileError):  # lint tells of it
        data = live_bytes(config, path, config.settings.lint.max_bytes) if path else None
    lines = (entry.text for entry in parse(data).entries) if data is not None else ()
    return tuple(name for line in lines for name in words.names(line))


def _titled(config: WorkspaceConfig, path: str, words: FactWords) -> str:
    """Return the digest of the subject in a file's title, from the cache if the file is unchanged.

    The cache holds no title, so that a forgotten text does not stay there.
    """
    data = b""
    with suppress(UnreadableFileError):  # lint tells of it
        data = live_bytes(config, path, config.settings.lint.max_bytes) or b""
    name = digest(config.key_of("facts"), data)
    known = config.cache.get(name)
    if not isinstance(known, str):  # an unchanged file is not parsed
        known = digest(words.subject(title_of(parse(data))))
        config.cache.put(name, known)
    return known


def in_words(subject: str, predicate: str, text: str) -> str:
    """Return a fact as a line whose predicate names the subject too: a value is a password if either says so."""
    return f"- {text} [predicate:: {without_brackets(one_line(f'{subject} {predicate}'))}]\n"
