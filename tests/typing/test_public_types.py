"""What a type checker knows of mdmem's public names: mypy, which reads this file, is the judge of it.

`assert_type` says what each method of `Workspace` returns. Only the tests at the end run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import is_dataclass
from typing import Any, Literal, assert_type

import pytest
from public_names import FILE, stub
from surface.annotations import PUBLIC, classes, is_ours, members, types_of

import mdmem
from mdmem.artifacts.model import ArtifactView, MatchedLines, StoredArtifact
from mdmem.artifacts.prune import PruneResult
from mdmem.config.trust_requests import TrustRequest
from mdmem.context.model import Pack
from mdmem.context.recipe import Recipes
from mdmem.entries.forget.model import ForgetResult
from mdmem.entries.inbox.items import InboxItem
from mdmem.entries.model import Outcome
from mdmem.entries.read import FileText
from mdmem.entries.service import InitResult
from mdmem.entries.show import ShownFile
from mdmem.formats.artifact import Artifact
from mdmem.formats.session import Session, Turn
from mdmem.history.provenance import Provenance
from mdmem.history.service import DoctorCheck
from mdmem.keeper.backlog.status import FileStatus
from mdmem.keeper.context_compaction import CompactResult
from mdmem.linter.sources import FileFix, LintReport
from mdmem.pins.model import Pin
from mdmem.plan.service import TaskPlan
from mdmem.search.recall import RecallResult
from mdmem.search.service import SearchHit
from mdmem.sessions.open_session import OpenSession, RecordedTurn
from mdmem.store.history.versions import Transaction
from mdmem.text.document import Document
from mdmem.text.edit import Diagnostic, Edit
from mdmem.watch.model import Notice
from mdmem.workspace import Workspace


def functions(data: bytes, text: str) -> None:
    assert_type(mdmem.lint(data, "MEMORY.md"), tuple[Diagnostic, ...])
    assert_type(mdmem.parse(data), Document)
    assert_type(mdmem.apply_edits(text, [Edit.insert(0, text)]), str)
    assert_type(mdmem.verify(mdmem.parse(data), (), mdmem.parse(data)), tuple[str, ...])
    assert_type(mdmem.__version__, str)


def mistakes(data: bytes, workspace: Workspace) -> None:
    """What is wrong is an error: without one, its `ignore` would be."""
    mdmem.nonsense  # type: ignore[attr-defined]  # noqa: B018
    mdmem.lint(data)  # type: ignore[call-arg]
    mdmem.lint("text", "MEMORY.md")  # type: ignore[arg-type]
    workspace.nonsense()  # type: ignore[attr-defined]
    workspace.add("MEMORY.md")  # type: ignore[call-arg]
    workspace.history.undo().message = "done"  # type: ignore[misc]
    if workspace.history.undo().status == "don":  # type: ignore[comparison-overlap]
        raise AssertionError


def writing(workspace: Workspace) -> None:
    assert_type(workspace.init(), InitResult)
    assert_type(workspace.add("MEMORY.md", ["x"]), Outcome)
    assert_type(workspace.remember("x"), Outcome)
    assert_type(workspace.edit("MEMORY.md", "x", "y"), Outcome)
    assert_type(workspace.write("MEMORY.md", "x"), Outcome)
    assert_type(workspace.replace("MEMORY.md", "x", "y"), Outcome)
    assert_type(workspace.replace_section("MEMORY.md", "x", "y"), Outcome)
    assert_type(workspace.remove("MEMORY.md", ["x"]), Outcome)
    assert_type(workspace.tick("MEMORY.md", "x"), Outcome)
    assert_type(workspace.rename("MEMORY.md", "x.md"), Outcome)
    assert_type(workspace.delete("MEMORY.md"), Outcome)
    assert_type(workspace.forget("xyz"), ForgetResult)
    workspace.index.forget()
    assert_type(workspace.inbox.list(), tuple[InboxItem, ...])
    assert_type(workspace.inbox.accept(), tuple[Outcome, ...])
    assert_type(workspace.inbox.reject(["x"]), Outcome)


def looking(workspace: Workspace) -> None:
    assert_type(Workspace.find(), Workspace)
    assert_type(workspace.lang, str)
    assert_type(workspace.lint(), LintReport)
    assert_type(workspace.lint().diagnostics, tuple[Diagnostic, ...])
    assert_type(workspace.lint().diagnostics[0].severity, Literal["error", "warning", "note"])
    assert_type(workspace.fix(), LintReport)
    assert_type(workspace.fix().fixed, tuple[FileFix, ...])
    assert_type(workspace.status(), tuple[FileStatus, ...])
    assert_type(workspace.read("MEMORY.md"), FileText)
    assert_type(workspace.show("MEMORY.md"), ShownFile)
    assert_type(workspace.search("x"), tuple[SearchHit, ...])
    assert_type(workspace.index.warning(), str)
    assert_type(workspace.recall("x"), RecallResult)
    assert_type(workspace.history.why("x"), Provenance)
    assert_type(workspace.history.doctor(), tuple[DoctorCheck, ...])
    assert_type(workspace.watch(), Iterator[Notice])
    assert_type(workspace.keeper.busy(), AbstractContextManager[None])
    assert_type(workspace.trust(), TrustRequest)


def history(workspace: Workspace) -> None:
    assert_type(workspace.history.log(), tuple[Transaction, ...])
    assert_type(workspace.history.diff(), str)
    assert_type(workspace.history.undo(), Outcome)
    assert_type(workspace.restore("MEMORY.md"), Outcome)
    assert_type(workspace.dismiss("MEMORY.md"), Outcome)
    assert_type(workspace.history.recover(), tuple[Transaction, ...])


def sessions(workspace: Workspace) -> None:
    assert_type(workspace.sessions.start("x"), OpenSession)
    assert_type(workspace.sessions.resume(), OpenSession)
    assert_type(workspace.sessions.list(), tuple[Session, ...])
    assert_type(workspace.sessions.show("x"), Session)
    assert_type(workspace.sessions.recent_turns("x", 3), tuple[Turn, ...])
    with workspace.sessions.start("x") as session:
        assert_type(session, OpenSession)
        assert_type(session.turn("user", "x"), RecordedTurn)
        assert_type(session.end("x"), RecordedTurn)


def artifacts(workspace: Workspace) -> None:
    assert_type(workspace.artifacts.put(b"x", tool="shell"), StoredArtifact)
    assert_type(workspace.artifacts.get("x"), ArtifactView)
    assert_type(workspace.artifacts.list(), tuple[Artifact, ...])
    assert_type(workspace.artifacts.snippet("x"), ArtifactView)
    assert_type(workspace.artifacts.grep("x", "y"), MatchedLines)
    assert_type(workspace.artifacts.prune(), PruneResult)


def pins_and_plans(workspace: Workspace) -> None:
    assert_type(workspace.pins.add("path", "x", "y", "file:x#L1"), Outcome)
    assert_type(workspace.pins.update("x"), Outcome)
    assert_type(workspace.pins.remove(["x"]), Outcome)
    assert_type(workspace.pins.renew(["x"]), Outcome)
    assert_type(workspace.pins.list(), tuple[Pin, ...])
    assert_type(workspace.plan.show(), TaskPlan)
    assert_type(workspace.plan.add(["x"]), Outcome)
    assert_type(workspace.plan.done(), Outcome)
    assert_type(workspace.plan.next(), Outcome)
    assert_type(workspace.plan.goto("2"), Outcome)
    assert_type(workspace.plan.move("2", "1"), Outcome)
    assert_type(workspace.plan.remove(["2"]), Outcome)
    assert_type(workspace.plan.phase("waiting"), Outcome)


def models(workspace: Workspace, answer: Callable[[str], str]) -> None:
    assert_type(workspace.compact(backend=answer), tuple[Outcome, ...])
    assert_type(workspace.keeper.prompts(), tuple[str, ...])
    assert_type(workspace.keeper.compact_context([{"role": "user", "text": "x"}]), CompactResult)
    assert_type(workspace.keeper.context_prompt([{"role": "user", "text": "x"}]), str)
    assert_type(workspace.pack(), Pack)
    assert_type(workspace.recipes(), Recipes)
    assert_type(workspace.propose_state({}), Outcome)
    assert_type(workspace.tools(), list[dict[str, Any]])
    assert_type(workspace.call("read", {}), dict[str, Any])


def states(workspace: Workspace, session: OpenSession) -> None:
    """A state is one of the words that it can be."""
    assert_type(workspace.history.undo().status, Literal["done", "unchanged", "waiting", "planned", "refused"])
    assert_type(workspace.forget("xyz").status, Literal["done", "partial", "planned", "unchanged"])
    assert_type(workspace.artifacts.prune().status, Literal["done", "planned", "unchanged"])
    assert_type(session.turn("user", "x").status, Literal["done", "unchanged"])
    assert_type(workspace.history.doctor()[0].state, Literal["good", "weaker", "bad"])
    assert_type(next(workspace.watch()).severity, Literal["error", "warning", "note"])
    assert_type(workspace.history.why("x").evidence[0].kind, Literal["", "chat", "tool", "file"])


def test_what_is_no_name_is_an_error_when_it_runs_too() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        mdmem.nonsense  # type: ignore[attr-defined]  # noqa: B018


QUICK = {"Diagnostic", "Edit", "Span", "FileFix", "LintReport"}  # a lint of unchanged files loads no `dataclasses`


def test_results_can_grow() -> None:
    """A result with a new field breaks no caller that unpacks it: results are frozen, slotted dataclasses."""
    kinds = [kind for name in mdmem.__all__ if isinstance(kind := getattr(mdmem, name), type)]
    tuples = {kind.__name__ for kind in kinds if issubclass(kind, tuple)}
    assert tuples == QUICK | {"Rule"}  # a rule is declared, not returned
    results = [kind for kind in kinds if is_dataclass(kind)]
    assert len(results) > 40
    for kind in results:
        assert "__slots__" in vars(kind), kind
        assert "__setattr__" in vars(kind), f"{kind} is not frozen"


PLUMBING = {"config", "index", "meaning"}  # properties of a workspace that are no results


def returned(kind: Any, leave_out: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield the classes that the members of a class return, and those that its fields hold, with who names them."""
    for name, annotation in types_of(kind).items():
        if not name.startswith("_"):
            yield from ((f"{kind.__name__}.{name}", one) for one in classes(annotation))
    for name, _, function in members(kind):
        if name not in leave_out:
            yield from ((f"{kind.__name__}.{name}", one) for one in classes(types_of(function).get("return")))


def test_every_type_that_a_method_returns_is_exported() -> None:
    seen: set[Any] = set()
    missing, left = [], [("Workspace", mdmem.Workspace)]
    while left:
        where, kind = left.pop()
        if kind not in seen and is_ours(kind):
            seen.add(kind)
            missing += [f"{where} names {kind.__module__}.{kind.__name__}"] if kind not in PUBLIC else []
            left += returned(kind, PLUMBING if kind is mdmem.Workspace else set())
    assert len(seen) > 40
    assert sorted(missing) == [], "export these in mdmem/__init__.py"


def test_the_names_that_a_type_checker_reads_are_those_that_load() -> None:
    assert FILE.read_text("utf-8") == stub(), "run `python -m tests.public_names`"
    assert [name for name in mdmem.__all__ if getattr(mdmem, name, None) is None] == []
