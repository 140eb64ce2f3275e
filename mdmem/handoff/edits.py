"""Write the text of a handoff within its limit. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mdmem.formats.template import Template
from mdmem.handoff.model import LEFT, SOURCES, TAKEN, HandoffLine, HandoffPart
from mdmem.messages.catalog import say
from mdmem.text.yaml.post import new_file


class HandoffText:
    """The text of one handoff: as many lines of each part as find room; the others are counted below them."""

    def __init__(self, template: Template, front: Mapping[str, str], parts: Sequence[HandoffPart]) -> None:
        self._template, self._front, self._parts = template, front, parts
        self._shown = [min(part.most, len(part.lines)) for part in parts]

    def fitted(self, withheld: Sequence[str]) -> str:
        """Return the text; while it is too long, the part with the most characters loses its last line.

        Args:
            withheld: the files of lines that may not be written.
        """
        most = self._template.file.max_chars
        while (text := self._text(withheld)) and most is not None and len(text) > most and any(self._shown):
            sizes = [sum(len(one.written) for one in lines) for lines in self._lines()]
            self._shown[sizes.index(max(sizes))] -= 1
        return text

    def _lines(self) -> list[tuple[HandoffLine, ...]]:
        """Return the lines of each part that are shown."""
        return [part.lines[:shown] for part, shown in zip(self._parts, self._shown, strict=True)]

    def _text(self, withheld: Sequence[str]) -> str:
        lang = self._template.lang
        rows: dict[str, list[str]] = {TAKEN: [f"[ ] {say(lang, 'handoff.taken-by', **self._front)}"]}
        for part, lines in zip(self._parts, self._lines(), strict=True):
            rows.setdefault(part.section, []).extend(one.written for one in lines)
        sources = self._sources()
        most = int(self._template.numbers["sources"])
        rows[SOURCES] = sources[:most]
        rows[LEFT] = [*self._left(withheld), *self._uncounted(len(sources) - most)]
        body = "".join(
            f"\n## {self._name(section)}\n\n{''.join(f'- {row}{chr(10)}' for row in found)}"
            for section, found in rows.items()
            if found
        )
        return new_file(self._front, f"# {say(lang, 'handoff.title', **self._front)}\n{body}")

    def _sources(self) -> list[str]:
        """Return a row for each source of the lines that are shown, with the sections that it proves."""
        lang, used, missing = self._template.lang, dict[str, dict[str, None]](), set[str]()
        for part, lines in zip(self._parts, self._lines(), strict=True):
            for one in lines:
                if one.source:
                    used.setdefault(one.source, {})[self._name(part.section)] = None
                    missing |= set() if one.found else {one.source}
        colon, comma = say(lang, "punctuation.colon"), say(lang, "punctuation.list")
        return [
            f"{source}{colon}{comma.join(names)}{say(lang, 'handoff.source-missing') if source in missing else ''}"
            for source, names in used.items()
        ]

    def _left(self, withheld: Sequence[str]) -> list[str]:
        """Return a row for each file of which lines are left out: how many, of what, and where they are."""
        lang, left = self._template.lang, Counter[tuple[str, str]]()
        for part, shown in zip(self._parts, self._shown, strict=True):
            left.update((self._name(part.section), one.file) for one in part.lines[shown:])
        rows = [say(lang, "handoff.left", count=count, section=name, path=file) for (name, file), count in left.items()]
        held = Counter(withheld)
        return rows + [say(lang, "handoff.withheld", count=count, path=file) for file, count in held.items()]

    def _uncounted(self, count: int) -> list[str]:
        lang = self._template.lang
        return [say(lang, "handoff.left-sources", count=count)] if count > 0 else []

    def _name(self, alias: str) -> str:
        return self._template.name(alias) or alias
