"""`mdmem lint --baseline FILE` and `--write-baseline FILE`: findings that the baseline lists no longer count."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from mdmem.cli.usage import usage_error
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UnreadableFileError
from mdmem.linter.known_findings import Allowance, FindingName, allowance, names_of, read_baseline, write_baseline
from mdmem.linter.sources import LintReport
from mdmem.store.files import read_bytes, read_snapshot
from mdmem.text.edit import Diagnostic


class BaselineFile:
    """A baseline, whose paths are relative to its own folder, so that it can be committed."""

    def __init__(self, path: str) -> None:
        self.path, self._folder = path, os.path.dirname(os.path.abspath(path))

    def read(self) -> Mapping[FindingName, int]:
        """Return what it knows.

        Raises:
            UnreadableFileError: there is no such file.
            ConfigError: a line is wrong.
        """
        if not os.path.isfile(self.path):  # a FIFO would block
            raise usage_error("no-path", kind=UnreadableFileError, path=self.path)
        return read_baseline(read_bytes(self.path, self.path).decode("utf-8", "surrogateescape"), self.path)

    def below(self, known: Allowance, root: str) -> Allowance:
        """Return what is known of the files of a workspace, by their paths there."""
        return {
            name._replace(path=os.path.relpath(os.path.join(self._folder, name.path), root).replace(os.sep, "/")): count
            for name, count in known.items()
        }

    def write(self, reports: Sequence[tuple[WorkspaceConfig, LintReport]]) -> tuple[int, int]:
        """Write the findings of a run, but no secrets; return how many were written, and how many were not.

        Raises:
            WriteError: the system refused.
        """
        from mdmem.instructions.outside_files import SHARED, replace_outside

        named = [pair for config, report in reports for pair in self._named(config, report)]
        safe = [(one, name) for one, name in named if not one.secret]
        before = read_bytes(self.path, self.path) if os.path.isfile(self.path) else None
        text = write_baseline(allowance(safe)).encode("utf-8", "surrogateescape")
        if text != before:
            replace_outside(os.path.abspath(self.path), before, text, SHARED)
        return len(safe), len(named) - len(safe)

    def _named(self, config: WorkspaceConfig, report: LintReport) -> Iterator[tuple[Diagnostic, FindingName]]:
        by_path: dict[str, list[Diagnostic]] = {}
        for one in report.diagnostics:
            by_path.setdefault(one.path, []).append(one)
        for path, found in by_path.items():
            absolute = os.path.join(config.root, path)
            data = read_snapshot(absolute, config.root, config.most_bytes(path)).data
            shown = os.path.relpath(absolute, self._folder).replace(os.sep, "/")
            yield from zip(found, names_of(found, data, shown), strict=True)
