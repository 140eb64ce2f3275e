"""Restricts a workspace's own templates, which may be part of a folder from somebody else.

No template of a workspace exempts a file from the safety rules. A template that requires no confirmation, although a
shipped one does, is used only if the user trusts the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from mdmem.formats.template import Schemas, Template

_CONFIRM = ("none", "agent", "user")  # the weakest first
LENIENT = ("artifact", "session", "soul", "agent")  # kinds for which a safety rule makes an exception


def limited(own: Iterable[Template], shipped: Schemas, *, trusted: bool) -> list[Template]:
    """Return the templates with their restrictions; one that only names files of another kind is left out."""
    found = (_safe(template, shipped) for template in own)
    return [template if trusted else _asking(template, shipped) for template in found if template.files]


def loosened(own: Iterable[Template], shipped: Schemas) -> dict[str, str]:
    """Return the templates that need trust, with their `confirm`: less confirmation than a shipped one requires."""
    return {one.path: f"confirm: {one.confirm}" for one in own if one.confirm != _asking(one, shipped).confirm}


def _safe(template: Template, shipped: Schemas) -> Template:
    """Remove files that a lenient kind would take from other kinds, and a raw body that no shipped kind has."""
    ours = list(shipped.languages(template.kind).values())
    if template.kind in LENIENT:
        known = {name for one in ours for name in one.files}
        template = template._replace(files=tuple(name for name in template.files if name in known))
    raw = any(one.body == "raw" for one in ours) and template.kind in LENIENT
    return template if raw else template._replace(body="markdown")


def _asking(template: Template, shipped: Schemas) -> Template:
    """Raise a template's confirmation to that of the shipped templates of its kind or of its files."""
    asked = [template.confirm]
    for kind in shipped.kinds:
        for one in shipped.languages(kind).values():
            same = kind == template.kind or any(_meet(a, b) for a in template.files for b in one.files)
            asked += [one.confirm] if same else []
    return template._replace(confirm=max(asked, key=_CONFIRM.index))


def _meet(one: str, other: str) -> bool:
    """Return True if two patterns may name the same file: one matches the other, or the end of it."""
    return fnmatchcase(f"/{one}", f"*/{other}") or fnmatchcase(f"/{other}", f"*/{one}")
