"""The name and the slots of the prompt with which a model is asked to condense a file. Pure."""

from __future__ import annotations

from mdmem.keeper.condensing.roll_up import rolls
from mdmem.keeper.condensing.sections import keeper_sections
from mdmem.keeper.model import CompactionTask

NAMES = ("fastmemo_compact", "memory_tidy", "notebook_roll")


def name_of(task: CompactionTask) -> str:
    """Return the name of the prompt that a task needs."""
    if task.compacts:
        return "fastmemo_compact"
    return "notebook_roll" if "milestones" in task.template.parts else "memory_tidy"


def values(task: CompactionTask) -> dict[str, str]:
    """Return the values of a prompt's slots for a file."""
    found = keeper_sections(task)
    file = task.template.file
    settings = task.scorer.settings
    share = settings.roll_to if rolls(task) else settings.tidy_to
    goal = round(share * file.max_chars) if file.max_chars else len(task.document.text)
    return {
        "file": task.document.text[task.document.start :].strip("\n"),
        "path": task.path,
        "today": task.today.isoformat(),
        "max_chars": str(goal),
        "sections": "\n".join(
            f"- {section.name}: {len(section.entries)}"
            f" → {min(len(section.entries), section.compact_to + len(section.fixed))} (≤ {section.max_chars or goal})"
            for section in found
            if not (task.compacts and section.is_small_enough)
        ),
        "settled": ", ".join(section.name for section in found if task.compacts and section.is_small_enough) or "—",
        "kept": "\n".join(f"- {text}" for section in found for text in section.verbatim) or "—",
    }
