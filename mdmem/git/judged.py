"""Lints what one commit changes from another: errors that the older one does not have."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.git.checkout import Checkout
from mdmem.git.snapshot import changed_between
from mdmem.linter.known_findings import allowance, are_known, names_of
from mdmem.linter.service import verdicts
from mdmem.linter.sources import LintSource, is_judged
from mdmem.store.files import FileSnapshot
from mdmem.store.git.staged_files import object_contents
from mdmem.text.edit import Diagnostic

_SAFETY = "MM5"  # codes of rules about what a text does
_AT_ONCE = 100  # files that git is asked for in one call


def new_errors(config: WorkspaceConfig, path: str, before: bytes | None, after: bytes | None) -> list[Diagnostic]:
    """Return the errors in a new version of a file that the version before it does not have."""
    if not after or not is_judged(path, config.settings.lint):
        return []
    found = _errors(config, path, after)
    if not found or not before:
        return found
    older = _errors(config, path, before)
    known = allowance(zip(older, names_of(older, before), strict=True))
    flags = are_known(found, names_of(found, after), known)
    return [one for one, is_known in zip(found, flags, strict=True) if not is_known]


def is_unsafe(one: Diagnostic) -> bool:
    """Return whether a finding is a secret, hidden text or an instruction to the agent."""
    return one.secret or one.code.startswith(_SAFETY)


def errors_between(config: WorkspaceConfig, at: Checkout, old: str, new: str) -> Iterator[Diagnostic]:
    """Yield the errors that one commit brings in beyond another."""
    changed = [one for one in changed_between(at, old, new) if one.path.startswith(at.prefix) and not one.is_gone]
    for begin in range(0, len(changed), _AT_ONCE):
        some = changed[begin : begin + _AT_ONCE]
        names = dict.fromkeys(name for one in some for name in (one.old, one.new) if name.strip("0"))
        contents = object_contents(at.top, list(names))
        for one in some:
            inner = one.path.removeprefix(at.prefix)
            yield from new_errors(config, inner, contents.get(one.old), contents.get(one.new))


def _errors(config: WorkspaceConfig, path: str, data: bytes) -> list[Diagnostic]:
    settings = config.settings.lint
    source = LintSource(path, FileSnapshot("regular", len(data), "none", data))
    results = verdicts(config, [source], (settings.select, settings.ignore), None, jobs=1)
    return [one for _, verdict in results for one in verdict.refusing().diagnostics if one.severity == "error"]
