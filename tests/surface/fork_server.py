"""Runs `mdmem` again and again: loads the code once, then forks a process for each command line that it reads.

Every command has a process of its own, as a user's has; only the imports are not repeated. Reads one JSON object a line
(`words`, `cwd`, and the files `stdin`, `stdout` and `stderr`) and answers each with the exit code.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
from importlib import import_module
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import mdmem

_LATE = (
    "difflib",
    "filelock",
    "json",
    "markdown_it",
    "pathspec",
    "sqlite3",
    "subprocess",
    "tomllib",
    "watchdog",
    "yaml",
)
_TEXT = b"# x\n\n- 2024-02-13: x\n- [x](y) `z`\n"


def serve() -> None:
    """Load all of mdmem, and run what is asked for until the input ends."""
    for module in walk_packages(mdmem.__path__, "mdmem."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in _LATE:  # what mdmem imports when it needs it
        import_module(name)
    for lang in ("en", "zh"):
        with TemporaryDirectory() as folder:
            _use(mdmem.Workspace(folder, lang=lang, cache=False))
    gc.freeze()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _use(work: mdmem.Workspace) -> None:
    """Use a workspace, so that what is compiled and built when it is first used is there in every child."""
    work.init()
    mdmem.lint(_TEXT, "MEMORY.md", lang=work.config.lang)
    with work.sessions.start("x") as session:
        session.turn("user", "I like tea. 我喜欢茶。")
        session.turn("assistant", "ok")
    work.remember("2024-02-13: the tea is here 茶在这里")
    work.search("tea 茶")
    work.compact("fastmemo", now=True)
    work.status()


def _become(words: list[str], cwd: str, **files: str) -> NoReturn:
    """Turn this process into `mdmem` with these words, and end with its exit code."""
    streams: Any = zip(("stdin", "stdout", "stderr"), ("r", "w", "w"), ("strict", "strict", "backslashreplace"))  # noqa: B905
    for number, (name, mode, errors) in enumerate(streams):
        with open(files[name], f"{mode}b") as file:
            os.dup2(file.fileno(), number)
        setattr(sys, name, open(number, mode, encoding="utf-8", errors=errors, closefd=False))  # noqa: SIM115
    os.chdir(cwd)
    sys.argv[1:] = words
    code: object = 99
    try:
        runpy.run_module("mdmem", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - printed, as the interpreter does
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    serve()
