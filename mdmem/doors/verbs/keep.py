"""The verb that keeps a memory small: compact."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mdmem.doors.outcome import tell_all
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import UsageError


def compact(
    what: Annotated[str, typer.Argument(help="A memory file, or a kind: `fastmemo`.", show_default=False)] = "",
    plan: Annotated[bool, typer.Option("--plan", help="Show what would change; change nothing.")] = False,
    now: Annotated[bool, typer.Option("--now", help="Also what is not full yet; do not wait after a refusal.")] = False,
    backend: Annotated[
        Literal["rules", "command", "openai", "agent"] | None, typer.Option("--backend", help="Who condenses.")
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the prompt for an agent; change nothing.")] = False,
    apply: Annotated[
        str, typer.Option("--apply", help="A file with the agent's answer, which is proved and written; `-`: a pipe.")
    ] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Condense what has grown: sections at their threshold, files near their limit; the originals go to archive/."""
    if prompt and (apply or plan):
        raise UsageError("--prompt goes with neither --apply nor --plan")
    work = given.workspace(root, lang)
    file = given.path(work, root, what) if what else None
    if prompt:
        print("\n".join(work.compact_prompts(file)), end="")
        return
    answer = given.text(apply) if apply else None
    found = work.compact(file, plan=plan, now=now, backend=backend, apply=answer)
    raise typer.Exit(tell_all(found, work.lang, as_json=json))
