"""The types of the portrait: its files, and the line that a fact becomes. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

from mdmem.entries.edits.generated import BlockSpec

PortraitTarget: TypeAlias = Literal["memory", "user", "persona"]
TARGETS: tuple[PortraitTarget, ...] = get_args(PortraitTarget)

FIELD = "fact"  # the field of a generated line that names its fact
NOTES, BASICS, PREFERENCES, PROJECTS, OTHERS = "notes", "basics", "preferences", "projects", "about"
STACK, ENVIRONMENT, TRAITS = "tech stack", "working environment", "traits"


class PortraitSpec(NamedTuple):
    """One file of the portrait."""

    kind: str  # of the file
    blocks: BlockSpec
    path: str = ""  # of the file; empty for the one file of the kind


# The sections are named by aliases that the templates of both languages have (K134, K149, K151).
SPECS: dict[PortraitTarget, PortraitSpec] = {
    "memory": PortraitSpec("memory", BlockSpec("core", (NOTES,), field=FIELD)),
    "user": PortraitSpec(
        "user", BlockSpec("user", (BASICS, PREFERENCES, STACK, ENVIRONMENT, PROJECTS, OTHERS), field=FIELD)
    ),
    "persona": PortraitSpec("persona", BlockSpec("persona", (TRAITS,), field=FIELD), "personas/user_custom.md"),
}
