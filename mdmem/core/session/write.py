"""The text of a session: one turn, a new file, and what its end says (D035)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mdmem.core.pattern import pattern
from mdmem.core.session.escape import escape
from mdmem.core.session.turn import Turn
from mdmem.core.template import Template
from mdmem.core.yaml import scalar

_TOOL = pattern(r"[A-Za-z_][A-Za-z0-9_./-]{0,63}(?![^\s:])")


def turn_text(number: int, speaker: str, time: str, text: str, template: Template) -> str:
    """Give what is appended for a turn: a blank line, its heading, a blank line, its text."""
    return f"\n### {number} {speaker} {time}\n\n{escape(text, template)}\n"


def speaker(role: str, template: Template) -> str:
    """Give the word that stands in a heading for a role, in the template's language."""
    return template.parts.get(role, (role,))[0]


def session_text(template: Template, title: str, values: Mapping[str, str | int], request: str) -> str:
    """Give a new session: front matter, request, and the template's other headings, that of the turns last."""
    keys = "".join(f"{key}: {scalar(values.get(key, ''))}".rstrip() + "\n" for key in template.front_matter)
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
    """Count the tools that were run, by the name that a tool's turn begins with."""
    found = (_TOOL.match(turn.text) for turn in turns if turn.role == "tool")
    return Counter(match[0] for match in found if match)
