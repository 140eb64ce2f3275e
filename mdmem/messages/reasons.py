"""Words the reasons of changes for a reader; the log keeps each as it was written, in the language of its writer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mdmem.messages.catalog import say, sentence, table
from mdmem.messages.folders import FALLBACK, languages

# Reasons that are the same in every language, and the sentences that are printed for them.
_STABLE = {
    "portrait: {name}": "log.portrait",
    "renewed: portrait: {name}": "log.portrait",
    "compile: {name}": "log.compile",
    "taken in from {name}": "log.sync",
    "first met by watch": "log.met",
    "saved by hand": "log.saved",
    "deleted by hand": "log.deleted",
    "moved by hand": "log.moved",
    "a save that came while its file was being replaced": "log.late-save",
    "a damaged entry of the journal, set aside: {name}": "log.damaged-entry",
    "half a turn that a crash left, set aside": "log.half-turn",
    "turns that a save had taken out, brought back": "log.lost-turns",
}
# What tools write that is not spelled as the key of its sentence is, `log.reason-KEY`.
_SPELLED = {
    "add_memory": "remember",
    "on_memory_write": "remember",
    "str_replace": "edit",
    "insert": "edit",
    "create": "write",
    "attachment_add": "attach",
    "attachment_describe": "describe",
    "memory_fact": "fact-set",
}
# Reasons that stand only so: «undo» alone may be a person's own word.
_SPELLED_ONLY = {
    "tool {tool}": "tool",
    "undo {id}": "undo",
    "memory_undo": "undo-last",
    "restore {id}": "restore-from",
    "artifact prune": "prune",
    "lint --fix": "fix",
}
_SENTENCE = "log.reason-"  # the beginning of the keys of these sentences
# Sentences in the language of the change, and those that are printed for them.
_SAID = {
    "scratchpad.reason": "log.scratchpad",
    "extract.reason": "extract.reason",
    "extract.reason-private": "extract.reason-private",
    "keeper.reason": "keeper.reason",
    "keeper.reason-return": "keeper.reason-return",
    "keeper.reason-retire": "keeper.reason-retire",
    "keeper.reason-merge": "keeper.reason-merge",
    "keeper.reason-expire": "keeper.reason-expire",
    "review.reason": "review.reason",
    "correction.reason": "correction.reason",
    "night.reason": "night.reason",
    "night.reason-report": "night.reason-report",
    "episode.reason": "episode.reason",
    "session.reason-start": "session.reason-start",
    "session.reason-end": "session.reason-end",
    "session.reason-prune": "session.reason-prune",
    "import.reason": "import.reason",
}
_HOLE = re.compile(r"\{(\w+)\}")
_ID = r"\S*\d\S*"  # an id holds a digit: «undo the rename» is a person's own sentence
_ADDED = r"(?P<added>(?:[^\w\s].*)?)"  # what a change has added behind a sentence; a person's own words go on otherwise
_UNFINISHED = " (finished after a crash; edited meanwhile and left as it was: "


def reason_in(lang: str, reason: str) -> str:
    """Return the reason of a change as a sentence of a language; one that a person or an agent gave, as it is."""
    reason, is_unfinished, paths = reason.partition(_UNFINISHED)
    told = next(_matches(lang, reason), reason)
    if is_unfinished:
        return say(lang, "log.unfinished", reason=told, paths=paths.removesuffix(")"))
    return told


def _matches(lang: str, reason: str) -> Iterator[str]:
    for other, form, key in _forms():
        if match := _pattern(form).fullmatch(reason):
            facts = match.groupdict()
            added = facts.pop("added", "")
            values = {name: _translated(lang, other, key, value) for name, value in facts.items()}
            yield say(lang, key, **values) + added


@cache
def _forms() -> tuple[tuple[str, str, str], ...]:
    """Return the forms of reasons: the language of each, its template, and the key of what is printed."""
    said = tuple((other, sentence(other, key), told) for key, told in _SAID.items() for other in languages())
    whole = tuple(("", form, key) for form, key in (_STABLE | _verbs()).items())
    return tuple(sorted((*whole, *said), key=lambda one: "{" in one[1]))  # those without holes match exactly


def _verbs() -> dict[str, str]:
    """Return what a verb or a tool writes where its caller gives no reason, and the keys of the sentences.

    A sentence `log.reason-KEY` is that of the verb KEY and of the tools `KEY` and `memory_KEY`, with `_` for `-`.
    """
    keys = (key.removeprefix(_SENTENCE) for key in table(FALLBACK, "log") if key.startswith(_SENTENCE))
    own = [key for key in keys if key not in _SPELLED_ONLY.values()]
    tools = {form: key for key in own for form in (key, key.replace("-", "_"), f"memory_{key.replace('-', '_')}")}
    return {form: f"{_SENTENCE}{key}" for form, key in (tools | _SPELLED | _SPELLED_ONLY).items()}


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """Return the pattern of a template; a hole at its end takes the rest."""
    parts = _HOLE.split(form)
    made = [re.escape(parts[0])]
    for name, literal in zip(parts[1::2], parts[2::2], strict=True):
        held = _ID if name == "id" else r"\w+" if name == "tool" else f".+{'?' if literal else ''}"
        made.append(f"(?P<{name}>{held}){re.escape(literal)}")
    return re.compile("".join(made) + (_ADDED if parts[-1] else ""), re.DOTALL)


def _translated(lang: str, other: str, key: str, value: str) -> str:
    """Return a fact in a language if it is itself a sentence of the same table, as a step of the night is."""
    name = key.partition(".")[0]
    known = next((one for one, text in table(other, name).items() if text == value), "") if other else ""
    return table(lang, name)[known] if known else value
