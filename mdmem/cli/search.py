"""`mdmem search`: print each hit with its location, its date and the words that found it.

JSON output and the masking of secrets are imported when needed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict

from mdmem.cli.parser.options import split
from mdmem.cli.parser.parameters import keep_settings, open_workspace
from mdmem.cli.parser.usage import usage_error
from mdmem.cli.terminal import Paint, safe
from mdmem.messages.catalog import label, say
from mdmem.search.candidates import ARCHIVE
from mdmem.search.question import parse_query
from mdmem.search.service import SearchHit
from mdmem.search.words.highlight import marks
from mdmem.settings.search_tables import SearchSettings
from mdmem.text.entry import plain
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
    """Search, print, and return the exit code of grep: 0 for hits, 1 for none."""
    question = " ".join(words or ())
    if not question.strip():
        raise usage_error("no-words")
    work = open_workspace(root, lang)
    archive: bool | str = "only" if within == "archive" else within == "all"
    found = work.search(
        question, limit, kinds=split(kind) or (), since=since, until=until, tags=split(tag) or (), agent=agent,
        archive=archive, session=session, role=role, tool=tool,
    )  # fmt: skip
    keep_settings()
    if warning := work.index.warning(question):
        print(safe(warning), file=sys.stderr)
    if json:
        from mdmem.cli import output

        output.json([asdict(one) for one in found])
    elif found:
        _print(found, question, work)
    else:
        from mdmem.linter.masking import masked

        print(say(work.lang, "cli.search.none", words=safe(masked(question, question))))
        print(Paint(sys.stdout)("dim", say(work.lang, "cli.search.advice")))
    return int(not found)


def _print(found: Sequence[SearchHit], question: str, work: Workspace) -> None:
    settings, paint = work.config.settings, Paint(sys.stdout)
    sought, numbers = parse_query(question, settings.recall.stop_words).sought, settings.search
    hidden = work.config.fields.keys() - {key.casefold() for key in numbers.snippet_fields}
    for hit in found:
        where = f"{paint('path', safe(hit.path))}:{hit.line}"
        archived = say(work.lang, "cli.search.archived") if hit.kind == ARCHIVE else ""
        about = [part for part in (hit.date, safe(hit.section), archived) if part]
        print("  ".join((where, *(paint("dim", part) for part in about))))
        print(f"    {_snippet(plain(hit.text, hidden), sought, numbers, paint)}")
        if hit.why:
            print(f"    {paint('dim', _why(hit, work.lang))}")


def _why(hit: SearchHit, lang: str) -> str:
    """Return the words or methods that found a hit, as a sentence."""
    shown_text = f"{hit.text} {hit.section} {hit.path}"
    names = [label(lang, f"cli.search.by-{word}", word) if word not in shown_text else word for word in hit.why]
    return say(lang, "cli.search.why") + safe(say(lang, "punctuation.list").join(names[:8]))


def _snippet(text: str, sought: frozenset[str], numbers: SearchSettings, paint: Paint) -> str:
    """Return the part of a text around the first query word, with all query words coloured."""
    text = " ".join(text.split())
    spans = marks(text, sought)
    wide = numbers.snippet_chars
    before = min(numbers.snippet_before, wide // 2)  # so that the word itself is shown
    first = max(0, spans[0].start - before) if spans and len(text) > wide else 0
    last = min(len(text), first + wide)
    out, at = ["…"] if first else [], first
    for span in spans:
        if span.start >= at and span.end <= last:
            out += [safe(text[at : span.start]), paint("warning", safe(span.of(text)))]
            at = span.end
    return "".join((*out, safe(text[at:last]), "…" if last < len(text) else ""))
