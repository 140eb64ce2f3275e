"""What a clause of a sentence leaves unsaid, because the clauses before it have said it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.extraction.model import FactCandidate
from mdmem.extraction.patterns import ClauseMatch
from mdmem.text.inline import has_chinese

_NO_CARRY = ("养", "owns", "姓名", "name")  # behind these a clause without a subject may be about something else


class SentenceContext(NamedTuple):
    """What the clauses before left for the next one of a sentence."""

    subject: str = ""  # words that stand for a subject that was left out
    topic: str = ""  # the thing that was spoken of
    ended: str = ""  # the predicate of what no longer holds


def after(match: ClauseMatch, context: SentenceContext) -> SentenceContext:
    """Return what a clause leaves for the next one."""
    slots = match.slots
    ended = match.row.predicate if match.row.type in ("end", "retract") else ""
    topic = slots.get("thing") or slots.get("attribute") or context.topic
    if match.row.predicate in _NO_CARRY[:2] or "who" in slots:
        return SentenceContext("", topic, ended)
    is_chinese = has_chinese(match.row.text)
    if relative := slots.get("relative"):
        return SentenceContext(f"我{relative}" if is_chinese else f"my {relative}", topic, ended)
    subject = "" if "attribute" in slots or "thing" in slots else "我" if is_chinese else "I"
    return SentenceContext(subject, topic, ended)


def merged(items: Sequence[FactCandidate]) -> list[FactCandidate]:
    """Return statements in which what took a thing's place names it: «I left Shell and joined BP» is one change."""
    found: list[FactCandidate] = []
    for one in items:
        before = found[-1] if found else None
        if before and before.old and before.predicate == one.predicate and one.is_update and not one.old:
            found[-1] = one._replace(old=before.old)
        elif before and before.predicate == one.predicate and before.is_update and not (before.value or one.effect):
            found[-1] = one._replace(is_update=True)  # it only ended: 我离职了，现在在字节上班
        else:
            found.append(one)
    return found
