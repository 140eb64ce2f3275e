"""Every door to the memory, as Bob: no line of Ann, nor of the user without a name, comes out of any of them.

The doors are the rows of `tests/foreign/acts.py`: each verb, each event of a hook, each tool, and what the server of
the protocol offers. A new one without a row fails there and here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import verbs
from foreign import acts
from foreign.world import World, _ask
from forms import each

from mdmem.agents.hooks.model import EVENTS
from mdmem.agents.mcp.server import FILES, PACKS, MemoryServer, ServerOptions
from mdmem.errors import MdmemError
from mdmem.tools.definitions import tools
from mdmem.workspace import Workspace

from .planted import ANN, HOME, SHARED, plant

pytestmark = pytest.mark.slow

# Verbs that are of the folder, or of no memory, and take no `--user`.
OF_NOBODY = {
    "lint": "checks the files of a folder, or of a commit, for whoever keeps the folder",
    "init": "makes a folder; the files of a user are made when something is written",
    "merge": "merges three files that git names",
    "help": "is about verbs",
    "completion": "is about verbs",
    "hook install": "is of the repository",
    "hook uninstall": "is of the repository",
}
# What asks by name for what is not Bob's: the words behind a verb, for each path of another user.
BY_PATH: dict[str, tuple[str, ...]] = {
    "show": ("{path}",), "log": ("{path}",), "diff": ("{path}",), "restore": ("{path}",), "artifact get": ("{path}",),
    "artifact snippet": ("{path} 1 40",), "artifact grep": ("{path} heron",), "attach": ("{path}",),
    "session show": ("{path}",), "session export": ("{path}",), "attach show": ("{path}",), "rm": ("{path} heron",),
    "mv": ("{path} mine.md",), "edit": ("{path} --old heron --new stork",), "tick": ("{path} heron",),
    "extract": ("{path} --prompt",), "compact": ("{path} --now",),
}  # fmt: skip
ASKED = (
    "search heron", "search heron --in all", "search heron --in archive", f"search {ANN}", f"search {HOME}",
    "search heron --session {session}", "search heron --role user", "search heron --kind facts",
    "search heron --kind inbox", "search heron --kind artifact", "why heron", f"why {ANN}", "fact show user",
    "fact show user --all", "fact history user home", "fact list", "episode list", "episode list --query heron",
    "inbox list --json", "session list --json", "scratchpad --json", "status --json", "log --json", "diff",
    "forget heron --dry-run", "night --dry-run --now", "export --to {out}/again --as jsonl",
    "context layered --query heron --explain", "context --query heron --json", "compact --dry-run",
    "extract --prompt", "scratchpad --prompt", "attach list --json", "artifact list --json", "index status --json",
)  # fmt: skip


def test_each_door_has_a_row() -> None:
    found = {" ".join(path): command for path, command in verbs.commands()}
    assert {name for name, one in found.items() if all(p.name != "user" for p in one.params)} == set(OF_NOBODY)
    assert set(EVENTS) == set(acts.EVENTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    root = tmp_path_factory.mktemp("shared") / "root"
    root.mkdir()
    names = plant(root)
    for name in ("links.md", "incoming/old.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("# Links\n\n- 2026-02-13: the stork nests on the barn\n", "utf-8")
    return root, names


@pytest.fixture
def world(folder: tuple[Path, dict[str, str]], tmp_path: Path) -> World:
    root, names = folder
    return World(tmp_path, root, names, user="bob")


def told(world: World) -> list[str]:
    """Return what was said of others, each with the words around it."""
    found = []
    for text in world.said:
        low = text.casefold()
        for word in (ANN, HOME):
            at = low.find(word)
            while at >= 0:
                found.append(text[max(0, at - 90) : at + 60])
                at = low.find(word, at + 1)
                break
    return found


def theirs(root: Path) -> dict[str, bytes]:
    """Return the files that hold a line of Ann or of the user without a name, but for mdmem's own."""
    found = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith((".mdmem/", "users/bob/")):
            data = path.read_bytes()
            if ANN.encode() in data or HOME.encode() in data:
                found[name] = data
    return found


def test_something_stands_in_every_kind_of_file_of_a_user(folder: tuple[Path, dict[str, str]]) -> None:
    """The other tests would find nothing either if nothing had been planted."""
    root, _ = folder
    work = Workspace(root, user="ann")
    own = {work.config.schemas.kind(name) for name in theirs(root) if name.startswith("users/ann/")}
    kinds = {kind for kind in work.config.schemas.kinds if work.config.schemas.required(kind).owner != "shared"}
    assert own - {""} == kinds
    assert ANN in work.pack("layered").text
    assert ANN in work.recall("where does the heron live?").text
    assert any(ANN in one.text for one in work.search("heron"))
    bobs = Workspace(root, user="bob")
    assert SHARED in bobs.pack("layered").text
    assert any(SHARED in one.text for one in bobs.search("heron"))


@pytest.mark.thorough
def test_no_verb_tells_of_others(world: World) -> None:
    before = theirs(world.root)
    doors = [act for name, every in acts.each_verb().items() if name not in OF_NOBODY for act in every]
    asked = [acts.Act(words) for words in ASKED]
    by_name = [
        acts.Act(f"{verb} {row.replace('{path}', shlex.quote(path))}")
        for verb, rows in BY_PATH.items() for row in rows for path in each(4, list(_paths(before)))
    ]  # fmt: skip
    leaks = {}
    with world.watched():
        for act in (*asked, *by_name, *doors, *each(5, asked)):
            world.said.clear()
            world.verb(act)
            echoes = ANN in act.words or HOME in act.words  # a question is said back, with no more of the line
            said = [one for one in told(world) if not echoes or "heron" in one]
            if said:
                leaks[act.words] = said[:2]
    assert leaks == {}
    assert theirs(world.root) == before


def _paths(files: dict[str, bytes]) -> Iterator[str]:
    """Yield one path of each folder of others."""
    seen = set()
    for path in sorted(files):
        key = path.rpartition("/")[0] or path
        if key not in seen:
            seen.add(key)
            yield path


@pytest.mark.thorough
def test_no_hook_tells_of_others(world: World) -> None:
    before = theirs(world.root)
    with world.watched():
        for recipe in ("default", "layered", "chat"):
            settings = f'lang = "en"\n[agents]\nrecipe = "{recipe}"\n'
            (world.root / "mdmem.toml").write_text(settings, "utf-8")
            world.hooks()
    assert told(world) == []
    assert theirs(world.root) == before


@pytest.mark.thorough
def test_no_tool_tells_of_others(world: World) -> None:
    before = theirs(world.root)
    with world.watched():
        for name, tool in tools("en").items():
            for arguments in _questions(tool.schema, before):
                world.call(
                    f"tool {name} {arguments}", partial(_ask, name, json.loads(world._filled(json.dumps(arguments))))
                )
        world.tools()
        world.call("files", lambda work: [work.files(), work.status(), list(work.sessions.export())])
    assert told(world) == []
    assert theirs(world.root) == before


def _questions(schema: dict[str, Any], files: dict[str, bytes]) -> Iterator[dict[str, Any]]:
    """Yield arguments for a tool that name each thing of others: by path, as the memory tool writes it, or by id."""
    values = {
        "string": "heron", "integer": 1, "number": 1, "boolean": True, "array": ["heron"], "object": {},
    }  # fmt: skip
    properties = schema["properties"]
    filled = {name: values.get(str(one.get("type")), "heron") for name, one in properties.items()}
    filled = {name: one for name, one in filled.items() if name in schema.get("required", ()) or name == "section"}
    places = [name for name in properties if name in ("path", "old_path", "source", "file", "id", "name", "entry")]
    spellings = ("{}", "/memories/{}", "./{}", "{}#L1")
    named = [spelling.format(path) for path in files for spelling in spellings]
    named = [*each(11, named)]  # 11: all spellings in turn
    named += [
        "users/ann",
        "/memories/users/ann",
        "users",
        "/memories/users",
        "tool:{artifact}",
        "{attachment}",
        "chat:{session}",
    ]
    yield filled
    for place in places:
        yield from ({**{k: v for k, v in filled.items() if k != "section"}, place: one} for one in named)
    if {"start", "len"} & properties.keys():
        yield from ({**filled, "path": path, "start": 1, "len": 40} for path in each(4, list(files)))


def test_no_resource_prompt_or_pack_tells_of_others(world: World) -> None:
    server = MemoryServer(ServerOptions(str(world.root), "en", ("all",), user="bob"))
    with world.watched():
        world.server()
        recipes = tuple(Workspace(world.root).recipes().recipes)
        for uri in (*(f"{FILES}{path}" for path in theirs(world.root)), *(f"{PACKS}{name}" for name in recipes)):
            world.call(f"resource {uri}", partial(_read, server, uri))
        for name in recipes:
            world.call(f"pack {name}", partial(_packed, name))
    assert told(world) == []


def _read(server: MemoryServer, uri: str, _: Workspace) -> str:
    return server._resource(uri, "mcp")


def _packed(name: str, work: Workspace) -> str:
    return work.pack(name, query="heron", agent="main").text


def test_a_connection_can_name_no_other_user(world: World) -> None:
    work = Workspace(world.root, user="bob")
    for ask in (
        lambda: work.of("ann"), lambda: work.pack(user="ann"), lambda: work.scratchpad("ann"),
        lambda: work.sessions.start("x", user="ann"),
    ):  # fmt: skip
        with pytest.raises(MdmemError, match="serves no other"):
            ask()
    given = [set(tool.schema["properties"]) for tool in tools("en").values()]
    assert not any("user" in names for names in given)
