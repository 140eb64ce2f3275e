"""The verb that packs: context."""

from __future__ import annotations

from json import JSONDecodeError, loads
from typing import Annotated, Any

import typer

from mdmem.doors import context as page
from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import UsageError
from mdmem.workspace.pack import DEFAULT


def context(
    recipe: Annotated[str, typer.Argument(help="The recipe; `--list` shows them all.")] = DEFAULT,
    budget: Annotated[int | None, typer.Option("--budget", "-b", min=0, help="Tokens of the whole.")] = None,
    query: Annotated[str, typer.Option("--query", "-q", help="What to recall.")] = "",
    result: Annotated[str, typer.Option("--result", help="The artifact that holds the tool result at hand.")] = "",
    rounds: Annotated[
        str, typer.Option("--rounds", help="A file with the chat, as a JSON list of messages; `-`: a pipe.")
    ] = "",
    prompt: Annotated[str, typer.Option("--prompt", help="A file with the base prompt.")] = "",
    contract: Annotated[str, typer.Option("--contract", help="A file with the tool contract.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Whose own files come first.")] = "",
    state: Annotated[
        str,
        typer.Option("--propose", help="A file with an edited state, from `--json`: its changes wait in the inbox."),
    ] = "",
    listed: Annotated[bool, typer.Option("--list", help="List the recipes.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each part took and what it left out.")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Print what a model gets: the parts of a recipe, in order, within a budget of tokens."""
    if json and explain:
        raise UsageError("--json goes without --explain: it holds all that is explained")
    work = given.workspace(root, lang)
    if state:
        raise typer.Exit(
            tell(
                work.propose_state(_json(given.text(state), "the state"), agent=agent or None), work.lang, as_json=json
            )
        )
    if listed:
        page.recipes_table(work.recipes(), work.lang, as_json=json)
        return
    found = work.pack(
        recipe,
        budget=budget,
        query=query,
        tool_result=result or None,
        rounds=_rounds(given.text(rounds)) if rounds else None,
        prompt=given.text(prompt) if prompt else "",
        tool_contract=given.text(contract) if contract else "",
        agent=agent or None,
    )
    page.show(found, work.lang, as_json=json, explain=explain)


def _json(text: str, what: str) -> Any:  # noqa: ANN401 - JSON is what it is; the caller checks
    try:
        return loads(text)
    except (JSONDecodeError, RecursionError) as error:
        raise UsageError(f"{what} is no JSON: {error}") from error


def _rounds(text: str) -> list[Any]:
    found = _json(text, "the chat")
    if not isinstance(found, list):
        raise UsageError("the chat is a JSON list of messages with `role` and `content`")
    return [tuple(one) if isinstance(one, list) else one for one in found]
