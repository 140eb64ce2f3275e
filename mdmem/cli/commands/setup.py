"""The verbs for setting up: init, config, hook, connect, completion.

The module of `mdmem status` is imported when `init` prints its result: other verbs load their own module only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from json import dumps
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from typer import Argument, Option

from mdmem import Workspace
from mdmem.agents.connect.model import CONNECTABLE, ENDPOINT, KEEPERS, OTHER_NAMES, ConnectableAgent
from mdmem.cli import output
from mdmem.cli.console import Paint, columns, folded, safe, width
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.application import run as run_program
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.completion import settings as setting_keys
from mdmem.cli.grammar.parameters import DryRun, Json, Lang, Root, User, Yes
from mdmem.cli.language import current_language
from mdmem.cli.opened import folder, open_workspace, opened
from mdmem.cli.usage import nearest, usage_error
from mdmem.errors import ExitCode, GitError, UnreadableFileError, WorkspaceNotFoundError
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import ConnectedFile
    from mdmem.agents.connect.model_settings import AskedModel

_FEW = 8  # texts of a list in a table of all settings


def init(
    path: Annotated[str, Argument()] = ".",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Write the files of a new workspace; existing files are not changed."""
    from mdmem.cli.commands.status import print_init

    if not path.strip():
        raise usage_error("empty-path")
    if os.path.lexists(path) and not os.path.isdir(path):
        raise usage_error("init-file", path=path, file=quote(path))
    workspace = Workspace(path, lang=lang)
    opened(workspace.config)  # what it reads of the shipped templates is kept for the next verb
    print_init(workspace.init(), path, workspace.lang, as_json=json)


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish", "powershell"], Argument()],
    lang: Lang = None,  # noqa: ARG001 - read by `current_language`
) -> int:
    """Print the completion script of a shell, as `--show-completion` does for the shell that runs."""
    os.environ["_MDMEM_COMPLETE"] = f"source_{shell}"
    return run_program(())


hook = Verbs()


@hook.command()
def install(root: Root = "", lang: Lang = None) -> None:
    """Install the pre-commit hook, which lints staged files; another hook is not replaced."""
    language = lang or current_language()
    if not Workspace(folder(root), lang=language).install_hook():
        raise GitError(say(language, "cli.hook.another"), hint=say(language, "cli.hook.another.hint"))
    print(say(language, "cli.hook.installed"))


@hook.command()
def uninstall(root: Root = "", lang: Lang = None) -> None:
    """Remove the pre-commit hook; a hook that is not mdmem's is not removed."""
    language = lang or current_language()
    done = Workspace(folder(root), lang=language).uninstall_hook()
    if done == "another":
        raise GitError(say(language, "cli.hook.not-ours"), hint=say(language, "cli.hook.not-ours.hint"))
    print(say(language, f"cli.hook.{done}"))


@hook.command()
def run(
    event: Annotated[str, Argument()] = "",
    agent: Annotated[Literal["claude", "codex", "gemini", "cursor"], Option("--for")] = "claude",
    record: Annotated[bool, Option("--record")] = False,
    root: Root = "",
    user: User = "",
    lang: Lang = None,  # noqa: ARG001 - a hook says nothing
) -> int:
    """Answer an event of an agent; the command line calls `agent_hook` at once, and this is for the help."""
    from mdmem.cli.agent_hook import answer

    return answer({"event": event, "agent": agent, "root": root, "user": user, "record": record})


def _agents() -> tuple[str, ...]:
    return (*CONNECTABLE, ENDPOINT)


def _agent(value: str) -> ConnectableAgent:
    """Return the name of an agent, also for another of its names.

    Raises:
        UsageError: no agent is called so.
    """
    name = value.casefold()
    for found in CONNECTABLE:
        if found in (name, OTHER_NAMES.get(name)):
            return found
    option, names = say(current_language(), "argument.agent"), _agents()
    raise usage_error("choices", nearest(name, names), option=option, choices=", ".join(names), value=value)


def connect(
    call: Call,
    agent: Annotated[str, Argument(autocompletion=_agents)],
    url: Annotated[str, Argument()] = "",
    remove: Annotated[bool, Option("--remove")] = False,
    keeper: Annotated[bool, Option("--keeper")] = False,
    model: Annotated[str | None, Option("--model", metavar="NAME")] = None,
    key_env: Annotated[str | None, Option("--key-env", metavar="NAME")] = None,
    file: Annotated[str | None, Option("--file", metavar="PATH")] = None,
    plugin: Annotated[str | None, Option("--plugin", metavar="DIR")] = None,
    project: Annotated[str | None, Option("--project", metavar="DIR")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> int:
    """Enter mdmem into the settings of an agent, write its plugin or its instruction file, or take these out again.

    With `--keeper`, and for `model`, the model that the keeper asks is entered into the user's own settings.
    """
    places = {"--file": file, "--plugin": plugin, "--project": project}
    _check_places(agent, places)
    words = _ModelWords(url, model, key_env)
    _check_model_words(agent, words, keeper=keeper, elsewhere=any(one is not None for one in places.values()))
    if agent == ENDPOINT or keeper:
        return _connect_model(call, agent, words, remove=remove, dry_run=dry_run)
    name = _agent(agent)
    is_removal = remove and file is plugin is None
    # not `call.work`, which would look around the file of --file
    work = _connected(call, name, project or "") if is_removal else open_workspace(call.root, call.lang, call.user)
    given = {"--project": project, "--root": call.root, "--user": call.user}  # the way back needs them too
    options = "".join(f" {option} {quote(value)}" for option, value in given.items() if value)
    if file is not None:
        path = work.instructions.place(name, file)
        found = _connect_file(work, name, path, remove=remove, dry_run=dry_run)
        after = say(work.lang, "connect.next-file", agent=name, path=file, options=options)
        if work.instructions.is_in_git(path):
            after += "\n" + say(work.lang, "connect.in-git")
    elif plugin is not None:
        found = _write_plugin(work, plugin, remove=remove, dry_run=dry_run)
        after = say(work.lang, "connect.next-plugin", path=plugin, options=options) + _missing_tools(work.lang, name)
    else:
        if not (remove or project or yes or dry_run or call.json) and not _may_follow_links(call, name):
            return ExitCode.NOTHING
        found = _enter(work, name, project or "", remove=remove, dry_run=dry_run)
        after = say(work.lang, f"connect.next-{name}", options=options) + _missing_tools(work.lang, name)
    if call.json:
        output.json({"files": [asdict(one) for one in found]})
    else:
        _print_connected(work.lang, found, after)
        if is_removal and all(one.status == "none" for one in found):
            _print_elsewhere(work, name, project or "")
    return int(any(one.status == "changed" or one.left for one in found))


def _check_places(agent: str, places: Mapping[str, str | None]) -> None:
    """Refuse places that do not go together, and a project that is not there."""
    for option, path in places.items():
        if path is not None and not path.strip():
            raise usage_error("needs-value", option=option, usage=f"{option} PATH", program="mdmem connect")
    if sum(path is not None for path in places.values()) > 1:
        raise usage_error("connect-one")
    if places["--plugin"] is not None and agent != ENDPOINT and _agent(agent) != "claude":
        raise usage_error("connect-plugin")
    project = places["--project"]
    if project and os.path.isfile(project):
        folder_of = quote(os.path.dirname(project) or ".")
        raise usage_error("project-file", kind=UnreadableFileError, path=project, folder=folder_of)
    if project and not os.path.isdir(project):
        raise usage_error("no-project", kind=UnreadableFileError, path=project, folder=quote(project))


class _ModelWords(NamedTuple):
    """What the call says of an endpoint."""

    url: str
    model: str | None
    key_env: str | None


def _check_model_words(agent: str, words: _ModelWords, *, keeper: bool, elsewhere: bool) -> None:
    """Refuse words that do not go together; those that may hold a key are not repeated."""
    if agent != ENDPOINT and os.path.isdir(words.url):
        usage = f"mdmem connect {quote(agent)} --project {quote(words.url)}"
        raise usage_error("connect-folder", folder=words.url, usage=usage)
    if agent != ENDPOINT and any(words):
        raise usage_error("connect-url-only")
    if keeper and _agent(agent) not in KEEPERS:
        raise usage_error("connect-keeper")
    if elsewhere and (keeper or agent == ENDPOINT):
        raise usage_error("connect-keeper-alone")


def _connect_model(call: Call, agent: str, words: _ModelWords, *, remove: bool, dry_run: bool) -> int:
    """Enter the model that the keeper asks into the user's own settings, or take it out again."""
    from mdmem.agents.connect.model_settings import ModelSettings, agent_values, endpoint_values

    lang, tried = call.lang or current_language(), None
    agent = agent if agent == ENDPOINT else _agent(agent)
    settings = ModelSettings(lang)
    if remove:
        found = settings.remove(agent, dry_run=dry_run)
    else:
        if agent == ENDPOINT and not words.url:
            raise usage_error("connect-url")
        url, name, key_env = words
        values = endpoint_values(lang, url, name or "", key_env) if agent == ENDPOINT else agent_values(agent)
        found = settings.enter(agent, values, dry_run=dry_run)
        tried = None if dry_run else settings.ask()
    if call.json:
        output.json({"files": [asdict(found)], "asked": asdict(tried) if tried else None})
    else:
        after = say(lang, "connect.next-model", words=agent if agent == ENDPOINT else f"{agent} --keeper")
        _print_connected(lang, (found,), after)
        if tried:
            _print_asked(lang, agent, tried)
    return int(found.status == "changed" or bool(found.left))


def _print_asked(lang: str, agent: str, tried: AskedModel) -> None:
    """Print what the model answered to one small question, or that it could not be asked."""
    facts = {
        "name": agent,
        "seconds": f"{tried.seconds:.1f}",
        "answer": safe(tried.answer),
        "reason": safe(tried.problem),
    }
    key = "connect.model-silent" if tried.problem else "connect.model-asked"
    print(folded(say(lang, key, **facts), 2))
    if tried.problem:
        print(folded(say(lang, f"{key}.hint", **facts), 2))


def _connected(call: Call, agent: ConnectableAgent, project: str) -> Workspace:
    """Open the workspace that is named, or around, or else the one that the agent's settings name.

    Its folder may be gone: the settings still call it.

    Raises:
        WorkspaceNotFoundError: there is none, or the settings name several.
    """
    from mdmem.agents.connect.unrecorded import connected_workspaces

    try:
        return open_workspace(call.root, call.lang, call.user)
    except WorkspaceNotFoundError:
        named = {one.root for one in connected_workspaces(agent, project)}
        named &= {os.path.abspath(call.root)} if call.root else named
        if len(named) != 1:
            raise
        return Workspace(*named, lang=call.lang, user=call.user)


def _print_elsewhere(work: Workspace, agent: ConnectableAgent, project: str) -> None:
    """Print how to take out the entries of other projects, and those for other folders."""
    from mdmem.agents.connect.service import Connector
    from mdmem.agents.connect.unrecorded import connected_workspaces

    lang = work.lang
    for place in Connector(work).projects(agent):
        print(folded(say(lang, "connect.elsewhere-project", agent=agent, project=quote(safe(place))), 2))
    for root in dict.fromkeys(one.root for one in connected_workspaces(agent, project)):
        print(folded(say(lang, "connect.elsewhere", agent=agent, root=safe(root)), 2))


def _missing_tools(lang: str, agent: ConnectableAgent) -> str:
    """Return what to install for the agent's tools, as a line; empty if nothing is missing."""
    from mdmem.agents.mcp.sdk_loader import has_sdk

    if agent == "hermes" or has_sdk():
        return ""
    return "\n" + say(lang, "punctuation.aside", text=say(lang, "connect.no-tools"), aside=say(lang, "mcp.no-sdk.hint"))


def _connect_file(
    work: Workspace, agent: ConnectableAgent, path: str, *, remove: bool, dry_run: bool
) -> Sequence[ConnectedFile]:
    files = work.instructions
    return (files.remove(path, dry_run=dry_run) if remove else files.connect(agent, path, dry_run=dry_run),)


def _write_plugin(work: Workspace, folder: str, *, remove: bool, dry_run: bool) -> Sequence[ConnectedFile]:
    from mdmem.agents.connect.plugin import ClaudePlugin

    plugin = ClaudePlugin(work)
    return (plugin.remove if remove else plugin.write)(folder, dry_run=dry_run)


def _enter(
    work: Workspace, agent: ConnectableAgent, project: str, *, remove: bool, dry_run: bool
) -> Sequence[ConnectedFile]:
    from mdmem.agents.connect.service import Connector

    connector = Connector(work, project)
    return (connector.disconnect if remove else connector.connect)(agent, dry_run=dry_run)


def _may_follow_links(call: Call, agent: ConnectableAgent) -> bool:
    """Ask at a terminal, where settings of the user's own are links, whether the files behind them may be written."""
    if not sys.stdin.isatty():
        return True
    linked = [one for one in _enter(call.work, agent, "", remove=False, dry_run=True) if one.target]
    asked = (
        call.say("connect.ask-link", path=safe(one.path), target=safe(one.target))
        for one in linked
        if one.status == "planned"
    )
    return all(call.confirmed(question) for question in asked)


def _print_connected(lang: str, found: Sequence[ConnectedFile], after: str) -> None:
    """Print what became of files; `after` says what follows if something was entered."""
    for one in found:
        print(folded(say(lang, f"connect.{one.status}", path=safe(one.path)), 2))
        if one.target:
            print(folded(say(lang, "connect.link", path=safe(one.path), target=safe(one.target)), 2))
        if one.diff and one.status in ("connected", "planned", "removed"):
            print("\n".join(folded(f"  {safe(line)}", 4) for line in one.diff.split("\n")))
        if one.moved:
            print(folded(say(lang, "connect.moved", count=one.moved), 2))
        for place, line in one.left:
            print(folded(say(lang, "connect.left", path=safe(one.path), place=safe(place), line=line), 2))
        if one.disabled_by:
            print(folded(say(lang, "connect.disabled", path=safe(one.path), switch=one.disabled_by), 2))
    if any(one.status == "connected" for one in found):
        print("\n".join(folded(line, 2) for line in after.split("\n")))


config = Verbs(default="show")


@config.command()
def show(
    call: Call,
    keys: Annotated[list[str] | None, Argument(autocompletion=setting_keys)] = None,
    every: Annotated[bool, Option("--all")] = False,
) -> None:
    """Print the settings that differ from the defaults, each with its file and line."""
    found = call.work.settings(every=every or bool(keys))
    if keys:
        found = tuple(one for one in found if one.key.startswith(tuple(keys)))
    if call.json:
        output.json({"settings": [asdict(one) for one in found]})
        return
    paint = Paint(sys.stdout)
    if not found and keys:
        print(call.say("cli.config.unknown", keys=", ".join(keys)))
    elif not found:
        print(call.say("cli.config.none"))
    for setting in found:
        value = safe(dumps(setting.value, ensure_ascii=False)) if keys else _shown(setting.value, call.work.lang)
        location = f"  {paint('path', f'{safe(setting.path)}:{setting.line}')}" if setting.path else ""
        print(folded(f"{setting.key} = {value}", 4) + location)
        if setting.ignored:
            print(f"    {paint('warning', call.say('cli.config.ignored'))}")


def _shown(value: object, lang: str) -> str:
    """Return a value as JSON; of a list that is wider than the terminal only the first texts."""
    whole = safe(dumps(value, ensure_ascii=False))
    if not isinstance(value, list | tuple) or len(value) <= _FEW or width(whole) <= columns():
        return whole
    first = safe(dumps(value[:_FEW], ensure_ascii=False)).removesuffix("]")
    return f"{first}, {say(lang, 'cli.more', count=len(value) - _FEW)}]"
