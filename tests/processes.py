"""Real processes at once, forked from a warm one: each would spend most of its time importing mdmem."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess

CONTEXT = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
if os.name != "nt":
    CONTEXT.set_forkserver_preload(["hypothesis", "pytest", "mdmem.workspace", "mdmem.tools.dispatch"])


def process(target: Callable[..., object], *arguments: object) -> BaseProcess:
    """Return a process that calls a function in the environment of this test; it is not started yet."""
    return CONTEXT.Process(target=_run, args=(dict(os.environ), target, arguments))  # type: ignore[attr-defined, no-any-return]


def _run(environment: Mapping[str, str], target: Callable[..., object], arguments: tuple[object, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(*arguments)
