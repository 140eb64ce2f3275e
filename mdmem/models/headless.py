"""Asks an agent's own program as a model: `claude -p`, `codex exec`, `gemini -p`; it needs no key and no endpoint.

The program runs as the user has signed in to it, without tools, hooks, servers of tools and files of a project, in a
folder of its own. The options are those of Claude Code 2.1, Codex 0.171 and Gemini CLI 0.61.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeGuard

from mdmem.config.trust import state_folder
from mdmem.errors import FailureKind, ModelError, WriteError
from mdmem.models import NESTED, Mask, ModelReply, TimeLimit, excerpt
from mdmem.models.command import ProgramRun, run_program
from mdmem.settings.tables import CommandSettings
from mdmem.store.files import make_private_folders, read_private, write_private
from mdmem.text.pattern import pattern

_FOLDER = "asked"  # in the state folder: where the programs start
_MOST_BYTES = 1_000_000  # of the settings of Codex
_SIGN, _WIDE = "@", "\uff20"  # Claude Code reads the file of each `@name` in a question: it is shown the wide sign
# What an agent that started this process has set in its environment: Claude Code refuses to run within Claude Code.
_OUTER = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CODEX_THREAD_ID", "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED", "GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD",
)  # fmt: skip
_GEMINI_SETTINGS = {  # of the folder, which stand above the user's own
    "hooksConfig": {"enabled": False}, "context": {"fileName": "-none-"}, "tools": {"core": ["-"]},
}  # fmt: skip
_SERVER = pattern(r"[\w-]+")  # a name that fits into a dotted key of an option
# Why a program gave no answer, by what it says; the first that fits.
_WORDS: Mapping[FailureKind, str] = {
    "quota": r"usage limit|rate.?limit|quota|resource.?exhausted|credit balance|\b429\b|limit reached|too many",
    "sign-in": r"not logged in|/login|api key|authenticat|unauthori[sz]ed|\b401\b|auth method|sign in|codex login",
    "network": r"unable to connect|connection|network|fetch failed|enotfound|econn|eai_again|lookup address",
}
_SAID = {  # the sentence of each kind
    "quota": "{name} has no quota left: {detail}",
    "sign-in": "{name} is not signed in: {detail}",
    "network": "{name} has no connection: {detail}",
    "time": "{name} took longer than {seconds} seconds",
    "junk": "{name} gave no answer that can be read: {detail}",
    "other": "{name} failed: {detail}",
}


class _Answer(NamedTuple):
    """What a program printed, read in its own form."""

    text: str = ""
    tokens: int = 0
    error: str = ""


def find_program(name: str) -> str:
    """Return the path of an agent's program; empty if it is not on the PATH, or only by a relative folder of it."""
    found = shutil.which(name) or ""
    return found if os.path.isabs(found) else ""


def ask(prompt: str, name: str, settings: CommandSettings, mask: Mask, limit: TimeLimit | None = None) -> ModelReply:
    """Return the answer of an agent's own program to a prompt.

    Args:
        prompt: what is asked.
        name: of the agent.
        settings: how long the program may take, and how much it may print.
        mask: replaces secrets in messages.
        limit: the time that the question shares with others.

    Raises:
        ModelError: the program is not there, or gave no usable answer.
        OutOfTimeError: the time of several questions is over.
    """
    if NESTED in os.environ:
        raise ModelError("{name} is asked within a question to a model", facts={"name": name})
    program = find_program(name)
    if not program:
        raise ModelError(
            "there is no program `{name}` on the PATH", hint="install it, or choose another model",
            facts={"name": name}, why="absent",
        )  # fmt: skip
    agent = _AGENTS[name]
    environment = {key: value for key, value in os.environ.items() if key not in _OUTER}
    environment |= {**agent.environment, NESTED: "1"}
    shown = prompt.replace(_SIGN, _WIDE)
    with _own_folder(name, agent.files) as folder:
        run = [program, *agent.options()]
        done = run_program(run, shown, settings, limit, folder, environment)
    answer = agent.read(done.answer.decode("utf-8", "replace"))
    if done.code == 0 and answer.text.strip() and not answer.error:
        return ModelReply(answer.text.replace(_WIDE, _SIGN), answer.tokens)
    raise _failure(name, done, answer, settings, mask)


def _failure(name: str, done: ProgramRun, answer: _Answer, settings: CommandSettings, mask: Mask) -> ModelError:
    """Return the error that says why there is no answer."""
    said = answer.error or excerpt(done.errors, mask, last=True) or excerpt(done.answer, mask, last=True)
    everything = f"{answer.error}\n{done.errors.decode('utf-8', 'replace')}"
    why: FailureKind = "time" if done.code is None else "junk" if done.code == 0 or done.is_full else "other"
    if not answer.text or done.code:
        why = next((kind for kind, words in _WORDS.items() if re.search(words, everything, re.IGNORECASE)), why)
    detail = excerpt(said.encode("utf-8", "replace"), mask) or f"exit {done.code}"
    facts = {"name": name, "detail": detail, "seconds": settings.seconds}
    return ModelError(_SAID[why], hint="`mdmem doctor --model` tries it again", facts=facts, why=why)


@contextmanager
def _own_folder(name: str, files: Mapping[str, str]) -> Iterator[str]:
    """Make the folder in which a program starts; always the same, for Gemini CLI remembers each.

    It holds nothing but `files`.
    """
    state = state_folder()
    if state is None:
        with TemporaryDirectory(prefix="mdmem-") as folder:
            yield folder
        return
    folder = os.path.join(state, _FOLDER, name)
    try:
        make_private_folders(folder, state)
        tops = {path.partition("/")[0] for path in files}
        for one in os.scandir(folder):
            if one.name not in tops:
                shutil.rmtree(one.path) if one.is_dir(follow_symlinks=False) else os.unlink(one.path)
    except OSError as error:
        raise WriteError("could not be created: {reason}", path=_FOLDER, facts={"reason": error.strerror}) from error
    for path, text in files.items():
        if read_private(os.path.join(folder, path), _MOST_BYTES) != text.encode():
            write_private(os.path.join(folder, path), text.encode(), state, path)
    yield folder


def _claude_options() -> Sequence[str]:
    return (
        "-p", "--output-format", "json", "--setting-sources", "user", "--settings", '{"disableAllHooks": true}',
        "--strict-mcp-config", "--tools", "", "--no-session-persistence", "--disable-slash-commands",
        "--system-prompt", "You answer one question about a text, as it asks. You have no tools.",
    )  # fmt: skip


def _codex_options() -> Sequence[str]:
    off = ("hooks", "shell_tool", "unified_exec", "apps", "plugins", "goals", "multi_agent")
    values = [f"features.{one}=false" for one in off]
    values += ['web_search="disabled"', "project_doc_max_bytes=0", "include_environment_context=false"]
    values += [f"mcp_servers.{one}.enabled=false" for one in _codex_servers()]
    values += ["skills.include_instructions=false"]
    return (
        "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only",
        *(word for one in values for word in ("-c", one)), "-",
    )  # fmt: skip


def _codex_servers() -> list[str]:
    """Return the servers of tools in the user's settings of Codex: only by its name is one left out."""
    home = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
    with suppress(ValueError, RecursionError, AttributeError):
        found = tomllib.loads((read_private(os.path.join(home, "config.toml"), _MOST_BYTES) or b"").decode())
        return [one for one in found.get("mcp_servers", {}) if _SERVER.fullmatch(one)]
    return []


def _gemini_options() -> Sequence[str]:
    return (
        "-p", "Answer as the text above asks.", "--output-format", "json", "--skip-trust", "-e", "none",
        "--allowed-mcp-server-names=-", "--approval-mode", "plan",
    )  # fmt: skip


def _read_claude(text: str) -> _Answer:
    found = _json(text)
    found = next((one for one in reversed(found) if isinstance(one, dict)), {}) if isinstance(found, list) else found
    said, used = _text(found.get("result")), found.get("usage")
    counts = used.items() if _is_map(used) else ()
    tokens = sum(_number(value) for key, value in counts if key.endswith("_tokens"))
    return _Answer(error=said or "error") if found.get("is_error") else _Answer(said, tokens)


def _read_codex(text: str) -> _Answer:
    """Read the events, one a line; an error before the end is a notice, unless the turn failed or nothing was said."""
    events = [one for line in text.splitlines() if (one := _json(line))]
    said, tokens, errors = "", 0, []
    failed = False
    for event in events:
        item, used, kind = event.get("item"), event.get("usage"), event.get("type")
        if _is_map(item) and item.get("type") == "agent_message":
            said = _text(item.get("text"))
        if kind == "turn.completed" and _is_map(used):
            tokens = _number(used.get("input_tokens")) + _number(used.get("output_tokens"))
        if kind in ("turn.failed", "error"):
            failed = failed or kind == "turn.failed"
            held = event.get("error")
            errors.append(_text(held.get("message")) if _is_map(held) else _text(event.get("message")))
    return _Answer(error=errors[-1]) if errors and (failed or not said) else _Answer(said, tokens)


def _read_gemini(text: str) -> _Answer:
    found = _json(text[text.find("{") :])
    if _is_map(error := found.get("error")):
        return _Answer(error=_text(error.get("message")) or "error")
    stats = found.get("stats")
    models = stats.get("models") if _is_map(stats) else None
    used = [one.get("tokens") for one in models.values() if _is_map(one)] if _is_map(models) else []
    return _Answer(_text(found.get("response")), sum(_number(one.get("total")) for one in used if _is_map(one)))


def _json(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the object or list that a text is; an empty object for any other text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict | list) else {}


def _is_map(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if type(value) is int and value > 0 else 0


class _Agent(NamedTuple):
    """How one program is asked."""

    options: Callable[[], Sequence[str]]
    read: Callable[[str], _Answer]
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}  # that its folder holds


_AGENTS: Mapping[str, _Agent] = {
    "claude": _Agent(
        _claude_options, _read_claude, {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
         "CLAUDE_CODE_MAX_RETRIES": "2"},
    ),
    "codex": _Agent(_codex_options, _read_codex),
    "gemini": _Agent(
        _gemini_options, _read_gemini, {"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        {".gemini/settings.json": json.dumps(_GEMINI_SETTINGS)},
    ),
}  # fmt: skip
