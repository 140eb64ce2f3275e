"""What is written above the turns when a session ends, and when something was taken from it: as edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mdmem.formats.session import Turn, escape, part_span, turns_start
from mdmem.formats.template import Template
from mdmem.formats.tool_turn import ToolRun, read_tool_run
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.yaml_source import scalar


def set_values(document: Document, values: Mapping[str, str | int]) -> tuple[Edit, ...]:
    """Set keys of the front matter, each its whole line; one that is not there comes last.

    A file without front matter is left as it is: nothing is added to what another program wrote.
    """
    return tuple(_lines(document, values)) if document.front_matter else ()


def _lines(document: Document, values: Mapping[str, str | int]) -> Iterator[Edit]:
    front, ending = document.front_matter, document.lines.ending
    assert front is not None
    for key, value in values.items():
        node = front.node(key)
        line = f"{key}: {scalar(value)}".rstrip()
        if node is None or node.key is None:
            yield Edit.insert(front.yaml.end, line + ending)
        else:
            first, last = document.lines.at(node.key.start), document.lines.at(max(node.key.start, node.span.end - 1))
            yield Edit.replace(document.lines.start(first), document.lines.end(last), line)


def set_part(document: Document, template: Template, name: str, text: str) -> tuple[Edit, ...]:
    """Put a text below one of the headings above the turns; the heading is made where a person has removed it."""
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
    """Give what is appended for a turn: a blank line, its heading, a blank line, its text."""
    return f"\n### {number} {speaker} {time}\n\n{escape(text, template)}\n"


def speaker(role: str, template: Template) -> str:
    """Give the word that stands in a heading for a role, in the template's language."""
    return template.parts.get(role, (role,))[0]


def session_text(template: Template, title: str, values: Mapping[str, str | int], request: str) -> str:
    """Give a new session: the given front matter, the request, and the other headings, that of the turns last."""
    keys = "".join(f"{key}: {scalar(values[key])}".rstrip() + "\n" for key in template.front_matter if key in values)
    asked, last = template.name("request"), template.name("turns")
    names = [spec.name for spec in template.sections if spec.name != last]
    parts = [f"## {name}\n\n{escape(request, template)}\n\n" if name == asked and request else f"## {name}\n\n"
             for name in names]  # fmt: skip
    return f"---\n{keys}---\n# {template.parts['title'][0]}: {title}\n\n{''.join(parts)}## {last}\n"


def metadata(template: Template, minutes: int, turns: Sequence[Turn], tools: Counter[str]) -> str:
    """Give the three lines of the metadata: how long, how many rounds, which tools how often."""
    word = {key: template.parts[key][0] for key in ("duration", "rounds", "tools", "minutes")}
    counts = ", ".join(f"{name}({count})" for name, count in tools.most_common()) or "-"
    rounds = len({turn.number for turn in turns})
    return (
        f"- {word['duration']}: {minutes} {word['minutes']}\n- {word['rounds']}: {rounds}\n- {word['tools']}: {counts}"
    )


def tools_of(turns: Iterable[Turn]) -> Counter[str]:
    """Count the tools that were run, by the name that a tool's turn begins with; a later result is no run."""
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


def is_result_of(run: ToolRun, waiting: Mapping[str, int]) -> bool:
    """Tell whether a tool turn is the result of a call that was recorded before it; `waiting` counts these by tool."""
    return not run.input and run.ok is not None and waiting.get(run.tool, 0) > 0
