"""The functions of a piece of knowledge: their interface and their steps, and the inputs that no line declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mdmem.formats.task_plan import section_name
from mdmem.formats.template import Template, fold
from mdmem.text.document import Document, Entry, Section
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

INTERFACE = ("inputs", "outputs", "needs")  # words of the template's parts
_COMMA = pattern(r"[,，]")
_INPUT = pattern(r"(?<![${\\])\{([^{}\s]{1,60})\}(?!\})")  # `${x}` is of a shell, `{{x}}` of another template
_WORD = pattern(r"[^\W\d][\w-]*")


class FunctionInput(NamedTuple):
    """An input of a function."""

    name: str
    default: str | None  # None if it must be given


class FunctionStep(NamedTuple):
    """A step of a function, or of a plan that runs it."""

    depth: int  # 0 for the outermost
    text: str
    calls: bool = False  # it is a call that was not expanded: it is a call of itself, or too deep


class KnowledgeFunction(NamedTuple):
    """The interface of a function, and its steps."""

    name: str  # empty for the steps of the piece itself
    inputs: tuple[FunctionInput, ...]
    outputs: str
    needs: str  # the preconditions
    steps: tuple[FunctionStep, ...]

    def undeclared(self) -> tuple[str, ...]:
        """Return the inputs that it uses and that its interface does not declare."""
        texts = (self.outputs, self.needs, *(step.text for step in self.steps))
        return tuple(dict.fromkeys(match[1] for match in _undeclared(texts, self.inputs)))


class UndeclaredInput(NamedTuple):
    """An input in an item of a function that the function does not declare."""

    entry: Entry
    start: int  # in the text of the entry
    end: int
    name: str
    function: str


class _FunctionItems(NamedTuple):
    name: str
    interface: dict[str, str]
    labelled: list[Entry]  # the items of the interface but for the inputs
    steps: list[Entry]


def read_functions(document: Document, template: Template) -> tuple[KnowledgeFunction, ...]:
    """Return the functions of a piece: its own steps first, without a name, if it has any."""
    return tuple(
        KnowledgeFunction(
            one.name,
            tuple(read_inputs(one.interface["inputs"])),
            one.interface["outputs"],
            one.interface["needs"],
            tuple(FunctionStep(entry.depth, one_line(_without_box(entry))) for entry in one.steps),
        )
        for one in _functions(document, template)
    )


def undeclared_inputs(document: Document, template: Template) -> Iterator[UndeclaredInput]:
    """Yield the inputs that a function of a piece uses and does not declare, each with its place."""
    for one in _functions(document, template):
        inputs = tuple(read_inputs(one.interface["inputs"]))
        for entry in (*one.labelled, *one.steps):
            for match in _undeclared((entry.text,), inputs):
                yield UndeclaredInput(entry, *match.span(), match[1], one.name)


def _undeclared(texts: Iterable[str], inputs: tuple[FunctionInput, ...]) -> Iterator[re.Match[str]]:
    declared = {one.name for one in inputs}
    for text in texts:
        for match in _INPUT.finditer(text):
            if match[1] not in declared and _WORD.fullmatch(match[1]):
                yield match


def _functions(document: Document, template: Template) -> Iterator[_FunctionItems]:
    found = [_read_function("", section, template) for section in _named(document, template, "steps")]
    for section in _named(document, template, "functions"):
        at = document.sections.index(section)
        below = (one for one in document.sections[at + 1 :] if one.parent == at)
        found += [_read_function(one.title.strip("` "), one, template) for one in below]
    return (one for one in found if one.steps)


def _named(document: Document, template: Template, part: str) -> Iterator[Section]:
    name = section_name(template, part)
    return (one for one in document.sections if name and template.named(one) == name)


def _read_function(name: str, section: Section, template: Template) -> _FunctionItems:
    found = _FunctionItems(name, dict.fromkeys(INTERFACE, ""), [], [])
    outer_is_step = False
    for entry in section.entries:
        key, value = ("", "") if entry.depth else _labelled(entry, template)
        if key:
            found.interface[key] = value
        if key and key != INTERFACE[0]:
            found.labelled.append(entry)
        if not entry.depth:
            outer_is_step = not key
        if outer_is_step:
            found.steps.append(entry)
    return found


def _labelled(entry: Entry, template: Template) -> tuple[str, str]:
    """Return the part of the interface that an item is, and its value; both empty for a step."""
    label, sign, value = entry.text.replace("：", ":", 1).partition(":")
    named = (key for key in INTERFACE if fold(label) in {fold(word) for word in template.parts.get(key, ())})
    key = next(named, "") if sign and not entry.ordered else ""
    return key, one_line(value).strip() if key else ""


def _without_box(entry: Entry) -> str:
    box = entry.parts.checkbox
    return entry.text[box.end if box else 0 :].strip()


def read_inputs(text: str) -> Iterator[FunctionInput]:
    """Read `name, name = value`, as the line about inputs has it."""
    for part in _COMMA.split(text):
        name, sign, value = part.partition("=")
        if name.strip("`{} \t"):
            yield FunctionInput(name.strip("`{} \t"), value.strip("` \t\"'") if sign else None)


def is_input(text: str) -> bool:
    """Return whether a text declares one input: `name` or `name = value`."""
    found = list(read_inputs(text))
    return len(found) == 1 and bool(_WORD.fullmatch(found[0].name)) and text.isprintable()


def inputs_of(steps: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the inputs that steps use, each once."""
    return tuple(dict.fromkeys(match[1] for match in _undeclared(steps, ())))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its inputs filled in; braces that name no input stay."""
    return _INPUT.sub(lambda match: values.get(match[1], match[0]), text) if values else text
