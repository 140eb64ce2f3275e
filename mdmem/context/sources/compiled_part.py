"""The parts that show identity files: compiled texts, or what the rules make of the sources; no model is asked."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import get_args

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.inputs import RecipeFile, RecipeFiles
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem
from mdmem.context.read_file import EntryView, read_file
from mdmem.context.recipe import RecipePart
from mdmem.entries.kind_files import in_identity
from mdmem.errors import UsageError
from mdmem.formats.paths import is_owner_name
from mdmem.identity.model import SPECS, CompileTarget, IdentityText
from mdmem.identity.read import compiled_path, identity_rules, is_by_model, read_compiled
from mdmem.messages.catalog import say
from mdmem.text.document import Document

_FOLDER = "personas"
_FACT = "fact"  # the field of a line that was made from one
_OWN: CompileTarget = "persona"
_RULE = 1e6  # what a rule is worth above a value; more than the characters of a line
_ASIDE = ("hidden", "placeholder")  # reasons for omitted items that the rules do not tell


class CompiledParts:
    """Reads the identity files of one pack."""

    def __init__(self, config: WorkspaceConfig, files: RecipeFiles, checks: ContentChecks) -> None:
        self._config, self._files, self._checks = config, files, checks

    def material(self, slot: RecipePart, found: RecipeFile) -> Material:
        """Return the short text of a file."""
        target = next(one for one in get_args(CompileTarget) if one == slot.compiled)
        return self._material(target, found)

    def personas(self, name: str, found: tuple[RecipeFile, ...]) -> list[Material]:
        """Return the persona with a name, and then what the user has asked for; `found` are the files of the kind.

        Raises:
            UsageError: there is neither a file for the persona, nor are there weights of it for recall.
        """
        templates = found[0].templates
        own = in_identity(self._config.root, SPECS[_OWN].path)
        folder, own = os.path.dirname(own), self._config.whose.place(own)
        paths = [own] if self._config.settings.memory.enabled else []
        if name and f"{folder}/{name}.md" != own:
            paths.insert(0, f"{folder}/{name}.md")
        materials = []
        for path in paths if not name or is_owner_name(name) else ():
            document = self._files.read(path)
            if isinstance(document, Document):
                schema = self._config.schemas.match(path, document)
                schemas = (schema, *(one for one in templates if one is not schema)) if schema else templates
                materials.append(self._material(_OWN, RecipeFile(path, document, schemas), is_preset=path != own))
            elif path != own:
                self._require_weights(name)
        if name and not is_owner_name(name):
            self._require_weights(name)
        return materials

    def _require_weights(self, name: str) -> None:
        from mdmem.search.rank import persona_weights  # a persona without a file is rare

        if persona_weights(self._config.settings.recall.persona, name):
            return
        names: list[str] = []
        with suppress(OSError):
            names = [
                one.removesuffix(".md")
                for one in os.listdir(os.path.join(self._config.root, in_identity(self._config.root, _FOLDER)))
            ]
        lang, listed = self._config.lang, ", ".join(sorted(filter(is_owner_name, names)))
        hint = say(lang, "identity.persona.hint", names=listed or "—")
        raise UsageError(say(lang, "identity.persona", name=name[:40]), hint=hint)

    def _material(self, target: CompileTarget, found: RecipeFile, *, is_preset: bool = False) -> Material:
        assert found.document is not None
        config, path = self._config, found.path
        compiled = None if is_preset else self._files.read(compiled_path(path, target))
        digest = self._files.digests.get(path, "")
        is_model = False
        if isinstance(compiled, Document) and (is_model := is_by_model(compiled, digest)):
            text = read_compiled(config, compiled, found.templates)
        else:
            text = identity_rules(config).read(found.document, found.templates, SPECS[target])
        whole = read_file(
            found.document, found.templates, path, EntryView(), self._checks, self._files.template_lines(found)
        )
        left = tuple(one for one in whole.left if one.why in _ASIDE)
        made = frozenset(one.line + 1 for one in found.document.entries if one.parts.field(_FACT))
        return _material(text, path, left, frozenset() if is_model else made, has_lines=not is_model)


def _material(
    text: IdentityText, path: str, left: tuple[OmittedItem, ...], made: frozenset[int], *, has_lines: bool
) -> Material:
    """Return a text as material; of a compiled text the lines of the source are not known.

    `made` are the numbers of the lines that were made from facts.
    """
    groups = tuple(
        MaterialGroup(path, one.title, one.level if one.has_heading else 0, "", one.parent) for one in text.sections
    )
    items: list[MaterialItem] = []
    gone: list[OmittedItem] = []
    for index, section in enumerate(text.sections):
        for line in section.lines:
            number = line.line if has_lines else 0
            if line.why:
                gone.append(OmittedItem(path, number, line.item, line.why))
                continue
            # as in `choose`: long rules, then long values; of other lines the first ones
            worth = len(line.text) + _RULE * (not line.is_value) if line.kept else 1 / (2 + len(items))
            item = MaterialItem(line.item, index, number, line.item, kept=line.kept, importance=worth)
            item = MaterialItem(line.item, index, number, line.item, kept=line.kept, importance=worth)
            items.append(item._replace(position=len(items), repeats=number in made))
    return Material(groups, tuple(items), (*left, *gone))
