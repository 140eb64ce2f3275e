"""Gather what each part of a recipe is made of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any

from mdmem.context.build import Source
from mdmem.context.chat import newest_runs, read_sessions, read_turns, runs_of, split
from mdmem.context.file import Asked, names, read_file, without_fields
from mdmem.context.material import Group, Item, Material, pieces
from mdmem.context.recipe import Recipe, Recipes, Slot, Words
from mdmem.context.residue import without_residue
from mdmem.context.result import Left
from mdmem.context.state import Kind, read_state
from mdmem.context.view import view
from mdmem.core.document import Document, parse
from mdmem.core.inline import comments, mask
from mdmem.core.meters import size
from mdmem.core.todo.read import read_todo
from mdmem.keeper.pending import expired
from mdmem.workspace.config import Config
from mdmem.workspace.packing import chats, output, prompts
from mdmem.workspace.packing.ask import Ask
from mdmem.workspace.packing.eyes import eyes
from mdmem.workspace.packing.files import Found, MemoryFiles
from mdmem.workspace.prompts import FOLDER
from mdmem.workspace.sessions_held import session_days

_STATE = {"fastmemo": "shared", "pins": "shared", "task_process": "agent", "notebook": "shared"}


_FILLED_BY = {
    "window": "sessions/",
    "recent": "sessions/",
    "sessions": "sessions/",
    "recall": "--query",
    "result": "--result",
}
_REFS = ("prompt", "contract")


class Gatherer:
    """Gathers for one pack."""

    def __init__(self, config: Config, files: MemoryFiles, recipes: Recipes, recipe: Recipe, ask: Ask) -> None:
        self.config, self.files, self.recipe, self.ask = config, files, recipe, ask
        self.eyes = eyes(config)
        self.lang = config.lang
        self.markers = {name: words[self.lang] for name, words in recipes.markers.items()}
        self.refs: dict[str, str] = {}

    def sources(self) -> dict[str, Source]:
        """Give the source of each part."""
        return {
            slot.name: self._source(slot)._replace(markers=self.markers, filled_by=self._filled_by(slot))
            for slot in self.recipe.slots
        }

    def _filled_by(self, slot: Slot) -> str:
        """Return what would fill a part: a file, or an option of `mdmem context`."""
        if slot.source == "text":
            return f"{FOLDER}/{slot.name}.md"
        if slot.source in _FILLED_BY:
            return _FILLED_BY[slot.source]
        return self.files.find(slot.source, slot.owner)[-1].path

    def _source(self, slot: Slot) -> Source:
        special: Mapping[str, Callable[[Slot], Source]] = {
            "text": self._text,
            "window": self._chat,
            "recent": self._chat,
            "sessions": self._sessions,
            "recall": self._recall,
            "result": self._result,
        }
        return special.get(slot.source, self._file)(slot)

    def _file(self, slot: Slot) -> Source:
        found = self.files.find(slot.source, slot.owner)
        present = [one for one in found if one.document]
        if not present:
            why = found[0].why
            notes = self._words(slot.missing, slot.note) if why == "missing" else ()
            left = () if why in ("missing", "off") else (Left(found[0].path, 0, "", why),)
            return self._noted(Material(left=left, notes=notes), slot, why)
        read = [
            read_file(one.document, one.templates, one.path, self._asked(slot, one), self.eyes, self.files.known(one))
            for one in present
            if one.document
        ]
        older = [Left(one.path, line + 1, "", "view") for one in present for line in one.blank]
        material = _joined(read)
        material = material._replace(left=(*material.left, *older))
        template = present[-1].templates[0]
        only, without = (names(some, present[-1].templates) for some in (slot.only, slot.without))
        source = view(material, slot, template.view, self.markers, only, without, self._titles(slot.source))
        if not source.material.items:
            # a file that says nothing counts as empty; one whose every line was unfit too
            notes = self._words(slot.empty, slot.sparse, slot.note) if slot.empty else ()
            return self._noted(source.material._replace(notes=notes), slot, "empty")
        few = len(source.material.items) < slot.few
        notes = self._words(slot.near if _near(present[-1]) else {}, slot.sparse if few else {}, slot.note)
        return source._replace(material=source.material._replace(notes=notes))

    def _asked(self, slot: Slot, found: Found) -> Asked:
        """Say what to show of a file's entries, which of them are past their time, and which is the current step."""
        document = found.document or parse(b"")
        current = read_todo(document, found.templates[0]).current if slot.cut == "around" else None
        told = _with_newest(document, *self._told) if slot.once else frozenset()
        focus = current.entry.line if current else None
        return Asked(slot.fields, slot.ids, slot.kept, _expired(self.config, found), focus, told)

    @cached_property
    def _told(self) -> tuple[frozenset[str], int]:
        """The runs of tools that the last rounds tell, as sources of entries, and how many have no name."""
        slot = next((one for one in self.recipe.slots if one.source == "recent"), None)
        if slot is None:
            return frozenset(), 0
        chat = self._spoken
        _, recent = split(chat.turns, slot.rounds or self._keep_rounds(slot), chat.condensed)
        shown = newest_runs(recent, chats.limits(slot), chat.before, self.ask.counter)
        named = [runs_of(turn.text) for turn in shown]
        return frozenset(run for one in named for run in one), sum(not one for one in named)

    def _noted(self, material: Material, slot: Slot, why: str) -> Source:
        return Source(material, "" if material.notes else why, cut=slot.cut or "head")

    def _words(self, *words: Words) -> tuple[str, ...]:
        return tuple(one[self.lang] for one in words if one)

    def _titles(self, source: str) -> int:
        """Count the characters of the titles of all parts that show a file."""
        slots = [slot for slot in self.recipe.slots if slot.source == source]
        return sum(slot.level + len(slot.title[self.lang]) + 3 for slot in slots)

    def _text(self, slot: Slot) -> Source:
        given = self.ask.texts.get(slot.name, "")
        path, text = ("", given) if given else prompts.find(self.files, slot.name, self.lang)
        self.refs[slot.name] = path
        said = without_residue(self.eyes.clean(mask(text, comments(text), ""))).strip("\n")
        return _plain(said, slot, path) if said.strip() else Source(why="missing")

    def _chat(self, slot: Slot) -> Source:
        chat = self._spoken
        keep = slot.rounds or self._keep_rounds(slot)
        window, recent = split(chat.turns, keep, chat.condensed)
        mark, newest = self.markers["code"] if slot.code_lines else "", slot.source == "recent"
        material = read_turns(
            recent if newest else window, chat.path, self.eyes, chats.limits(slot), count=self.ask.counter,
            before=chat.before if newest else {}, code=mark, kept=newest,
        )  # fmt: skip
        first = chat.turns[0].number if chat.turns else 1
        if slot.source == "window" and first > chat.condensed + 1:  # not even read: the window has no room for them
            material = material._replace(left=(*material.left, Left(chat.path, first - 1, "", "rounds")))
        return Source(material, chat.why or ("" if material.items else "empty"), cut=slot.cut or "turns")

    @cached_property
    def _spoken(self) -> chats.Chat:
        return chats.chat(self.config, self.recipe, self.ask)

    def _keep_rounds(self, slot: Slot) -> int:
        """Give how many rounds stay whole: the part that shows them says so, else the template of sessions."""
        recent = next((one.rounds for one in self.recipe.slots if one.source == "recent"), slot.rounds)
        return recent or int(chats.numbers(self.config)["keep_rounds"])

    def _sessions(self, slot: Slot) -> Source:
        limit = slot.rounds or int(chats.numbers(self.config)["own_sessions"])
        found, why = chats.own_sessions(self.config, self.ask.agent, limit)
        material = read_sessions(found, chats.titles(self.config), self.eyes)
        return Source(material, why or ("" if found else "missing"), cut=slot.cut or "turns")

    def _recall(self, slot: Slot) -> Source:
        if not self.ask.query:
            return Source(why="missing")
        if not self.config.settings.memory.enabled:
            return Source(why="off")
        recent = tuple(turn.text for turn in self._spoken.turns)
        found = self.ask.recall(self.ask.query, recent, slot.tokens or self.recipe.budget)
        if found is None:
            return Source(why="unknown")
        said = without_residue(self.eyes.clean(mask(found, comments(found), "")))
        return _lines(said, slot) if said.strip() else Source(why="empty")

    def _result(self, slot: Slot) -> Source:
        return output.result(self.config, self.files, self.ask, slot, self.eyes)

    def state(self) -> dict[str, Any]:
        """Return the state in the shape of G046."""
        numbers = {"keep_rounds": int(chats.numbers(self.config)["keep_rounds"])}
        refs = {name: self.refs.get(name) or prompts.find(self.files, name, self.lang)[0] for name in _REFS}
        return read_state(read_kinds(self.config, self.files), refs, numbers, self.eyes)


def read_kinds(config: Config, files: MemoryFiles) -> dict[str, Kind]:
    """Return the files that the state is read from."""
    found = {kind: files.find(kind, owner)[-1] for kind, owner in _STATE.items()}
    return {
        kind: Kind(one.path, one.document, one.templates[0], files.digests.get(one.path, ""), _expired(config, one))
        for kind, one in found.items()
    }


def _expired(config: Config, found: Found) -> frozenset[int]:
    """Return the lines of a file's entries that are past their time."""
    if found.document is None:
        return frozenset()
    template, today = found.templates[0], dt.date.fromisoformat(config.day)
    sessions = session_days(config) if template.parts.get("ttl") else ()
    return frozenset(entry.line for entry in expired(found.document, template, today, sessions))


def _with_newest(document: Document, told: frozenset[str], unnamed: int) -> frozenset[str]:
    """Add the sources of the newest notes about runs: they stand for the runs that are told without a name."""
    fields = (entry.parts.field("source") for entry in reversed(document.entries)) if unnamed else ()
    others = (field.value.strip() for field in fields if field and field.value.strip().startswith("tool:"))
    return told | frozenset(islice((source for source in others if source not in told), unnamed))


def _near(found: Found) -> bool:
    """Tell whether a file is near the limit of its kind (P029)."""
    limits = found.templates[0].file
    if found.document is None or limits.max_chars is None or limits.warn_ratio is None:
        return False
    return size(found.document).chars >= limits.max_chars * limits.warn_ratio


def _joined(read: list[Material]) -> Material:
    """Put an agent's own file below the workspace's."""
    groups: list[Group] = []
    items: list[Item] = []
    for one in read:
        begin = len(groups)
        groups += (
            group._replace(parent=None if group.parent is None else group.parent + begin) for group in one.groups
        )
        items += (item._replace(group=item.group + begin) for item in one.items)
    return Material(tuple(groups), tuple(items), tuple(left for one in read for left in one.left))


def _plain(text: str, slot: Slot, path: str) -> Source:
    """Make a source of a text that is no memory: whole where there is room, else cut between its lines."""
    lines = [Item(piece, 0, 0, piece, joint, slot.kept) for joint, piece in pieces(text)]
    return Source(Material((Group(path),), tuple(lines)), cut=slot.cut or "head")


def _lines(text: str, slot: Slot) -> Source:
    """Make a source of a block that was made for the purpose, best line first."""
    lines = [line for line in text.split("\n") if line.strip()]
    items = [
        Item(without_fields(line, slot.fields, ids=slot.ids), 0, number, line) for number, line in enumerate(lines, 1)
    ]
    return Source(Material((Group(),), tuple(items)), cut=slot.cut or "head")
