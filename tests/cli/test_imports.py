"""The doors know the facade, its public types, the doors for agents and the messages, and nothing below them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import mdmem

DOORS = Path(mdmem.__file__).parent / "cli"
ABOVE = ("mdmem.agents", "mdmem.cli", "mdmem.errors", "mdmem.facade", "mdmem.messages", "mdmem.workspace")
# An unchanged lint and a merge load a few files; the facade and all that it can do would double their start-up. A
# search loads the reader of questions before the index, to mark the words that were found.
QUICK = {"opened.py", "lint.py", "lint_baseline.py", "lint_report.py", "lint_stdin.py", "merge.py", "search.py"}
# An error may be printed without a workspace: what was typed is masked, and a tool's reply is JSON all the same.
# An example of a file's entry holds no secret, and a section is named as its heading is. `status` counts the notes that
# have no status, and tells what the model was asked without loading the keeper. What a program sends may be in another
# encoding. `explain` shows the examples of a page in the script of the reader.
ERRORS = {
    "output.py": {"mdmem.linter.masking"},
    "wrong_entry.py": {"mdmem.linter.masking"},
    "misplaced_section.py": {"mdmem.formats.template"},
    "context.py": {"mdmem.tools.model"},
    "explain.py": {"mdmem.text.inline"},
    "status.py": {"mdmem.linter.sources", "mdmem.generation.model_use"},
    "agent_hook.py": {"mdmem.text.encodings"},
    "keeper.py": {"mdmem.linter.masking"},
    "sessions.py": {"mdmem.text.encodings"},
}


def imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "mdmem":
            yield from (f"mdmem.{alias.name}" if alias.name not in mdmem.__all__ else "" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_doors_import_nothing_below_the_facade() -> None:
    below = [
        f"{module.relative_to(DOORS)} imports {name}"
        for module in DOORS.rglob("*.py")
        if module.name not in QUICK
        for name in imports(module)
        if name.startswith("mdmem.") and not name.startswith(ABOVE) and name not in ERRORS.get(module.name, ())
    ]
    assert not below


def test_the_tools_of_agents_do_not_import_the_facade() -> None:
    assert not [path.name for path in (DOORS.parent / "tools").glob("*.py") if "mdmem.workspace" in imports(path)]
