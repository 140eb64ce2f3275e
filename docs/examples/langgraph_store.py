"""A LangGraph store over a workspace: `MemoryStore(Workspace("mem"))` in place of `InMemoryStore()`.

An item is a file, `store/NAMESPACE/KEY.md`, with a line for each key of its value, so that people can read and correct
it. The gate applies: a value with a password is refused. Run `python langgraph_store.py FOLDER` for a round trip.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from mdmem import TargetError, Workspace

TOP = "store"
LINE = re.compile(r"^- ([^:\n]+): (.+)$", re.MULTILINE)


class MemoryStore(BaseStore):
    """Items as files of a workspace; a query searches them as `Workspace.search` does."""

    def __init__(self, workspace: Workspace, *, actor: str = "langgraph") -> None:
        self._workspace, self._actor = workspace, actor

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in their order."""
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, GetOp):
            return self._item(_path(op.namespace, op.key))
        if isinstance(op, SearchOp):
            return self._search(op)
        assert isinstance(op, ListNamespacesOp)
        found = {_names(path)[0][: op.max_depth] for path in self._paths(())}
        kept = [one for one in sorted(found) if all(_fits(one, rule) for rule in op.match_conditions or ())]
        return kept[op.offset : op.offset + op.limit]

    def _put(self, op: PutOp) -> None:
        path = _path(op.namespace, op.key)
        if op.value is not None:
            lines = (f"- {key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in op.value.items())
            text = f"# {op.key}\n\n{''.join(lines)}"
            self._workspace.write(path, text, confirm=True, actor=self._actor)
        elif self._item(path):
            self._workspace.delete(path, actor=self._actor)

    def _item(self, path: str, score: float | None = None) -> SearchItem | None:
        try:
            text = self._workspace.read(path).text
        except TargetError:
            return None
        namespace, key = _names(path)
        time = datetime.fromtimestamp(os.stat(os.path.join(self._workspace.root, path)).st_mtime, UTC)
        value: dict[str, Any] = {name: json.loads(given) for name, given in LINE.findall(text)}
        return SearchItem(namespace=namespace, key=key, value=value, created_at=time, updated_at=time, score=score)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        paths = list(self._paths(op.namespace_prefix))
        if op.query:
            hits = self._workspace.search(op.query, limit=1000)
            paths = list(dict.fromkeys(hit.path for hit in hits if hit.path in paths))
        items = [item for path in paths if (item := self._item(path))]
        wanted = (op.filter or {}).items()
        found = [one for one in items if all(one.value.get(key) == value for key, value in wanted)]
        return found[op.offset : op.offset + op.limit]

    def _paths(self, prefix: tuple[str, ...]) -> Iterator[str]:
        """Yield the paths of the items below a namespace."""
        top = os.path.join(self._workspace.root, TOP, *prefix)
        for folder, _, names in sorted(os.walk(top)):
            inside = os.path.relpath(folder, self._workspace.root).replace(os.sep, "/")
            yield from (f"{inside}/{name}" for name in sorted(names) if name.endswith(".md"))


def _path(namespace: tuple[str, ...], key: str) -> str:
    """Return the path of an item; a name that is no file name is refused."""
    if wrong := [one for one in (*namespace, key) if not one or one.startswith(".") or re.search(r"[/\\\0\n]", one)]:
        raise ValueError(f"not a file name: {wrong[0]!r}")
    return "/".join((TOP, *namespace, f"{key}.md"))


def _names(path: str) -> tuple[tuple[str, ...], str]:
    _, *namespace, name = path.split("/")
    return tuple(namespace), name.removesuffix(".md")


def _fits(namespace: tuple[str, ...], rule: MatchCondition) -> bool:
    """Return whether a namespace begins or ends as a condition says; `*` stands for any name."""
    part = namespace[: len(rule.path)] if rule.match_type == "prefix" else namespace[-len(rule.path) :]
    return len(part) == len(rule.path) and all(want in ("*", have) for want, have in zip(rule.path, part, strict=True))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python langgraph_store.py FOLDER  (a memory folder, as `mdmem init FOLDER` makes)")
    store = MemoryStore(Workspace(sys.argv[1]))
    store.put(("users", "ann"), "tea", {"text": "drinks green tea after lunch", "cups": 2})
    found = store.search(("users",), query="what does she drink after lunch")
    print([(one.namespace, one.key, one.value) for one in found])
    store.delete(("users", "ann"), "tea")
    print(store.get(("users", "ann"), "tea"))
