"""`mdmem search`: print each hit with its location, its date and the words that found it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Annotated, Literal

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, ProgressBar, columns, fold, folded, safe
from mdmem.cli.grammar import completion
from mdmem.cli.grammar.parameters import Json, Lang, Limit, Root, User
from mdmem.cli.opened import open_workspace
from mdmem.cli.usage import split, usage_error
from mdmem.facts.read import with_property
from mdmem.formats.fact_words import KIND as FACTS
from mdmem.messages.catalog import label, say
from mdmem.search.candidates import ARCHIVE
from mdmem.search.question import parse_query
from mdmem.search.service import SearchHit
from mdmem.search.words.highlight import marks
from mdmem.settings.search_tables import SearchSettings
from mdmem.text.entry import plain
from mdmem.workspace import Workspace

_INDENT = 4  # columns of what stands below the place of a hit
_TAG = "tag:"  # before a tag among the words, as in Obsidian


def search(
    words: Annotated[list[str] | None, Argument()] = None,
    kind: Annotated[list[str] | None, Option("--kind", autocompletion=completion.kinds)] = None,
    since: Annotated[str | None, Option("--since")] = None,
    until: Annotated[str | None, Option("--until")] = None,
    tag: Annotated[list[str] | None, Option("--tag")] = None,
    agent: Annotated[str | None, Option("--agent")] = None,
    within: Annotated[Literal["all", "archive"] | None, Option("--in")] = None,
    session: Annotated[str | None, Option("--session", autocompletion=completion.sessions)] = None,
    role: Annotated[Literal["user", "assistant", "tool", "system"] | None, Option("--role")] = None,
    tool: Annotated[str | None, Option("--tool")] = None,
    limit: Limit = None,
    json: Json = False,
    root: Root = "",
    lang: Lang = None,
    user: User = "",
) -> int:
    """Search, print, and return the exit code of grep: 0 for hits, 1 for none. Without a word, tags are the words."""
    tags = [*(split(tag) or ()), *(word.removeprefix(_TAG) for word in words or () if _is_tag(word))]
    question = " ".join(word for word in words or () if not _is_tag(word)) or " ".join(tags)
    if not question.strip():
        raise usage_error("no-words")
    work = open_workspace(root, lang, user)
    archive: bool | str = "only" if within == "archive" else within == "all"
    with closing(ProgressBar(say(work.lang, "cli.indexing"))) as bar:
        work.index.report(bar)
        found = work.search(
            question, limit, kinds=split(kind) or (), since=since, until=until, tags=tags, agent=agent,
            archive=archive, session=session, role=role, tool=tool,
        )  # fmt: skip
    if warning := work.index.warning(question):
        print(safe(warning), file=sys.stderr)
    if json:
        output.json([asdict(one) for one in found])
    elif found:
        _print(found, question, work)
    else:
        from mdmem.linter.masking import masked

        print(say(work.lang, "cli.search.none", words=safe(masked(question, question))))
        print(Paint(sys.stdout)("dim", say(work.lang, "cli.search.advice")))
    return int(not found)


def _is_tag(word: str) -> bool:
    return word.startswith(_TAG) and word != _TAG


def _print(found: Sequence[SearchHit], question: str, work: Workspace) -> None:
    settings, paint = work.config.settings, Paint(sys.stdout)
    sought, numbers = parse_query(question, settings.recall.stop_words).sought, settings.search
    hidden = work.config.fields.keys() - {key.casefold() for key in numbers.snippet_fields}
    for hit in found:
        where = f"{paint('path', safe(hit.path))}:{hit.line}"
        archived = say(work.lang, "cli.search.archived") if hit.kind == ARCHIVE else ""
        about = [part for part in (hit.date, safe(hit.section), archived) if part]
        print("  ".join((where, *(paint("dim", part) for part in about))))
        text = plain(hit.text, hidden)
        text = with_property(work.config, hit.text, text) if hit.kind == FACTS else text
        for line in fold(_snippet(text, sought, numbers), columns() - _INDENT, 0):
            print(f"{' ' * _INDENT}{_coloured(line, sought, paint)}")
        if hit.now:
            print(f"    {paint('warning', folded(safe(hit.now), _INDENT))}")
        if hit.why:
            print(f"    {paint('dim', folded(_why(hit, work.lang), _INDENT))}")


def _why(hit: SearchHit, lang: str) -> str:
    """Return the words or methods that found a hit, as a sentence."""
    shown_text = f"{hit.text} {hit.section} {hit.path}"
    names = [label(lang, f"cli.search.by-{word}", word) if word not in shown_text else word for word in hit.why]
    return say(lang, "cli.search.why") + safe(say(lang, "punctuation.list").join(names[:8]))


def _snippet(text: str, sought: frozenset[str], numbers: SearchSettings) -> str:
    """Return the part of a text around the first query word."""
    text = " ".join(text.split())
    spans = marks(text, sought)
    wide = numbers.snippet_chars
    before = min(numbers.snippet_before, wide // 2)  # so that the word itself is shown
    first = max(0, spans[0].start - before) if spans and len(text) > wide else 0
    last = min(len(text), first + wide)
    return safe(f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}")


def _coloured(line: str, sought: frozenset[str], paint: Paint) -> str:
    """Return a line with the query words coloured."""
    out, at = [], 0
    for span in marks(line, sought):
        if span.start >= at:
            out += [line[at : span.start], paint("warning", span.of(line))]
            at = span.end
    return "".join((*out, line[at:]))
