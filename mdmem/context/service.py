"""Build packs: gather the sources of a recipe's parts and pack them; read the state that a pack is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Any

from mdmem.config.trust import USER_SETTINGS, shipped_boundary
from mdmem.config.workspace_config import RECIPES_FILE, WorkspaceConfig, shipped_recipes
from mdmem.context import inputs
from mdmem.context.inputs import PackRequest, RecipeFile, RecipeFiles, content_checks
from mdmem.context.model import Material, MaterialGroup, MaterialItem, OmittedItem, Pack, pieces
from mdmem.context.pack import CachedTokenCounter, PartSource, without_faded
from mdmem.context.pack import pack as pack_sources
from mdmem.context.read_chat import newest_runs, read_sessions, read_turns, runs_of, split
from mdmem.context.read_file import EntryView, names, part_source, read_file
from mdmem.context.recipe import Recipe, RecipePart, Recipes, Words, build_recipes, in_language, read_tables
from mdmem.context.sources.compiled_part import CompiledParts
from mdmem.context.sources.query_facts import fact_block, joined
from mdmem.context.sources.task_knowledge import TaskKnowledge
from mdmem.context.standing.standing_rules import StandingRules, marked, rule_kinds
from mdmem.context.state import Kind, read_state
from mdmem.entries.inbox.waiting_corrections import waiting_corrections
from mdmem.errors import UsageError
from mdmem.formats.limits import expired, size
from mdmem.formats.paths import IDENTITY, PROMPT_ENDS, PROMPTS, is_unportable
from mdmem.formats.task_plan import read_todo
from mdmem.handoff.read import waiting_handoffs
from mdmem.linter.unsafe_lines import without_orders
from mdmem.sessions.read import session_days
from mdmem.settings.reader import Layer
from mdmem.store.files import digest
from mdmem.store.root import Root
from mdmem.store.walk import SETTINGS_FILE
from mdmem.text.document import Document, parse
from mdmem.text.entry import strip_fields
from mdmem.text.inline import comments, mask, without_residue


def find_prompt(files: RecipeFiles, name: str, lang: str) -> tuple[str, str]:
    """Return the path and text of `prompts/NAME.md` without comments and front matter; both empty if there is none."""
    tops = (PROMPTS, f"{IDENTITY}/{PROMPTS}")
    for path in (f"{top}/{folder}{name}{end}" for top in tops for folder in (f"{lang}/", "") for end in PROMPT_ENDS):
        text = files.text(path)
        if text is not None:
            document = parse(text.encode("utf-8", "surrogateescape"))
            return path, mask(text, (comment.span for comment in document.comments), "")[document.start :]
    return "", ""


_STATE = {"fastmemo": "shared", "pins": "shared", "task_process": "agent", "notebook": "shared"}


_FILLED_BY = {
    "window": "sessions/",
    "recent": "sessions/",
    "sessions": "sessions/",
    "recall": "--query",
    "persona": "personas/",
    "standing": "facts/",
    "handoff": "mdmem handoff",
    "result": "--result",
    "task_knowledge": "knowledge/",
    "plan_knowledge": "task_process.md",
}
_REFS = ("prompt", "contract")


class Gatherer:
    """Gathers the sources of one pack."""

    def __init__(
        self, config: WorkspaceConfig, files: RecipeFiles, recipes: Recipes, recipe: Recipe, request: PackRequest
    ) -> None:
        self.config, self.files, self.recipe, self.request = config, files, recipe, request
        self.checks = content_checks(config)
        self.lang = config.lang
        self.markers = {name: in_language(words, self.lang) for name, words in recipes.markers.items()}
        self.refs: dict[str, str] = {}

    def sources(self) -> dict[str, PartSource]:
        """Return the source of each part."""
        found = {
            slot.name: self._limited(slot)._replace(markers=self.markers, filled_by=self._filled_by(slot))
            for slot in self.recipe.slots
        }
        if self.config.settings.memory.enabled and any(slot.source == "standing" for slot in self.recipe.slots):
            kinds = rule_kinds(self.config)
            for slot in self.recipe.slots:  # what is said among the rules is not said again in its own file's part
                if slot.source in kinds:
                    source = found[slot.name]
                    found[slot.name] = source._replace(material=marked(source.material, self._rules))
        return found

    def _limited(self, slot: RecipePart) -> PartSource:
        """Return the source of a part without the lines of faded facts."""
        source = self._source(slot)
        return (
            without_faded(source, slot.generated, CachedTokenCounter(self.request.counter))
            if slot.generated
            else source
        )

    def _filled_by(self, slot: RecipePart) -> str:
        """Return the file or the option of `mdmem context` that would fill a part."""
        if slot.source == "text":
            return f"{PROMPTS}/{slot.name}.md"
        if slot.source in _FILLED_BY:
            return _FILLED_BY[slot.source]
        return self.files.find(slot.source, slot.owner)[-1].path

    def _source(self, slot: RecipePart) -> PartSource:
        special: Mapping[str, Callable[[RecipePart], PartSource]] = {
            "text": self._text,
            "window": self._chat,
            "recent": self._chat,
            "sessions": self._sessions,
            "recall": self._recall,
            "standing": self._standing_rules,
            "result": self._result,
            "task_knowledge": self._knowledge,
            "plan_knowledge": self._knowledge,
            "persona": self._persona,
            "handoff": self._handoffs,
        }
        other = self._identity if slot.compiled else self._file
        return special.get(slot.source, other)(slot)

    def _file(self, slot: RecipePart) -> PartSource:
        return self._shown(slot, self.files.find(slot.source, slot.owner))

    def _handoffs(self, slot: RecipePart) -> PartSource:
        """Return what other agents have handed over to the agent, and no session of it has taken over."""
        if not self.config.settings.memory.enabled:
            return PartSource(why="off")
        waiting = waiting_handoffs(self.config, self.request.agent or "")
        found = tuple(one for each in waiting if (one := self.files.at(each.path, slot.source)).document)
        return self._shown(slot, found) if found else PartSource(why="missing")

    def _shown(self, slot: RecipePart, found: tuple[RecipeFile, ...]) -> PartSource:
        """Return the source of a part that shows files of one kind."""
        present = [one for one in found if one.document]
        if not present:
            return self._absent(slot, found[0])
        materials = [
            read_file(
                one.document,
                one.templates,
                one.path,
                self._entry_view(slot, one),
                self.checks,
                self.files.template_lines(one),
            )
            for one in present
            if one.document
        ]
        older = [OmittedItem(one.path, line + 1, "", "view") for one in present for line in one.blank]
        material = _merged(materials)
        material = material._replace(left=(*material.left, *older))
        template = present[-1].templates[0]
        only, without = (names(some, present[-1].templates) for some in (slot.only, slot.without))
        source = part_source(material, slot, template.view, self.markers, only, without, self._titles(slot.source))
        if not source.material.items:
            # a file counts as empty if none of its lines is shown
            notes = self._localized(slot.empty, slot.sparse, slot.note) if slot.empty else ()
            return self._note_source(source.material._replace(notes=notes), slot, "empty")
        few = len(source.material.items) < slot.few
        notes = self._localized(slot.near if _is_near_limit(present[-1]) else {}, slot.sparse if few else {}, slot.note)
        return source._replace(material=source.material._replace(notes=notes))

    def _absent(self, slot: RecipePart, found: RecipeFile) -> PartSource:
        """Return the source of a part whose file is missing or cannot be read."""
        notes = self._localized(slot.missing, slot.note) if found.why == "missing" else ()
        left = () if found.why in ("missing", "off") else (OmittedItem(found.path, 0, "", found.why),)
        return self._note_source(Material(left=left, notes=notes), slot, found.why)

    def _identity(self, slot: RecipePart) -> PartSource:
        """Return the short text of an identity file."""
        found = self.files.find(slot.source, slot.owner)
        present = [one for one in found if one.document]
        if not present:
            return self._absent(slot, found[0])
        parts = CompiledParts(self.config, self.files, self.checks)
        return self._short(slot, [parts.material(slot, one) for one in present])

    def _persona(self, slot: RecipePart) -> PartSource:
        """Return the persona: the text of the request, the file that it names, and what the user has asked for."""
        given = self._text(slot)
        parts = CompiledParts(self.config, self.files, self.checks)
        materials = parts.personas(self.request.persona, self.files.find(slot.source, slot.owner))
        if given.material.items:
            materials.insert(0, given.material)
        return self._short(slot, materials) if materials else self._note_source(Material(), slot, "missing")

    def _short(self, slot: RecipePart, materials: list[Material]) -> PartSource:
        material = _merged(materials)
        if not material.items:
            notes = self._localized(slot.empty, slot.sparse, slot.note) if slot.empty else ()
            return self._note_source(material._replace(notes=notes), slot, "empty")
        few = len(material.items) < slot.few
        notes = self._localized(slot.sparse if few else {}, slot.note)
        return PartSource(material._replace(notes=notes), cut=slot.cut or "top")

    def _entry_view(self, slot: RecipePart, found: RecipeFile) -> EntryView:
        """Return what to show of a file's entries, with the expired ones and the current step."""
        document = found.document or parse(b"")
        current = read_todo(document, found.templates[0]).current if slot.cut == "around" else None
        shown_sources = _with_newest(document, *self._shown_runs) if slot.once else frozenset()
        focus = current.entry.line if current else None
        outdated = partial(self._outdated, found.path)
        return EntryView(slot.fields, slot.ids, slot.kept, _expired(self.config, found), focus, shown_sources, outdated)

    @cached_property
    def _outdated(self) -> Callable[[str, str], str]:
        """What is told of a line that no longer holds."""
        return waiting_corrections(self.config).told(self.config.lang)

    @cached_property
    def _shown_runs(self) -> tuple[frozenset[str], int]:
        """The tool runs that the part with the newest rounds shows, as sources, and how many have no id."""
        slot = next((one for one in self.recipe.slots if one.source == "recent"), None)
        if slot is None:
            return frozenset(), 0
        chat = self._current_chat
        _, recent = split(chat.turns, slot.rounds or self._keep_rounds(slot), chat.condensed)
        shown = newest_runs(recent, inputs.limits(slot), chat.before, self.request.counter)
        named = [runs_of(turn.text) for turn in shown]
        return frozenset(run for one in named for run in one), sum(not one for one in named)

    def _note_source(self, material: Material, slot: RecipePart, why: str) -> PartSource:
        return PartSource(material, "" if material.notes else why, cut=slot.cut or "head")

    def _localized(self, *words: Words) -> tuple[str, ...]:
        return tuple(in_language(one, self.lang) for one in words if one)

    def _titles(self, source: str) -> int:
        """Return the characters of the titles of all parts that show a file."""
        slots = [slot for slot in self.recipe.slots if slot.source == source]
        return sum(slot.level + len(slot.titled(self.lang)) + 3 for slot in slots)

    def _text(self, slot: RecipePart) -> PartSource:
        argument = self.request.texts.get(slot.name, "")
        path, text = ("", argument) if argument else find_prompt(self.files, slot.name, self.lang)
        self.refs[slot.name] = path
        clean = without_residue(self.checks.clean(mask(text, comments(text), ""))).strip("\n")
        return _plain(clean, slot, path) if clean.strip() else PartSource(why="missing")

    def _chat(self, slot: RecipePart) -> PartSource:
        chat = self._current_chat
        keep = slot.rounds or self._keep_rounds(slot)
        window, recent = split(chat.turns, keep, chat.condensed)
        mark, newest = self.markers["code"] if slot.code_lines else "", slot.source == "recent"
        material = read_turns(
            recent if newest else window, chat.path, self.checks, inputs.limits(slot), count=self.request.counter,
            before=chat.before if newest else {}, code=mark, kept=newest,
        )  # fmt: skip
        first = chat.turns[0].number if chat.turns else 1
        if slot.source == "window" and first > chat.condensed + 1:  # older rounds, which were not read
            material = material._replace(left=(*material.left, OmittedItem(chat.path, first - 1, "", "rounds")))
        return PartSource(material, chat.why or ("" if material.items else "empty"), cut=slot.cut or "turns")

    @cached_property
    def _current_chat(self) -> inputs.CurrentChat:
        return inputs.current_chat(self.config, self.recipe, self.request)

    def _keep_rounds(self, slot: RecipePart) -> int:
        """Return how many rounds stay whole, from the part that shows them, or else from the template of sessions."""
        recent = next((one.rounds for one in self.recipe.slots if one.source == "recent"), slot.rounds)
        return recent or int(inputs.numbers(self.config)["keep_rounds"])

    def _sessions(self, slot: RecipePart) -> PartSource:
        limit = slot.rounds or int(inputs.numbers(self.config)["own_sessions"])
        found, why = inputs.own_sessions(self.config, self.request.agent, limit)
        material = read_sessions(found, inputs.titles(self.config), self.checks)
        return PartSource(material, why or ("" if found else "missing"), cut=slot.cut or "turns")

    def _recall(self, slot: RecipePart) -> PartSource:
        if not self.config.settings.memory.enabled:
            return PartSource(why="off")
        query, recent, is_asked = self.request.query, self._current_chat.turns, bool(self.request.query)
        if not is_asked and self.request.rounds and recent and recent[-1].role == "user":
            *before, last = recent
            query, recent = last.text, tuple(before)
        if not query.strip():
            return PartSource(why="missing")
        said, room = tuple(turn.text for turn in recent), slot.tokens or self.recipe.budget
        # what a user says need not ask the memory anything
        recalled = self.request.recall(query, said, room, not is_asked)
        found = joined(fact_block(self.config, query[: self.config.settings.search.query_chars]), recalled or "")
        if not found and recalled is None:
            return PartSource(why="unknown")
        clean = without_residue(self.checks.clean(mask(found, comments(found), "")))
        return _lines(clean, slot, recalled=True) if clean.strip() else PartSource(why="empty")

    def _standing_rules(self, slot: RecipePart) -> PartSource:
        """Return the rules that the user has set."""
        if not self.config.settings.memory.enabled:
            return PartSource(why="off")
        material = self._rules
        return PartSource(material, "" if material.items else "empty", cut=slot.cut or "top")

    @cached_property
    def _rules(self) -> Material:
        rules = StandingRules(self.config, self.files, self._plain_material, self.checks, self.request.folder)
        return rules.read(_FILLED_BY["standing"])

    def _plain_material(self, found: RecipeFile) -> Material:
        """Return what a pack may show of a file, whatever the part."""
        assert found.document is not None
        view = EntryView(("type",), expired=_expired(self.config, found))
        lines = self.files.template_lines(found)
        return read_file(found.document, found.templates, found.path, view, self.checks, lines)

    def _knowledge(self, slot: RecipePart) -> PartSource:
        """Return the pieces of knowledge that the task names, that its plan runs, or that fit it."""
        if not self.config.settings.memory.enabled:
            return PartSource(why="off")
        return self._task_knowledge.source(slot, running=slot.source == "plan_knowledge")

    @cached_property
    def _task_knowledge(self) -> TaskKnowledge:
        chat = self._current_chat.turns if self.request.rounds else ()
        said = next((turn.text for turn in reversed(chat) if turn.role == "user"), "")
        return TaskKnowledge(self.config, self.request, self.request.query or said, self.checks)

    def _result(self, slot: RecipePart) -> PartSource:
        return inputs.current_result(self.config, self.files, self.request, slot, self.checks)

    def state(self) -> dict[str, Any]:
        """Return the state in the format of G046."""
        numbers = {"keep_rounds": int(inputs.numbers(self.config)["keep_rounds"])}
        refs = {name: self.refs.get(name) or find_prompt(self.files, name, self.lang)[0] for name in _REFS}
        return read_state(read_kinds(self.config, self.files), refs, numbers, self.checks)


def read_kinds(config: WorkspaceConfig, files: RecipeFiles) -> dict[str, Kind]:
    """Return the files that the state is read from."""
    found = {kind: files.find(kind, owner)[-1] for kind, owner in _STATE.items()}
    return {
        kind: Kind(one.path, one.document, one.templates[0], files.digests.get(one.path, ""), _expired(config, one))
        for kind, one in found.items()
    }


def _expired(config: WorkspaceConfig, found: RecipeFile) -> frozenset[int]:
    """Return the lines (0-based) of a file's expired entries."""
    if found.document is None:
        return frozenset()
    template, today = found.templates[0], config.today
    sessions = session_days(config) if template.parts.get("ttl") else ()
    return frozenset(entry.line for entry in expired(found.document, template, today, sessions))


def _with_newest(document: Document, shown_sources: frozenset[str], unnamed: int) -> frozenset[str]:
    """Return the sources, with those of the newest notes about tool runs added for the runs without an id."""
    fields = (entry.parts.field("source") for entry in reversed(document.entries)) if unnamed else ()
    others = (field.value.strip() for field in fields if field and field.value.strip().startswith("tool:"))
    return shown_sources | frozenset(islice((source for source in others if source not in shown_sources), unnamed))


def _is_near_limit(found: RecipeFile) -> bool:
    """Return whether a file is near the limit of its kind (P029)."""
    limits = found.templates[0].file
    if found.document is None or limits.max_chars is None or limits.warn_ratio is None:
        return False
    return size(found.document).chars >= limits.max_chars * limits.warn_ratio


def _merged(materials: list[Material]) -> Material:
    """Return the material of several files as one, such as an agent's own file after the workspace's."""
    groups: list[MaterialGroup] = []
    items: list[MaterialItem] = []
    for material in materials:
        begin = len(groups)
        groups += (
            group._replace(parent=None if group.parent is None else group.parent + begin) for group in material.groups
        )
        items += (item._replace(group=item.group + begin) for item in material.items)
    return Material(tuple(groups), tuple(items), tuple(left for one in materials for left in one.left))


def _plain(text: str, slot: RecipePart, path: str) -> PartSource:
    """Return the source of a text that is not a memory file, cut between lines if necessary."""
    lines = [MaterialItem(piece, 0, 0, piece, separator, slot.kept) for separator, piece in pieces(text)]
    return PartSource(Material((MaterialGroup(path),), tuple(lines)), cut=slot.cut or "head")


def _lines(text: str, slot: RecipePart, *, recalled: bool = False) -> PartSource:
    """Return the source of a list, one item per line, the best line first; a recall has days above its lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    items = [
        MaterialItem(strip_fields(line, slot.fields, ids=slot.ids), 0, number, line,
                     repeats=recalled and line.startswith("- "), heads=recalled and not line.startswith("- "))
        for number, line in enumerate(lines, 1)
    ]  # fmt: skip
    return PartSource(Material((MaterialGroup(),), tuple(items)), cut=slot.cut or "head")


_ENDS = 3  # read this many views at the end of a file if entries about runs in the newest rounds are omitted


@lru_cache(maxsize=8)
def recipes(config: WorkspaceConfig) -> Recipes:
    """Return the recipes of a workspace: the shipped ones, then the user's, then the workspace's own over them."""
    name = digest(config.key_of("context"), RECIPES_FILE)
    tables = config.cache.get(name)
    if not isinstance(tables, dict):  # with unchanged files, no TOML is parsed
        shipped = Layer(shipped_recipes(), f"templates/{RECIPES_FILE}", trusted=True)
        files = ((config.user_settings, USER_SETTINGS, True), (config.own_settings, SETTINGS_FILE, config.trusted))
        layers = [shipped, *(Layer(data, path, trusted) for data, path, trusted in files if data is not None)]
        tables = read_tables(layers, config.schemas.kinds, shipped_boundary().factor)
        config.cache.put(name, tables)
    return build_recipes(tables)


def _ends(config: WorkspaceConfig, recipe: Recipe) -> dict[str, int]:
    """Return the kinds of which only the newest entries are shown, with the characters to read at a file's end."""
    found: dict[str, int] = {}
    for kind in config.schemas.kinds:
        slots = [slot for slot in recipe.slots if slot.source == kind]
        schema = config.schemas.get(kind)
        views = ((slot.max_chars or 0) * (_ENDS if slot.once else 1) for slot in slots)
        most = max([schema.file.max_chars or 0 if schema else 0, *views])
        rolls = slots or (schema and "milestones" in schema.parts)  # the state always shows these kinds
        if rolls and most and all(slot.cut == "newest" and slot.max_chars for slot in slots):
            found[kind] = most
    return found


def build_pack(config: WorkspaceConfig, name: str, request: PackRequest) -> Pack:
    """Return the pack of a recipe; see `Workspace.pack`."""
    if request.budget is not None and request.budget < 0:
        raise UsageError("a budget is a number of tokens, 0 or more")
    if request.agent is not None and ("/" in request.agent or is_unportable(f"{request.agent}.md", ("*",))):
        raise UsageError("no agent can be called `{agent}`", facts={"agent": request.agent})
    all_recipes = recipes(config)
    recipe = all_recipes.get(name)
    with Root(config.root) as root:
        files = RecipeFiles(config, root, request.agent, _ends(config, recipe))
        gatherer = Gatherer(config, files, all_recipes, recipe, request)
        sources, state = gatherer.sources(), gatherer.state()
    budget = recipe.budget if request.budget is None else request.budget
    counter = CachedTokenCounter(request.counter)
    make = partial(pack_sources, recipe, budget=budget, counter=counter, lang=config.lang, state=state)
    found = make(sources)
    if without_orders(found.text) != found.text:
        from mdmem.context.safe_text import safe_sources  # with the linter, for the few packs that need it

        found = make(safe_sources(config, sources))
    config.cache.save(complete=False)  # caches settings and templates
    return found


def state_kinds(config: WorkspaceConfig, name: str, agent: str | None) -> dict[str, Kind]:
    """Return the files of the state as a pack of a recipe reads them; for an unknown recipe, whole files."""
    recipe = recipes(config).recipes.get(name)
    with Root(config.root) as root:
        return read_kinds(config, RecipeFiles(config, root, agent, _ends(config, recipe) if recipe else {}))
