"""Lints a text that is in no file: what an editor, a test or an agent holds in memory."""

from __future__ import annotations

from mdmem.core.diagnostic import Diagnostic
from mdmem.store.files import Seen
from mdmem.workspace.config import Config
from mdmem.workspace.judge import Judge
from mdmem.workspace.source import Source


def lint(
    data: bytes,
    path: str,
    *,
    root: str = ".",
    lang: str | None = None,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
) -> tuple[Diagnostic, ...]:
    """Say what is wrong with a text that would stand at a path.

    Args:
        data: the text, as bytes.
        path: where it would stand, POSIX from the root; its name decides what kind of memory it is.
        root: the workspace whose settings and templates hold; files that entries refer to are looked for there.
        lang: the language of messages, zh or en.
        select: codes, prefixes of codes or names to run; all without.
        ignore: the same, to leave out.

    Raises:
        UsageError: a word names no rule.
        ConfigError: the workspace's settings or templates are wrong.

    >>> [finding.code for finding in lint("- 提醒主人下周交周报\\n".encode(), "MEMORY.md")]
    """
    judge = Judge(Config(root, lang), (select, ignore))
    return tuple(judge.judge(Source(path, Seen("regular", len(data), "none", data))).diagnostics)
