"""The facts whose property a query names: what holds now stands before the lines that recall finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.kind_files import files_of
from mdmem.facts.model import Fact
from mdmem.facts.read import fact_words, person_names, stem, stored_facts
from mdmem.formats.fact_words import KIND, FactWords
from mdmem.messages.catalog import say
from mdmem.search.question import Question, understood
from mdmem.search.words.terms import is_stop, terms
from mdmem.text.similarity import comparison_key

_MOST = 5  # facts of one query
_LEAST = 2  # characters of a term that can name a property


def fact_block(config: WorkspaceConfig, query: str) -> str:
    """Return the live facts that a query asks for, newest first, under their days; empty for none."""
    found = sorted(_named_facts(config, query), key=lambda one: one.date, reverse=True)[:_MOST]
    lines: list[str] = []
    head = ""
    for one in found:
        if one.date and (head := f"{one.date}:") not in lines:
            lines.append(head)
        lines.append(f"- {_shown(config, one)}")
    return "\n".join(lines)


def joined(facts: str, recalled: str) -> str:
    """Return both blocks; a line of the first is not recalled again, and a day without a line is left out."""
    said = {_key(line) for line in facts.split("\n") if line.startswith("- ")}
    lines = [line for line in recalled.split("\n") if not (line.startswith("- ") and _is_said(line, said))]
    kept = [line for line, after in zip(lines, (*lines[1:], ""), strict=True) if _is_line(line) or _is_line(after)]
    return "\n".join(filter(None, (facts, *kept)))


def _is_line(line: str) -> bool:
    return line.startswith("- ")


def _key(line: str) -> str:
    return comparison_key(line.removeprefix("- "))


def _is_said(line: str, said: set[str]) -> bool:
    """Return whether one of some lines says the same, perhaps behind the subject."""
    key = _key(line)
    return any(one.endswith(key) for one in said)


def _named_facts(config: WorkspaceConfig, query: str) -> Iterator[Fact]:
    """Yield the facts with the one value of a property that the query names, of the subjects that it is about."""
    asked = understood(query, config.settings.recall, config.day)
    if asked.past:  # recall puts the oldest first
        return
    words, said = fact_words(config), frozenset(terms(query))
    for subject in _subjects(config, asked, words):
        for one in stored_facts(config, subject):
            if (
                one.predicate
                and not words.is_many(one.predicate)
                and _names(words.predicate_names(one.predicate), said)
            ):
                yield one


def _subjects(config: WorkspaceConfig, asked: Question, words: FactWords) -> Sequence[str]:
    """Return the subjects that a query names, else the shared one, and the person if it is the one who asks."""
    own = {words.subject(one) for one in (words.user, *person_names(config, words))}
    subjects = {words.subject(name): name for path in files_of(config, KIND) if (name := stem(path))}
    named = asked.names(subjects.values())
    if others := [name for key, name in subjects.items() if name in named and key not in own]:
        return others
    shared = [name for key, name in subjects.items() if key in map(words.subject, words.shared)]
    is_own = asked.mine or bool(asked.names((words.user, *person_names(config, words))))
    return (*shared, *((words.user,) if is_own else ()))


def _names(names: Sequence[str], said: frozenset[str]) -> bool:
    """Return whether all the words of a property's name are among those of the query."""
    wanted = ({one for one in terms(name) if len(one) >= _LEAST and not is_stop(one)} for name in names)
    return any(some and some <= said for some in wanted)


def _shown(config: WorkspaceConfig, fact: Fact) -> str:
    """Return a fact as it can be understood alone: behind its subject and its property where it does not say them."""
    words, colon = fact_words(config), say(config.lang, "punctuation.colon")
    text = words.shown(fact.text, fact.predicate, fact.type or "fact", colon)
    subject = words.subject(fact.subject)
    is_plain = subject in (words.subject(words.user), *map(words.subject, words.shared))
    return text if is_plain or comparison_key(fact.subject) in comparison_key(text) else f"{fact.subject}{colon}{text}"
