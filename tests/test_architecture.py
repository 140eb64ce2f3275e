"""Imports go down only, as DESIGN section 5 draws them; the pure rooms stay pure; start-up stays light."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

import mdmem
from mdmem.config.workspace_config import JOURNEY, LINTED_BY

PACKAGE = Path(mdmem.__file__).parent
PURE = {"core", "linter", "keeper", "context", "recall"}
EFFECTS = {"store", "index", "models", "watch"}
# what each room may import of the others; `errors` is everybody's
MAY = {
    "errors": set(),
    "core": set(),
    **{room: {"core"} for room in PURE - {"core"}},
    **{room: {"core"} for room in EFFECTS},
    "workspace": PURE | EFFECTS,
    "doors": PURE | EFFECTS | {"workspace", "__init__"},
    "__main__": {"doors"},
    "__init__": {"core", "workspace"},  # public names, loaded on demand
}  # fmt: skip
MODULES = sorted(PACKAGE.rglob("*.py"))


def room(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text("utf-8"))


TREES = {module: _tree(module) for module in MODULES}


def imports(module: Path) -> Iterator[str]:
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "mdmem" else [node.module]
            )


def hold(law: Callable[[Path], Iterable[str]], modules: Iterable[Path] = MODULES) -> None:
    """Fail with every breach of a law, each with the module that it stands in."""
    found = [f"{module.relative_to(PACKAGE)}: {breach}" for module in modules for breach in law(module)]
    assert not found, "\n" + "\n".join(found)


def _climbs(module: Path) -> Iterator[str]:
    here = room(module)
    for name in imports(module):
        if name == "mdmem" or name.startswith("mdmem."):
            parts = name.split(".")
            there = parts[1] if len(parts) > 1 and parts[1] in MAY else "__init__"
            if there not in MAY[here] | {here, "errors"}:
                yield f"{here} must not import {name}"


def test_imports_go_down_only() -> None:
    hold(_climbs)


FORBIDDEN_MODULES = {"os", "io", "pathlib", "time", "random", "secrets", "logging", "subprocess", "socket", "shutil"}
FORBIDDEN_CALLS = {"open", "print", "input"}


def _effects(module: Path) -> Iterator[str]:
    yield from FORBIDDEN_MODULES & {name.partition(".")[0] for name in imports(module)}
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield f"{node.func.id}()"
        if isinstance(node, ast.Attribute) and node.attr in {"today", "now"} and _is_clock(node):
            yield ast.unparse(node)


def _is_clock(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Attribute | ast.Name) and ast.unparse(node.value) in {
        "date", "datetime", "dt.date", "dt.datetime", "datetime.date", "datetime.datetime",
    }  # fmt: skip


def test_pure_rooms_touch_nothing_outside() -> None:
    hold(_effects, (module for module in MODULES if room(module) in PURE))


def _slow_tuples(module: Path) -> Iterator[str]:
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.ImportFrom) and node.module == "typing":
            yield from (alias.name for alias in node.names if alias.name == "NamedTuple")
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "typing.NamedTuple":
            yield "typing.NamedTuple"


def test_named_tuples_are_the_quick_ones() -> None:
    hold(_slow_tuples, (one for one in MODULES if one != PACKAGE / "core" / "record.py"))


def _large(module: Path) -> Iterator[str]:
    if (lines := len(module.read_text("utf-8").splitlines())) > 500:
        yield f"{lines} lines"
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.FunctionDef):
            first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
            if (length := (node.end_lineno or 0) - first.lineno + 1) > 40:
                yield f"{node.name} has {length} lines"


def test_modules_and_functions_are_small() -> None:
    hold(_large)


def test_every_room_says_its_duty() -> None:
    silent = [module for module in MODULES if module.name == "__init__.py" and not ast.get_docstring(TREES[module])]
    assert silent == []


# What a lint may load: anything heavy that slips in here costs every commit.
HEAVY = {"typer", "rich", "pydantic", "click", "watchdog", "filelock", "asyncio", "frontmatter", "pathspec",
         "subprocess", "multiprocessing", "concurrent", "difflib", "email", "http", "ssl", "sqlite3"}  # fmt: skip
PARSER = {"markdown_it.parser_block", "yaml", "tomllib"}
SPARED = {"hashlib", "json", "tomllib", "yaml", "mdmem.workspace", "mdmem.formats.artifact",
          "mdmem.text.durations", "mdmem.text.document", "mdmem.formats.session", "mdmem.settings.tables",
          "mdmem.settings.reader", "mdmem.formats.task_plan", "mdmem.text.verify", "mdmem.linter.fixes"}  # fmt: skip
NEEDLESS = {"markdown_it.main", "markdown_it.renderer", "markdown_it.rules_inline"}


def loaded(cwd: Path, *arguments: str) -> set[str]:
    code = (
        "import sys; sys.argv[0] = 'mdmem'; import mdmem.__main__ as m;"
        "m._leave = lambda code: sys.exit(print(' '.join(sys.modules), file=sys.stderr)); m.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    names = done.stderr.split()
    return {*names, *(name.partition(".")[0] for name in names)}


def test_a_lint_loads_nothing_heavy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "MEMORY.md").write_text("# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：面试\n", "utf-8")
    first = loaded(tmp_path, "lint", "MEMORY.md")
    assert "markdown_it.parser_block" in first
    assert not first & (HEAVY | NEEDLESS)
    (tmp_path / "MEMORY.md").write_text("# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：面试\n- 2026-02-14：过了\n", "utf-8")
    changed = loaded(tmp_path, "lint", "MEMORY.md")
    assert "markdown_it.parser_block" in changed
    assert not changed & (HEAVY | NEEDLESS | SPARED), "a changed file needs what it holds"
    unchanged = loaded(tmp_path, "lint", "MEMORY.md")
    assert not unchanged & (HEAVY | PARSER | SPARED), "an unchanged file needs no parser"
    assert not {name for name in unchanged if name.startswith(("mdmem.linter", "mdmem.text.document"))}


def test_an_answer_depends_on_no_code_but_what_its_key_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a lint loads beyond the doors, for a file of each kind and all that stands in it, the cache's key knows."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(PACKAGE.parent / "workspace", tmp_path / "memory", symlinks=True)
    names = {name.split(".", 1)[1] for name in loaded(tmp_path / "memory", "lint") if name.startswith("mdmem.")}
    judging = {name for name in names if name.partition(".")[0] not in {*LINTED_BY, "doors", "errors", "__main__"}}
    assert judging == {"workspace", *(f"workspace.{name}" for name in JOURNEY if name != "__init__")}


def test_a_package_that_was_put_off_is_whole_for_who_asks() -> None:
    code = (
        "import sys; from mdmem.__main__ import _put_off; _put_off('markdown_it'); _put_off('there_is_none');"
        "import markdown_it.parser_block; assert 'markdown_it.main' not in sys.modules;"
        "from mdmem.core.parser import parser; assert parser().parse('[a]: /b')[0].type == 'definition';"
        "import markdown_it; print(markdown_it.MarkdownIt().render('*x*'), markdown_it.__version__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("<p><em>x</em></p>"), done.stderr
