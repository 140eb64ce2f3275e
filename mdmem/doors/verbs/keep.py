"""The verb that keeps a memory small: compact."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mdmem.doors import contexts
from mdmem.doors.outcome import tell_all
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import UsageError

_CONTEXT = "context"
_NAMES = ("session", "window")  # what is meant is no file


def compact(
    what: Annotated[
        str,
        typer.Argument(
            help="A memory file, or a kind: `fastmemo`; `session`: the chat windows of open sessions; `context`: "
            "messages from a pipe, a JSON object a line, into the compact memory.",
            show_default=False,
        ),
    ] = "",
    plan: Annotated[bool, typer.Option("--plan", help="Show what would change; change nothing.")] = False,
    now: Annotated[bool, typer.Option("--now", help="Also what is not full yet; do not wait after a refusal.")] = False,
    backend: Annotated[
        Literal["rules", "command", "openai", "agent"] | None, typer.Option("--backend", help="Who condenses.")
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the prompt for an agent; change nothing.")] = False,
    apply: Annotated[
        str, typer.Option("--apply", help="A file with the agent's answer, which is proved and written; `-`: a pipe.")
    ] = "",
    text: Annotated[
        bool, typer.Option("--text", help="Of `context`: print the compact memory, and keep no file of it.")
    ] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Condense what has grown: sections at their threshold, files near their limit; the originals go to archive/."""
    if prompt and (apply or plan):
        raise UsageError("--prompt goes with neither --apply nor --plan")
    if (what == _CONTEXT) < text or (what == _CONTEXT and apply == "-"):
        raise UsageError("--text goes with `context` alone, whose messages come from the pipe")
    work = given.workspace(root, lang)
    answer = given.text(apply) if apply else None
    if what == _CONTEXT:
        messages = contexts.messages(given.text("-"), work.lang)
        if prompt:
            print(work.context_prompt(messages, write=not text), end="")
            return
        made = work.compact_context(messages, write=not text, plan=plan, now=now, backend=backend, apply=answer)
        raise typer.Exit(contexts.told(made, work.lang, as_json=json, text=text))
    file = (what if what in _NAMES else given.meant(work, root, what)) if what else None
    if prompt:
        print("\n".join(work.compact_prompts(file)), end="")
        return
    found = work.compact(file, plan=plan, now=now, backend=backend, apply=answer)
    raise typer.Exit(tell_all(found, work.lang, as_json=json))
