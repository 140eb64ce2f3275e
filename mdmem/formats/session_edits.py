"""Edits of the parts above the turns of a session, and the text of new sessions and turns."""

# `post` is imported only if front matter is written: a turn is recorded without YAML.
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mdmem.formats.session import Turn, escape, part_span, turns_start
from mdmem.formats.template import Template
from mdmem.formats.tool_turn import ToolRun, read_tool_run
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

if TYPE_CHECKING:
    from mdmem.text.yaml.post import FrontValue


def set_values(document: Document, values: Mapping[str, FrontValue]) -> tuple[Edit, ...]:
    """Return the edits that set keys of the front matter, each in its own line; new keys come last.

    A file without front matter is not changed, because another program wrote it.
    """
    return tuple(_lines(document, values)) if document.front_matter else ()


def _lines(document: Document, values: Mapping[str, FrontValue]) -> Iterator[Edit]:
    from mdmem.text.yaml.post import front_line

    front, ending = document.front_matter, document.lines.ending
    assert front is not None
    for key, value in values.items():
        node = front.node(key)
        line = front_line(key, value)
        if node is None or node.key is None:
            yield Edit.insert(front.yaml.end, line + ending)
        else:
            first, last = document.lines.at(node.key.start), document.lines.at(max(node.key.start, node.span.end - 1))
            yield Edit.replace(document.lines.start(first), document.lines.end(last), line)


def append_part(document: Document, template: Template, name: str, lines: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that append lines to a part above the turns; a missing heading is added."""
    at = turns_start(document.text, template)
    head = parse(document.text[:at].encode("utf-8", "surrogateescape"))
    ending = document.lines.ending
    written = "".join(line + ending for line in lines)
    span = part_span(head, template, name)
    if span is None:
        end = len(document.text) if at is None else document.lines.start(document.lines.at(at))
        joint = "" if end == 0 or document.text[end - 1] in "\r\n" else ending
        return (Edit.insert(end, f"{joint}## {template.name(name)}{ending}{ending}{written}{ending}"),)
    body = span.of(head.text)
    filled = body.rstrip(" \t\r\n")
    if not filled.strip():
        return (Edit(span, f"{ending}{written}{ending}"),)
    begin = span.start + len(filled)
    is_list = head.text[:begin].rpartition("\n")[2].lstrip()[:2] in ("- ", "* ", "+ ")
    return (Edit(Span(begin, span.end), f"{ending if is_list else ending * 2}{written}{ending}"),)


def set_part(document: Document, template: Template, name: str, text: str) -> tuple[Edit, ...]:
    """Return the edits that set the text below a heading above the turns; a missing heading is added."""
    at = turns_start(document.text, template)
    head = parse(document.text[:at].encode("utf-8", "surrogateescape"))
    written = f"\n{escape(text, template)}\n\n" if text else "\n"
    span = part_span(head, template, name)
    if span is None:
        end = len(document.text) if at is None else document.lines.start(document.lines.at(at))
        joint = "" if end == 0 or document.text[end - 1] in "\r\n" else "\n"
        return (Edit.insert(end, f"{joint}## {template.name(name)}\n{written}"),)
    return (Edit(span, written),)


_TOOL = pattern(r"[A-Za-z_][A-Za-z0-9_./-]{0,63}(?![^\s:])")


def turn_text(number: int, speaker: str, time: str, text: str, template: Template) -> str:
    """Return the text to append for a turn: a blank line, its heading, a blank line, its text."""
    return f"\n### {number} {speaker} {time}\n\n{escape(text, template)}\n"


def speaker(role: str, template: Template) -> str:
    """Return the word for a role in headings, in the template's language."""
    return template.parts.get(role, (role,))[0]


def session_text(template: Template, title: str, values: Mapping[str, FrontValue], request: str) -> str:
    """Return the text of a new session: front matter, request, and the other headings, that of the turns last."""
    from mdmem.text.yaml.post import new_file

    asked, last = template.name("request"), template.name("turns")
    names = [spec.name for spec in template.sections if spec.name != last]
    parts = [f"## {name}\n\n{escape(request, template)}\n\n" if name == asked and request else f"## {name}\n\n"
             for name in names]  # fmt: skip
    head = {key: values[key] for key in template.front_matter if key in values}
    return new_file(head, f"# {template.parts['title'][0]}: {title}\n\n{''.join(parts)}## {last}\n")


def metadata(template: Template, minutes: int, turns: Sequence[Turn], tools: Counter[str]) -> str:
    """Return the three lines of the metadata: duration, rounds, tools with their counts."""
    word = {key: template.parts[key][0] for key in ("duration", "rounds", "tools", "minutes")}
    counts = ", ".join(f"{name}({count})" for name, count in tools.most_common()) or "-"
    rounds = len({turn.number for turn in turns})
    return (
        f"- {word['duration']}: {minutes} {word['minutes']}\n- {word['rounds']}: {rounds}\n- {word['tools']}: {counts}"
    )


def tools_of(turns: Iterable[Turn]) -> Counter[str]:
    """Count the tool runs by tool, from the beginnings of tool turns; a later result is not a run."""
    counts, waiting = Counter[str](), Counter[str]()
    for turn in turns:
        run = read_tool_run(turn.text) if turn.role == "tool" else None
        if run and is_result_of(run, waiting):
            waiting[run.tool] -= 1
        elif run:
            counts[run.tool] += 1
            waiting[run.tool] += run.ok is None
        elif turn.role == "tool" and (match := _TOOL.match(turn.text)):
            counts[match[0]] += 1
    return counts


def tool_runs(turns: Sequence[Turn]) -> tuple[tuple[int, ToolRun], ...]:
    """Return the tool runs of some turns, each with the index of the turn that ends it.

    A call and the result that was recorded after it are one run: the result completes the oldest call of its tool in
    the same round that has none yet.
    """
    found: dict[int, tuple[int, ToolRun]] = {}  # by the turn with the call
    calls: dict[tuple[int, str], list[int]] = {}
    for index, turn in enumerate(turns):
        run = read_tool_run(turn.text) if turn.role == "tool" else None
        if run is None:
            continue
        waiting = calls.setdefault((turn.number, run.tool), [])
        if is_result_of(run, {run.tool: len(waiting)}):
            begun = waiting.pop(0)
            found[begun] = index, run._replace(input=found[begun][1].input)
            continue
        found[index] = index, run
        if run.ok is None:
            waiting.append(index)
    return tuple(found.values())


def is_result_of(run: ToolRun, waiting: Mapping[str, int]) -> bool:
    """Return whether a tool turn is the result of an earlier call; `waiting` counts the open calls by tool."""
    return not run.input and run.ok is not None and waiting.get(run.tool, 0) > 0
