"""Words the reasons of changes for a reader; the log keeps each as it was written, in the language of its writer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mdmem.messages.catalog import say, sentence, table
from mdmem.messages.folders import languages

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
# What a verb or a tool writes where its caller gives no reason.
_VERBS = {
    "add": "log.reason-add",
    "remember": "log.reason-remember",
    "memory_remember": "log.reason-remember",
    "add_memory": "log.reason-remember",
    "on_memory_write": "log.reason-remember",
    "edit": "log.reason-edit",
    "str_replace": "log.reason-edit",
    "insert": "log.reason-edit",
    "write": "log.reason-write",
    "create": "log.reason-write",
    "replace": "log.reason-replace",
    "memory_replace": "log.reason-replace",
    "replace-section": "log.reason-replace-section",
    "remove": "log.reason-remove",
    "sync": "log.reason-sync",
    "memory_remove": "log.reason-remove",
    "tick": "log.reason-tick",
    "memory_tick": "log.reason-tick",
    "rename": "log.reason-rename",
    "delete": "log.reason-delete",
    "attach": "log.reason-attach",
    "attachment_add": "log.reason-attach",
    "describe": "log.reason-describe",
    "attachment_describe": "log.reason-describe",
    "tool {tool}": "log.reason-tool",
    "fact-set": "log.reason-fact-set",
    "memory_fact": "log.reason-fact-set",
    "pin-add": "log.reason-pin-add",
    "pin_add": "log.reason-pin-add",
    "pin-update": "log.reason-pin-update",
    "pin_update": "log.reason-pin-update",
    "pin-renew": "log.reason-pin-renew",
    "pin_renew": "log.reason-pin-renew",
    "pin-remove": "log.reason-pin-remove",
    "pin_remove": "log.reason-pin-remove",
    "run": "log.reason-run",
    "knowledge-add": "log.reason-knowledge-add",
    "knowledge-save": "log.reason-knowledge-save",
    "knowledge-back": "log.reason-knowledge-back",
    "knowledge-alternate": "log.reason-knowledge-alternate",
    "knowledge-pick": "log.reason-knowledge-pick",
    "bundle-install": "log.reason-bundle-install",
    "bundle-update": "log.reason-bundle-update",
    "bundle-remove": "log.reason-bundle-remove",
    "bundle-overlay": "log.reason-bundle-overlay",
    "bundle-make": "log.reason-bundle-make",
    "plan-add": "log.reason-plan-add",
    "plan-done": "log.reason-plan-done",
    "plan-next": "log.reason-plan-next",
    "plan-goto": "log.reason-plan-goto",
    "plan-move": "log.reason-plan-move",
    "plan-remove": "log.reason-plan-remove",
    "plan-phase": "log.reason-plan-phase",
    "handoff": "log.reason-handoff",
    "taken-over": "log.reason-taken-over",
    "accept": "log.reason-accept",
    "reject": "log.reason-reject",
    "undo {id}": "log.reason-undo",
    "memory_undo": "log.reason-undo-last",
    "restore": "log.reason-restore",
    "restore {id}": "log.reason-restore-from",
    "dismiss": "log.reason-dismiss",
    "forget": "log.reason-forget",
    "artifact prune": "log.reason-prune",
    "init": "log.reason-init",
    "lint --fix": "log.reason-fix",
    "connect": "log.reason-connect",
    "state": "log.reason-state",
    "note-run": "log.reason-note-run",
}
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
    whole = tuple(("", form, key) for form, key in (_STABLE | _VERBS).items())
    return tuple(sorted((*whole, *said), key=lambda one: "{" in one[1]))  # those without holes match exactly


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
