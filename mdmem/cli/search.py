"""`mdmem search`: the quick path, without typer; prints each hit with its place, its date and why it was found."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mdmem.cli.parser.options import split
from mdmem.cli.parser.parameters import keep_settings, opened
from mdmem.cli.parser.usage import wrong
from mdmem.cli.terminal import Paint, safe
from mdmem.messages.catalog import label, say
from mdmem.search.candidates import ARCHIVE
from mdmem.search.question import parse_query
from mdmem.search.service import SearchHit
from mdmem.search.words.highlight import marks
from mdmem.settings.tables import SearchSettings
from mdmem.workspace import Workspace


def run(
    *,
    words: Sequence[str] | None,
    kind: Sequence[str] | None,
    since: str | None,
    until: str | None,
    tag: Sequence[str] | None,
    agent: str | None,
    within: str | None,
    session: str | None,
    role: str | None,
    tool: str | None,
    limit: int | None,
    json: bool,
    root: str | None,
    lang: str | None,
) -> int:
    """Search, print, and give the exit code, as grep does: 0 found, 1 nothing found."""
    asked = " ".join(words or ())
    if not asked.strip():
        raise wrong("no-words")
    work = opened(root, lang)
    archive: bool | str = "only" if within == "archive" else within == "all"
    found = work.search(
        asked, limit, kinds=split(kind) or (), since=since, until=until, tags=split(tag) or (), agent=agent,
        archive=archive, session=session, role=role, tool=tool,
    )  # fmt: skip
    keep_settings()
    if warning := work.index.warning(asked):
        print(safe(warning), file=sys.stderr)
    if json:
        from mdmem.cli import output

        output.json([one._asdict() for one in found])
    elif found:
        _print(found, asked, work)
    else:
        from mdmem.linter.echo import masked

        print(say(work.lang, "cli.search.none", words=safe(masked(asked, asked))))
        print(Paint(sys.stdout)("dim", say(work.lang, "cli.search.advice")))
    return int(not found)


def _print(found: Sequence[SearchHit], asked: str, work: Workspace) -> None:
    settings, paint = work.config.settings, Paint(sys.stdout)
    sought, numbers = parse_query(asked, settings.recall.stop_words).sought, settings.search
    for one in found:
        where = f"{paint('path', safe(one.path))}:{one.line}"
        archived = say(work.lang, "cli.search.archived") if one.kind == ARCHIVE else ""
        about = [part for part in (one.date, safe(one.section), archived) if part]
        print("  ".join((where, *(paint("dim", part) for part in about))))
        print(f"    {_snippet(one.text, sought, numbers, paint)}")
        if one.why:
            print(f"    {paint('dim', _why(one, work.lang))}")


def _why(one: SearchHit, lang: str) -> str:
    """Return the words or the ways by which something was found."""
    held = f"{one.text} {one.section} {one.path}"
    told = [label(lang, f"cli.search.by-{word}", word) if word not in held else word for word in one.why]
    return say(lang, "cli.search.why") + safe(say(lang, "punctuation.list").join(told[:8]))


def _snippet(text: str, sought: frozenset[str], numbers: SearchSettings, paint: Paint) -> str:
    """Return the part of a text around the first word that was asked for, those words in colour."""
    text = " ".join(text.split())
    spans = marks(text, sought)
    wide = numbers.snippet_chars
    before = min(numbers.snippet_before, wide // 2)  # or what was found would not be in it
    first = max(0, spans[0].start - before) if spans and len(text) > wide else 0
    last = min(len(text), first + wide)
    out, at = ["…"] if first else [], first
    for span in spans:
        if span.start >= at and span.end <= last:
            out += [safe(text[at : span.start]), paint("warning", safe(span.of(text)))]
            at = span.end
    return "".join((*out, safe(text[at:last]), "…" if last < len(text) else ""))
