"""What every test may use: the shipped settings and schemas, and a way to lint a text without a file."""

from __future__ import annotations

import datetime as dt
import gc
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import in_process
import pytest
from forms import SHORT, many, sample
from harness import holding, lay
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from parsed_once import parse_once

from mdmem.config.workspace_config import template_files
from mdmem.context import inputs
from mdmem.entries import read, tombstones
from mdmem.formats import template_reader
from mdmem.formats.template import Schemas
from mdmem.linter.registry import RULES
from mdmem.linter.rule import FileFacts, Subject
from mdmem.linter.runner import lint_subject
from mdmem.messages.folders import templates_folder
from mdmem.sessions import known_secrets
from mdmem.settings.reader import read_settings
from mdmem.settings.tables import Settings
from mdmem.store import transaction
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic
from mdmem.tools import memory_paths
from mdmem.watch import board
from mdmem.workspace import Workspace

# `pytest` proves the laws on few examples, the same each time; with `MDMEM_FORM=long` on many, new ones each time.
_SHARED_FIXTURES = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
hypothesis_settings.register_profile(
    "short", max_examples=many(12, 40, middle=40), deadline=None, derandomize=True, database=None,
    suppress_health_check=_SHARED_FIXTURES,
)  # fmt: skip
hypothesis_settings.register_profile(
    "long", max_examples=3000, deadline=None, print_blob=True, suppress_health_check=_SHARED_FIXTURES
)
hypothesis_settings.load_profile(many("short", "long"))

# Most of a run would be waiting for the disk: where there is one, its folders lie in memory.
_MEMORY, _ROOM = "/dev/shm", 4_000_000_000  # bytes
if os.path.isdir(_MEMORY) and shutil.disk_usage(_MEMORY).free > _ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", _MEMORY)

TODAY = dt.date(2026, 2, 20)
SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Make no cases of a test that this run leaves out: each process would make them all."""
    is_left_out = any(one.name in _unasked(collector.config) for one in getattr(obj, "pytestmark", ()))
    return [] if is_left_out and callable(obj) else None


def _is_short(config: pytest.Config) -> bool:
    return SHORT and config.args == config.getini("testpaths")


def _unasked(config: pytest.Config) -> set[str]:
    """Return the marks of tests that this run leaves out."""
    marks = {"agents", "thorough"} if _is_short(config) else {"agents"}
    return marks - set(config.option.markexpr.split())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests with real agents, and in a short run of everything the thorough ones and parts of tables.

    Real agents are asked for by `-m agents`. A run of a file or folder that is named proves all that is in it.
    """
    wanted = [one for one in items if not any(map(one.get_closest_marker, _unasked(config)))]
    if _is_short(config):
        tables: dict[str, list[pytest.Item]] = {}
        for one in wanted:
            tables.setdefault(one.nodeid.partition("[")[0], []).append(one)
        taken = {one.nodeid for table in tables.values() for one in sample(table)}
        wanted = [one for one in wanted if one.nodeid in taken]
    if len(wanted) < len(items):
        kept = {one.nodeid for one in wanted}
        config.hook.pytest_deselected(items=[one for one in items if one.nodeid not in kept])
        items[:] = wanted


@pytest.fixture(scope="session")
def settings() -> Settings:
    return read_settings((Path(templates_folder()) / "mdmem.toml").read_bytes())


@pytest.fixture(scope="session")
def schemas() -> Schemas:
    files = template_files(templates_folder())
    return Schemas([template_reader.read_template(one.read(), one.path, one.lang) for one in files], "zh")


@pytest.fixture(scope="session", autouse=True)
def nobodys_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings of whoever runs the tests out of them, and their cache and state as they are."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("config", "cache", "state"):
            patch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path_factory.mktemp(name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def templates_and_settings_parsed_once() -> Iterator[None]:
    """Parse a template and a settings file once a run, not once a test."""
    with pytest.MonkeyPatch.context() as patch:
        parse_once(patch.setattr)
        yield


_PATIENT = (transaction, read, inputs, memory_paths)  # modules that wait for editors


class Alone:
    """The clock of a folder into which nobody else saves: to sleep is to be later."""

    time = staticmethod(time.time)

    def __init__(self) -> None:
        self._slept = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._slept

    def sleep(self, seconds: float) -> None:
        self._slept += seconds


@pytest.fixture(scope="session", autouse=True)
def no_patience_for_editors() -> Iterator[None]:
    """Look for a missing or empty file as often as `[store] stable_ms` says, without the time between.

    The processes of tests/faults and tests/store/test_pen_editors.py, where editors save, wait as users' do.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in _PATIENT:
            patch.setattr(module, "time", Alone())
        yield


@pytest.fixture
def patience_for_editors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time pass while a missing or empty file is looked for: somebody saves in this test."""
    for module in _PATIENT:
        monkeypatch.setattr(module, "time", time)


@pytest.fixture(scope="session", autouse=True)
def light_collector() -> Iterator[None]:
    """Let a watcher in this process collect only what is new: at each look it would go through what all tests hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board, "gc", SimpleNamespace(unfreeze=gc.unfreeze, collect=partial(gc.collect, 0)))
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_digests() -> Iterator[None]:
    """Let the digests of forgotten texts and of secrets cost little: what they cost is for those who guess."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tombstones, "_COST", 1 << 4)
        patch.setattr(known_secrets, "_COST", 1 << 4)
        yield


Lint = Callable[..., list[Diagnostic]]


@pytest.fixture(scope="session")
def lint(settings: Settings, schemas: Schemas) -> Lint:
    """Lint a text under a file name: `lint("# x", "MEMORY.md", max_bytes=5)`."""

    def run(text: str | bytes | Document, path: str, *, lang: str = "en", facts: FileFacts | None = None,
            exists: Callable[[str], bool] = lambda path: not path.endswith("-2.md"),  # no file goes on in another
            size_of: Callable[[str], int] = lambda _: 4096, every: bool = False,
            **numbers: object) -> list[Diagnostic]:  # fmt: skip
        data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        document = data if isinstance(data, Document) else parse(data)
        numbered = settings.lint._replace(**numbers)  # type: ignore[arg-type]
        known = facts or FileFacts(size=len(document.to_bytes()))
        fits = document.lines.fit(numbered.max_lines, numbered.max_line_chars)
        template = schemas.match(path, document if fits else None)
        subject = Subject(
            path, document, template, numbered, TODAY, facts=known, exists=exists, size_of=size_of, schemas=schemas
        )
        return lint_subject(subject, RULES, lang, every=every)

    return run


Make = Callable[..., Workspace]
Text = Callable[[str], str]
Traces = Callable[[str], list[str]]
OwnSettings = Callable[[str], Path]


@pytest.fixture(autouse=True)
def own_cache(request: pytest.FixtureRequest) -> None:
    """Keep the user's cache out of each test that has a folder of its own."""
    if "tmp_path" in request.fixturenames:
        request.getfixturevalue("cache")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the cache, which lies where a test can search it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a workspace of these files: `make("zh", {"MEMORY.md": "…"}, settings="…")`."""

    def build(
        lang: str = "zh", files: dict[str, str] | None = None, *, settings: str = "", trusted: bool = False
    ) -> Workspace:
        root = lay(tmp_path / "workspace", files, lang=lang, settings=settings)
        if trusted:
            Workspace(root).trust()
        workspace = Workspace(root)
        workspace.config.day = "2026-02-20"
        return workspace

    return build


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnSettings:
    """Write the user's own settings, and return their file; they hold from then on."""
    place = tmp_path / "config" / "mdmem" / "mdmem.toml"

    def write(text: str) -> Path:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        return place

    return write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make an empty workspace in Chinese."""
    place = tmp_path / "memory"
    place.mkdir()
    (place / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    return place


Run = Callable[..., subprocess.CompletedProcess[str]]


def run_in(place: Path) -> Run:
    """Return what runs `mdmem …` in a folder, in this process."""
    homes = ("PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    kept = {key: os.environ[key] for key in homes if key in os.environ}

    def run(*arguments: str, code: int = 0, given: str = "") -> subprocess.CompletedProcess[str]:
        done = in_process.run_text(*arguments, cwd=place, env={**kept, "LANG": "C.UTF-8"}, given=given)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def mdmem(root: Path) -> Run:
    """Run `mdmem …` in that workspace, in this process."""
    return run_in(root)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder, where agents keep their settings."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    monkeypatch.delenv("GEMINI_CLI_HOME", raising=False)
    return place


@pytest.fixture
def counted_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the ids of artifacts up; drawn ones cost more or fewer tokens from run to run."""
    numbers = count(0x1A2B)
    monkeypatch.setattr("mdmem.artifacts.service._new_id", lambda _: f"20260302-081500-{next(numbers):04x}")


@pytest.fixture
def text(tmp_path: Path) -> Text:
    """Give a file's text as its bytes are."""
    return lambda name: (tmp_path / "workspace" / name).read_bytes().decode()


@pytest.fixture
def traces(tmp_path: Path) -> Traces:
    """Name every file of the workspace and of the cache that holds a text, or is called by it."""
    return partial(holding, tmp_path)
