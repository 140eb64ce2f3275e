"""Fills a prompt's template with what one task needs: the whole file, its sections, what must stay word for word."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.core.pattern import pattern
from mdmem.errors import ConfigError
from mdmem.keeper.area import areas
from mdmem.keeper.chat import Chat
from mdmem.keeper.plan import Task
from mdmem.keeper.roll import rolls

CHAT = "context_compact"
NAMES = ("fastmemo_compact", "memory_tidy", "notebook_roll", CHAT)
_FILE = "file"
_SLOT = pattern(r"\{\{ *([a-z_]+) *\}\}")
_COMMENT = pattern(r"(?s)\A\s*<!--.*?-->\s*")


def name_of(task: Task) -> str:
    """Give the name of the prompt that a task needs."""
    if task.compacts:
        return "fastmemo_compact"
    return "notebook_roll" if "milestones" in task.template.parts else "memory_tidy"


def fill(text: str, values: Mapping[str, str], path: str) -> str:
    """Put values into a prompt's slots, `{{file}}` and the like; the comment on top is for its reader only.

    Raises:
        ConfigError: a slot has an unknown name, or `{{file}}` is missing; `path` names the template.
    """
    body = _COMMENT.sub("", text, count=1)
    named = [match.group(1) for match in _SLOT.finditer(body)]
    for name in named:
        if name not in values:
            raise ConfigError(f"unknown slot `{{{{{name}}}}}`", path=path, hint=f"slots: {', '.join(sorted(values))}")
    if _FILE not in named:
        raise ConfigError("the prompt has no slot `{{file}}`", path=path, hint="the model must see the whole file")
    return _SLOT.sub(lambda match: values[match.group(1)], body).strip() + "\n"


def values(task: Task) -> dict[str, str]:
    """Give what a prompt may ask for, of one task."""
    found = areas(task)
    file = task.template.file
    settings = task.weigher.settings
    share = settings.roll_to if rolls(task) else settings.tidy_to
    goal = round(share * file.max_chars) if file.max_chars else len(task.document.text)
    return {
        _FILE: task.document.text[task.document.start :].strip("\n"),
        "path": task.path,
        "today": task.today.isoformat(),
        "max_chars": str(goal),
        "sections": "\n".join(
            f"- {area.name}: {len(area.entries)} → {_left(area.compact_to, len(area.alone), len(area.entries))}"
            f" (≤ {area.max_chars or goal})"
            for area in found
            if not (task.compacts and area.is_settled)
        ),
        "settled": ", ".join(area.name for area in found if task.compacts and area.is_settled) or "—",
        "kept": "\n".join(f"- {text}" for area in found for text in area.verbatim) or "—",
    }


def chat_values(chat: Chat) -> dict[str, str]:
    """Give what a prompt may ask for, of a conversation."""
    tokens = f", ≤ {chat.max_tokens} tokens" if chat.max_tokens else ""
    return {
        _FILE: chat.source,
        "path": chat.path,
        "today": chat.weigher.today.isoformat(),
        "max_chars": str(min(part.max_chars for part in chat.parts)),
        "sections": "\n".join(
            f"- {part.name} ({f'≤ {part.lines} ' if part.lines else ''}× ≤ {part.max_chars}{tokens})"
            for part in chat.parts
        ),
        "settled": "—",
        "kept": "\n".join(f"- {text}" for text in chat.rules) or "—",
    }


def _left(most: int, alone: int, now: int) -> int:
    return min(now, most + alone)
