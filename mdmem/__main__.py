"""The entry point: prepares a quick start, hands the words to the command line, and ends with its exit code."""

from __future__ import annotations

import gc
import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any, NoReturn

_OFTEN = ("lint", "search")  # what is typed often, or runs at every commit; they leave nothing to be ended


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.disable()  # a start-up makes no garbage worth looking for; the judge turns it on when the work begins,
    gc.set_threshold(50_000)  # and a few files make little
    _put_off("markdown_it")
    from mdmem.cli.output import guard

    code = guard(_run)
    if sys.argv[1:2] and sys.argv[1] in _OFTEN:
        _leave(code)
    sys.exit(code)


def _run() -> int:
    from mdmem.cli import app

    return app.main(sys.argv[1:])


def _leave(code: int) -> NoReturn:
    """End the process at once: the system takes its memory back faster than Python frees it object by object."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _put_off(name: str) -> None:
    """Let a package run its `__init__` when it is first asked for a name, not when one of its modules is imported.

    That of markdown-it-py loads inline rules, renderer and presets, a tenth of a whole lint, which needs only the
    block parser. Only this process is changed, whoever asks for the package gets it, and what is not there to be put
    off is imported as ever.
    """
    spec = PathFinder.find_spec(name)
    if name in sys.modules or spec is None or spec.loader is None or spec.submodule_search_locations is None:
        return
    package, loader, folders = ModuleType(name), spec.loader, spec.submodule_search_locations

    def load(attribute: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
        if PathFinder.find_spec(f"{name}.{attribute}", folders):
            raise AttributeError(attribute)  # a module of the package: the import that asks will load it
        del package.__getattr__
        loader.exec_module(package)
        return getattr(package, attribute)

    vars(package).update(__spec__=spec, __path__=folders, __file__=spec.origin, __loader__=loader, __getattr__=load)
    sys.modules[name] = package


if __name__ == "__main__":
    main()
