"""What holds of the layout: imports go down only, pure files stay pure, names and sizes, and a light start-up."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import mdmem
from mdmem.config.workspace_config import LINTED_BY

PACKAGE = Path(mdmem.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# The packages from the bottom to the top; those of one step do not import each other.
STEPS = (
    {"errors"},
    {"text"},
    {"messages"},
    {"settings"},
    {"formats"},
    {"store"},
    {"config"},
    {"linter", "models"},
    {"search", "entries"},
    {"attachments"},
    {"artifacts", "facts"},
    {"sessions"},
    {"wording"},
    {"history"},
    {"generation"},
    {"episodes", "extraction"},
    {"importers", "keeper"},
    {"identity", "pins", "plan", "portrait", "remember", "scratchpad"},
    {"knowledge"},
    {"learning"},
    {"handoff"},
    {"bundles"},
    {"review"},
    {"context"},
    {"instructions"},
    {"git"},
    {"night"},
    {"watch"},
    {"namespaces"},
    {"facade"},
    {"tools"},
    {"workspace"},
    {"__init__"},  # public names, loaded on demand
    {"agents"},
    {"cli"},
    {"__main__"},
)
STEP = {package: number for number, step in enumerate(STEPS) for package in step}

# What has no effect and no clock: whole packages and single files; files of the names below are pure everywhere.
PURE = {
    "agents/hooks/gemini_payload", "agents/mcp/replies", "artifacts/summaries", "cli/exit_codes", "cli/grammar/verbs",
    "config/bundle_manifest", "config/inbox_sections", "context/cuts", "context/pack", "context/read_chat",
    "context/read_file", "context/recipe", "context/repeats", "context/state", "entries/edits", "entries/joined",
    "episodes/stretches", "extraction/answer/model_answer", "extraction/answer/proof", "extraction/clauses",
    "extraction/constituents", "extraction/owners", "extraction/patterns", "extraction/rules", "extraction/runs",
    "extraction/said_days", "extraction/stated_clauses", "extraction/voices", "extraction/withdrawals",
    "facts/claims", "facts/known_facts", "facts/merged_values", "facts/update", "formats", "generation/answer_parser",
    "generation/meaning", "generation/proof", "git/own_lines", "identity/job", "identity/rules",
    "importers/json_stream", "importers/readers", "keeper/backlog/pending", "keeper/condensing",
    "keeper/conversation/chat_window", "keeper/conversation/summary", "knowledge/functions",
    "knowledge/score_intervals", "learning/job", "learning/rules",
    "linter/detect", "linter/fastmemo_text", "linter/fixes", "linter/masking", "linter/registry", "linter/rule",
    "linter/rules", "linter/runner", "linter/suppressions", "linter/unsafe_lines", "linter/views", "messages/counted",
    "models/vector", "night/duplicates", "night/fading", "night/lines", "night/report", "plan/draft",
    "portrait/choice", "remember/classify", "review/selection", "scratchpad/idle_questions", "scratchpad/job",
    "scratchpad/line_texts", "scratchpad/reminders", "scratchpad/rules", "scratchpad/shared_words", "search/earlier",
    "search/excerpt", "search/index/ignored", "search/index/piece", "search/question",
    "search/rank", "search/recall_block", "search/relevance", "search/silence", "search/words", "sessions/confidences",
    "settings", "text", "wording",
}  # fmt: skip
VOCABULARY = {"errors", "messages"}  # everybody may name an error and say a sentence
PURE_NAMES = {"model.py", "edits.py"}
EFFECTS = {"os", "io", "pathlib", "time", "random", "secrets", "logging", "subprocess", "socket", "shutil", "sqlite3",
           "tempfile", "threading", "multiprocessing", "signal", "http", "urllib.request"}  # fmt: skip
EFFECT_CALLS = {"open", "print", "input"}

# File names that several packages use; each means the same everywhere. Any other name stands once in the tree.
PATTERN = {
    "__init__",
    "model",  # the types
    "edits",  # from documents to edits
    "service",  # the operations, and the class behind a namespace
    "read",  # finds and reads the stored files of the package
    "prune",  # removes old ones
    "rules",  # the result without a model
    "job",  # the same with a model: one prompt, one checked answer
    "proof",  # what an answer must hold before it is written
}
INTERFACES = {"cli/commands", "tools"}  # their files are named after the package or the verb that they call

LINES = 500  # of a module without its docstrings
FUNCTION_LINES = 40
FILES = 16  # of a folder; more are divided by subject, but for the rules, which are one file each


def name_of(module: Path) -> str:
    """Give a module's path below the package, without its ending."""
    return module.relative_to(PACKAGE).with_suffix("").as_posix()


def package_of(module: Path) -> str:
    return name_of(module).partition("/")[0]


@cache
def syntax(module: Path) -> ast.Module:
    return ast.parse(module.read_text("utf-8"))


@cache
def nodes(module: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(syntax(module)))


@pytest.fixture(scope="module", autouse=True)
def parsed_for_this_file() -> Iterator[None]:
    """Drop half a million nodes when the tests below have run: the collector would visit them in all that follow."""
    yield
    nodes.cache_clear()
    syntax.cache_clear()


def imports(module: Path, *, types: bool = True) -> Iterator[str]:
    """Give the names that a module imports, wherever the import stands; `types` counts those for annotations only."""
    skipped = set() if types else set(_for_annotations(syntax(module)))
    for node in nodes(module):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _for_annotations(tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from ast.walk(node)


BY_NAME = {".".join(("mdmem", *module.relative_to(PACKAGE).with_suffix("").parts)): module for module in MODULES}


def ours(module: Path, *, types: bool = True) -> set[Path]:
    """Give the modules of ours that a module imports."""
    found = set()
    for name in imports(module, types=types):
        for known in (name, name.rpartition(".")[0], f"{name}.__init__", f"{name.rpartition('.')[0]}.__init__"):
            if known in BY_NAME:
                found.add(BY_NAME[known])
                break
    return found - {module}


def test_imports_go_down_only() -> None:
    climbs = [
        f"{name_of(module)} imports {name_of(other)}"
        for module in MODULES
        for other in ours(module)
        if package_of(other) != package_of(module) and STEP[package_of(other)] >= STEP[package_of(module)]
    ]
    assert not climbs


def test_one_module_asks_a_model_for_lines() -> None:
    """The other one tries a model before it is written into the settings."""
    asks = {
        name_of(module)
        for module in MODULES
        for name in imports(module)
        if name.startswith("mdmem.models.") and name.endswith(".ask")
    }
    assert asks == {"generation/chosen_backend", "agents/connect/model_settings"}


def test_no_import_goes_in_a_circle() -> None:
    done: set[Path] = set()

    def visit(module: Path, way: tuple[Path, ...]) -> None:
        assert module not in way, " > ".join(map(name_of, (*way[way.index(module) :], module)))
        if module not in done:
            for other in sorted(ours(module)):
                visit(other, (*way, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


def test_no_folder_imports_in_a_circle_at_any_depth() -> None:
    """The files and folders of each folder have an order: none needs another one that needs it."""
    uses: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for module in MODULES:
        own = module.relative_to(PACKAGE).with_suffix("").parts
        for other in ours(module):
            its = other.relative_to(PACKAGE).with_suffix("").parts
            depth = next((at for at, (one, two) in enumerate(zip(own, its, strict=False)) if one != two), None)
            if depth is not None and "__init__" not in (own[depth], its[depth]):
                uses.setdefault(own[:depth], {}).setdefault(own[depth], set()).add(its[depth])
    circles = []
    for folder, graph in uses.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circles.append(("/".join(folder), error.args[1]))
    assert circles == []


def is_pure(module: Path) -> bool:
    name = name_of(module)
    return module.name in PURE_NAMES or any(name == one or name.startswith(f"{one}/") for one in PURE)


@pytest.mark.slow
def test_pure_files_touch_nothing_outside() -> None:
    wrong = []
    for module in filter(is_pure, MODULES):
        wrong += [f"{name_of(module)} imports {name}" for name in imports(module, types=False) if _is_effect(name)]
        wrong += [
            f"{name_of(module)} imports {name_of(other)}"
            for other in ours(module, types=False)
            if not is_pure(other) and other.name != "__init__.py" and package_of(other) not in VOCABULARY
        ]
        for node in nodes(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EFFECT_CALLS:
                wrong.append(f"{name_of(module)}:{node.lineno} calls {node.func.id}")
            if isinstance(node, ast.Attribute) and node.attr in {"today", "now"} and _is_clock(node):
                wrong.append(f"{name_of(module)}:{node.lineno} reads the clock")
    assert not wrong


def test_what_is_listed_is_there() -> None:
    names = {name_of(module) for module in MODULES} | {
        name_of(module.parent) for module in MODULES if module.parent != PACKAGE
    }
    assert names >= PURE
    assert STEP.keys() | INTERFACES <= names


def _is_effect(name: str) -> bool:
    return any(name == effect or name.startswith(f"{effect}.") for effect in EFFECTS)


def _is_clock(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Attribute | ast.Name) and ast.unparse(node.value) in {
        "date", "datetime", "dt.date", "dt.datetime", "datetime.date", "datetime.datetime",
    }  # fmt: skip


@pytest.mark.slow
def test_no_name_of_a_class_stands_twice() -> None:
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for node in nodes(module):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(name_of(module))
    assert not {name: where for name, where in homes.items() if len(where) > 1}


def test_no_module_binds_a_name_twice() -> None:
    """The second of two tables of one name would silently replace the first."""
    twice = []
    for module in MODULES:
        bound = Counter[str]()
        for node in syntax(module).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                overloads = {"overload"} & {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
                bound[node.name] += not overloads
            elif isinstance(node, ast.Assign):
                targets = [one for target in node.targets for one in ast.walk(target)]
                bound.update(one.id for one in targets if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        twice += [f"{name_of(module)}: {name}" for name, count in bound.items() if count > 1]
    assert twice == []


def test_a_file_name_means_one_thing() -> None:
    folders: dict[str, list[str]] = {}
    for module in MODULES:
        folder = module.parent.relative_to(PACKAGE).as_posix()
        if module.stem not in PATTERN and folder not in INTERFACES:
            folders.setdefault(module.stem, []).append(folder)
    assert not {name: where for name, where in folders.items() if len(where) > 1}


@pytest.mark.slow
def test_modules_functions_and_folders_are_small() -> None:
    long = [name_of(module) for module in MODULES if _lines(module) > LINES]
    long += [
        f"{name_of(module)}: {node.name}"
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > FUNCTION_LINES
    ]
    folders = {module.parent for module in MODULES} - {PACKAGE / "linter" / "rules"}
    long += [folder.name for folder in folders if len(list(folder.glob("*.py"))) > FILES]
    assert not long


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    return (node.end_lineno or 0) - first.lineno + 1


def _lines(module: Path) -> int:
    """Count a module's lines without its docstrings, which are the reference."""
    count = len(module.read_text("utf-8").splitlines())
    for node in nodes(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            count -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
    return count


def test_every_package_says_its_duty() -> None:
    inits = [module for module in MODULES if module.name == "__init__.py"]
    assert not [name_of(init) for init in inits if not ast.get_docstring(syntax(init))]


# What a lint may load: anything heavy that slips in here costs every commit.
HEAVY = {"typer", "rich", "pydantic", "click", "watchdog", "filelock", "asyncio", "frontmatter", "pathspec",
         "subprocess", "multiprocessing", "concurrent", "difflib", "email", "http", "ssl", "sqlite3"}  # fmt: skip
PARSER = {"markdown_it.parser_block", "yaml", "tomllib", "dataclasses"}
SPARED = {"tomllib", "yaml", "mdmem.workspace", "mdmem.formats.artifact", "mdmem.formats.session",
          "mdmem.formats.task_plan"}  # fmt: skip


def loaded(cwd: Path, *arguments: str, given: str = "") -> set[str]:
    code = (
        "import os, sys; sys.argv[0] = 'mdmem'; end = os._exit\n"
        "os._exit = lambda code: (print(' '.join(sys.modules), file=sys.stderr, flush=True), end(code))\n"
        "if sys.argv[1] == 'hook':\n"  # which stops at its deadline on a slow machine
        "    import mdmem.cli.agent_hook as hook; hook._Reply.until = lambda *_: None\n"
        "import mdmem.__main__; mdmem.__main__.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=cwd, input=given, capture_output=True, text=True, check=False
    )
    names = done.stderr.split()
    return {*names, *(name.partition(".")[0] for name in names)}


@pytest.mark.slow
def test_a_lint_loads_nothing_heavy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "MEMORY.md").write_text("# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：面试\n", "utf-8")
    first = loaded(tmp_path, "lint", "MEMORY.md")
    assert "markdown_it.parser_block" in first
    assert not first & HEAVY
    (tmp_path / "MEMORY.md").write_text("# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：面试\n- 2026-02-14：过了\n", "utf-8")
    changed = loaded(tmp_path, "lint", "MEMORY.md")
    assert "markdown_it.parser_block" in changed
    assert not changed & (HEAVY | SPARED), "a changed file needs what it holds"
    unchanged = loaded(tmp_path, "lint", "MEMORY.md")
    assert not unchanged & (HEAVY | PARSER | SPARED), "an unchanged file needs no parser"
    assert not {
        name for name in unchanged if name.startswith(("mdmem.linter.r", "mdmem.linter.worker", "mdmem.text.document"))
    }


# What a session's end or a prompt loads if there is a model, another writer, a plan, a handoff or a tool run; else not.
FOR_A_CASE = {
    "mdmem.extraction.answer.proof", "mdmem.handoff.service", "mdmem.history.read", "mdmem.keeper.compaction",
    "mdmem.keeper.condensing.tidy", "mdmem.knowledge.plan_runs", "mdmem.learning.service", "mdmem.search.index",
    "mdmem.text.merge",
}  # fmt: skip


@pytest.mark.slow
def test_the_end_of_a_session_and_a_prompt_load_what_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (tmp_path / "memory").mkdir()
    loaded(tmp_path / "memory", "init", "--lang", "en")
    loaded(tmp_path / "memory", "session", "start", "mend the boat")
    loaded(tmp_path / "memory", "session", "turn", "user", "I live in Rome. We decided to use Postgres.")
    ended = loaded(tmp_path / "memory", "session", "end")
    assert "mdmem.portrait.service" in ended
    assert ended & FOR_A_CASE == set()
    prompt = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "Where do I live?"})
    given = loaded(tmp_path / "memory", "hook", "run", "UserPromptSubmit", "--for", "claude", given=prompt)
    assert "mdmem.search.recall" in given
    needed = {"mdmem.search.index", "difflib", "filelock", "frontmatter", "sqlite3"}
    assert (given & (FOR_A_CASE | HEAVY | {"mdmem.extraction.job", "mdmem.linter.registry"})) - needed == set()


@pytest.mark.slow
def test_an_answer_depends_on_no_code_but_what_its_key_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a lint loads beyond the doors, for a file of each kind and all that stands in it, the cache's key knows."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(PACKAGE.parent / "workspace", tmp_path / "memory", symlinks=True)
    names = {name.split(".", 1)[1] for name in loaded(tmp_path / "memory", "lint") if name.startswith("mdmem.")}
    assert {name.partition(".")[0] for name in names} <= {*LINTED_BY, "cli", "errors", "__main__"}
