"""The verb that packs: context."""

from __future__ import annotations

from typing import Annotated, Any

from mdmem.doors import context as page
from mdmem.doors.declare import Argument, Option
from mdmem.doors.outcome import tell
from mdmem.doors.usage import wrong
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.workspace.pack import DEFAULT


def context(
    recipe: Annotated[
        str, Argument(help="The recipe; `--list` shows them all.", zh="配方；`--list` 列出全部。")
    ] = DEFAULT,
    budget: Annotated[
        int | None, Option("--budget", "-b", min=0, help="Tokens of the whole.", zh="总共多少词元。")
    ] = None,
    query: Annotated[str, Option("--query", "-q", help="What to recall.", zh="要回忆什么。")] = "",
    result: Annotated[
        str,
        Option("--result", help="The artifact that holds the tool result at hand.", zh="存着当前工具结果的那次运行。"),
    ] = "",
    rounds: Annotated[
        str,
        Option(
            "--rounds",
            help="A file with the chat, as a JSON list of messages; `-`: a pipe.",
            zh="存着对话的文件，JSON 消息列表；`-` 从管道读。",
        ),
    ] = "",
    prompt: Annotated[str, Option("--prompt", help="A file with the base prompt.", zh="存着基础提示词的文件。")] = "",
    contract: Annotated[
        str, Option("--contract", help="A file with the tool contract.", zh="存着工具约定的文件。")
    ] = "",
    agent: Annotated[str, Option("--agent", help="Whose own files come first.", zh="谁自己的文件排在前面。")] = "",
    state: Annotated[
        str,
        Option(
            "--propose",
            help="A file with an edited state, from `--json`: its changes wait in the inbox.",
            zh="改过的状态文件（来自 `--json`）：改动先放进收件箱等确认。",
        ),
    ] = "",
    listed: Annotated[bool, Option("--list", help="List the recipes.", zh="列出配方。")] = False,
    explain: Annotated[
        bool,
        Option(
            "--explain", help="Show what each part took and what it left out.", zh="显示每一部分占了多少、略去了什么。"
        ),
    ] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Print what a model gets: the parts of a recipe, in order, within a budget of tokens."""
    if json and explain:
        raise wrong("json-explain")
    work = given.workspace(root, lang)
    if state:
        proposed = work.propose_state(given.decoded(state), agent=agent or None)
        return tell(proposed, work.lang, as_json=json)
    if listed:
        page.recipes_table(work.recipes(), work.lang, as_json=json)
        return 0
    found = work.pack(
        recipe,
        budget=budget,
        query=query,
        tool_result=result or None,
        rounds=_rounds(rounds) if rounds else None,
        prompt=given.text(prompt) if prompt else "",
        tool_contract=given.text(contract) if contract else "",
        agent=agent or None,
    )
    page.show(found, work.lang, as_json=json, explain=explain)
    return 0


def _rounds(place: str) -> list[Any]:
    found = given.decoded(place)
    if not isinstance(found, list):
        raise wrong("no-messages")
    return [tuple(one) if isinstance(one, list) else one for one in found]
