"""Lints a bundle before it is let in or given away: secrets, orders to a model, and hidden text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.config.bundle_manifest import SKILL, bundle_folder
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.linter.registry import RULES
from mdmem.linter.runner import every_finding
from mdmem.linter.sources import LintSource
from mdmem.linter.worker import LintWorker
from mdmem.store.files import FileSnapshot
from mdmem.text.document import parse
from mdmem.text.edit import Diagnostic

# control, hidden and reversing characters, hidden comments; and what a text does: secrets, orders, links, payloads
_CODES = ("MM104", "MM105", "MM106", "MM111", "MM5")


def bundle_findings(config: WorkspaceConfig, name: str, files: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    """Yield the findings in the texts of a bundle, each with its path in the bundle; suppressions do not count."""
    worker = LintWorker(config, ((), ()))
    rules = tuple(rule for rule in RULES if rule.code.startswith(_CODES))
    for path, data in sorted(files.items()):
        if not _is_text(data):
            continue
        skill = f"{bundle_folder(name)}/{path.partition('/')[0]}/{SKILL}"  # a model reads what is beside it as well
        source = LintSource(skill, FileSnapshot("regular", len(data), "none", data))
        for found in every_finding(worker.subject(source, parse(data)), rules, config.lang):
            if found.severity != "note":
                yield found._replace(path=path)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
