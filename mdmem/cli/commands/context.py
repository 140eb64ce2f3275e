"""`mdmem context`: print a pack, or propose an edited state. `mdmem tool`: list and call the tools of agents."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import folded, table
from mdmem.cli.grammar import completion, parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.misplaced_section import line_with
from mdmem.cli.grammar.parameters import Agent
from mdmem.cli.language import current_language
from mdmem.cli.usage import is_text, usage_error
from mdmem.errors import MdmemError, exit_code
from mdmem.facade import DEFAULT
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.tools.model import reply_from_error

if TYPE_CHECKING:
    from mdmem import Pack, PackPart, Recipe, Recipes

_BAR = 20  # cells of a full bar
# reasons for omitted items that are shown elsewhere or contain nothing
_NOT_MISSED = ("told", "repeated", "elsewhere", "placeholder", "missing", "empty", "unknown")
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_pack(pack: Pack, lang: str, *, as_json: bool, explain: bool) -> None:
    """Print a pack."""
    if as_json:
        output.json(pack.as_dict())
    elif explain:
        print("\n".join(_explained(pack, lang)))
    else:
        output.raw(pack.text + "\n" if pack.text else "")
        sys.stdout.flush()
    if not pack.text:
        print("\n".join(folded(line, 2, sys.stderr) for line in _why_empty(pack, lang)), file=sys.stderr)
    elif not (as_json or explain) and (phrases := _left_out(pack, lang)):
        print(phrases, file=sys.stderr)


def _left_out(pack: Pack, lang: str) -> str:
    """Return a line with the number of omitted items and the reasons; empty if nothing is lost."""
    counts = Counter(left.why for left in pack.left if left.why not in _NOT_MISSED)
    phrases = [_count(lang, why, count) for why, count in counts.items()]
    phrases += [f"{part.title}: {say(lang, _reason(part.why))}" for part in pack.parts if part.why == "unreadable"]
    listed = say(lang, "punctuation.comma").join(phrases)
    return say(lang, "cli.context.left-out", listed=listed, recipe=pack.recipe) if phrases else ""


def _why_empty(pack: Pack, lang: str) -> Iterator[str]:
    """Yield the reason why a pack is empty, and what would fill it."""
    if any(part.why == "budget" for part in pack.parts):
        yield f"mdmem: {say(lang, 'cli.context.too-small', budget=pack.budget, recipe=pack.recipe)}"
        return
    separator = say(lang, "punctuation.clause")
    reasons: dict[str, list[str]] = {}
    missed = [part for part in pack.parts if not (part.why == "missing" and part.filled_by.startswith("--"))]
    for part in missed:  # nobody asked for what only an option fills
        reasons.setdefault(part.why, []).append(part.title)
    parts = (f"{', '.join(titles)}: {say(lang, _reason(why))}" for why, titles in reasons.items())
    yield f"mdmem: {say(lang, 'cli.context.nothing', recipe=pack.recipe, parts=separator.join(parts))}"
    files = dict.fromkeys(part.filled_by for part in missed if part.why in ("missing", "empty"))
    if files:
        yield say(lang, "cli.context.nothing.hint", files=", ".join(files))


def print_recipes(call: Call, found: Recipes) -> None:
    """Print a table of the recipes."""
    columns = {"cli.context.recipe": "path", "cli.context.budget": "", "cli.context.parts": ""}

    def fields(one: Recipe) -> object:
        return {"name": one.name, "budget": one.budget, "parts": [slot.name for slot in one.slots]}

    def row(one: Recipe) -> Sequence[str]:
        return one.name, str(one.budget), " · ".join(slot.titled(call.work.lang) for slot in one.slots)

    call.print_list("recipes", tuple(found.recipes.values()), columns, row, fields=fields)


def _explained(pack: Pack, lang: str) -> list[str]:
    most = max((part.tokens for part in pack.parts), default=0)
    rows = [
        (part.title, str(part.tokens), _bar(part.tokens, most, pack.tokens), str(part.shown), _why(part, lang))
        for part in pack.parts
    ]
    header = [say(lang, f"cli.context.{key}") for key in ("part", "tokens", "share", "items", "cut")]
    lines = table(header, rows, ("path", "", "note", "", "dim"))
    lines.append(say(lang, "cli.context.of", tokens=pack.tokens, budget=pack.budget))
    grown = [f"{part.title} {part.grown}" for part in pack.parts if part.grown]
    listed = say(lang, "punctuation.comma").join(grown)
    return [*lines, *([say(lang, "cli.context.grows", listed=listed)] if grown else [])]


def _bar(tokens: int, most: int, whole: int) -> str:
    """Return a bar of a part's tokens relative to the largest part, and its share of the whole."""
    if not tokens:
        return ""
    cells, eighths = divmod(round(tokens * _BAR * 8 / most), 8)
    bar = "█" * cells + (_EIGHTHS[eighths] if eighths else "")
    return f"{bar or _EIGHTHS[1]} {tokens * 100 // max(1, whole)} %"


def _why(part: PackPart, lang: str) -> str:
    """Return the number of omitted items by reason, and their location."""
    counts = Counter(left.why for left in part.left)
    reason = part.why if part.why != "repeated" else ""  # the number of its lines tells it
    phrases = [say(lang, _reason(reason))] if reason else []
    for why, count in counts.items():
        if why != reason or why == "budget":  # that there was no room does not tell how much is left out
            phrases.append(_count(lang, why, count) + _location(part, why))
    return say(lang, "punctuation.clause").join(phrases)


def _reason(why: str) -> str:
    """Return the message key for the reason why a part is empty."""
    return "cli.context.budget-all" if why == "budget" else f"cli.context.{why}"


def _count(lang: str, why: str, count: int) -> str:
    key = "cli.context.over" if why == "budget" else f"cli.context.{why}"
    return say(lang, key, count=count)


def _location(part: PackPart, why: str) -> str:
    lines = sorted({(left.path, left.line) for left in part.left if left.why == why and left.path and left.line})
    if not lines:
        return ""
    (path, first), (other, last) = lines[0], lines[-1]
    return f" ({path}:{first}{f'–{last}' if path == other and last != first else '…' if other != path else ''})"


def context(
    call: Call,
    recipe: Annotated[str, Argument(autocompletion=completion.recipes)] = DEFAULT,
    budget: Annotated[int | None, Option("--budget", "-b", min=0)] = None,
    query: Annotated[str, Option("--query", "-q")] = "",
    result: Annotated[str, Option("--result")] = "",
    rounds: Annotated[str, Option("--rounds")] = "",
    prompt: Annotated[str, Option("--prompt")] = "",
    contract: Annotated[str, Option("--contract")] = "",
    agent: Agent = "",
    persona: Annotated[str, Option("--persona")] = "",
    knowledge: Annotated[list[str] | None, Option("--knowledge")] = None,
    folder: Annotated[str, Option("--folder")] = "",
    state: Annotated[str, Option("--propose")] = "",
    listed: Annotated[bool, Option("--list")] = False,
    explain: Annotated[bool, Option("--explain")] = False,
) -> int:
    """Print the pack of a recipe, or propose the changes of an edited state."""
    if call.json and explain:
        raise usage_error("json-explain")
    work = call.work
    if is_text(recipe) and recipe not in work.recipes().recipes:
        raise usage_error("recipe-text", text=recipe, usage=line_with(recipe, ["-q", recipe]))
    if state:
        return call.print(work.propose_state(parameters.decoded(state), agent=agent or None), diff=False)
    if listed:
        print_recipes(call, work.recipes())
        return 0
    found = work.pack(
        recipe,
        budget=budget,
        query=query,
        tool_result=result or None,
        rounds=_rounds(rounds) if rounds else None,
        prompt=parameters.text(prompt),
        tool_contract=parameters.text(contract),
        agent=agent or None,
        persona=persona,
        knowledge=knowledge or (),
        folder=folder,
    )
    print_pack(found, work.lang, as_json=call.json, explain=explain)
    return 0


def _rounds(source: str) -> list[Any]:
    found = parameters.decoded(source)
    if not isinstance(found, list):
        raise usage_error("no-messages")
    return [tuple(one) if isinstance(one, list) else one for one in found]


tool = Verbs(default="list")


@tool.command("list")
def list_(call: Call) -> None:
    """Print the tools; with --json their schemas in the form of model APIs."""

    def row(one: dict[str, Any]) -> Sequence[str]:
        return one["name"], re.split(r"(?<=。)|(?<=[.]) ", one["description"])[0]  # the first sentence

    call.print_list("tools", call.work.tools(), {"cli.tool": "path", "cli.does": ""}, row, fields=lambda one: one)


@tool.command("call")
def call_(
    call: Call,
    name: Annotated[str, Argument()],
    actor: Annotated[str, Option("--actor")] = "agent",
    session: Annotated[str, Option("--session")] = "",
) -> int:
    """Call a tool with the JSON object on the standard input, and print its reply as one JSON object."""
    try:
        work = call.work
        given = parameters.text("-")
        arguments = parameters.json_of(given, "-") if given.strip() else {}
        reply = work.call(name, arguments, actor=actor, session=session)
    except MdmemError as error:  # a program reads this output, so errors are replies too
        reply = reply_from_error(in_language(error, call.lang or current_language())).as_dict()
    output.json(reply)
    return exit_code(reply.get("code", "")) or int(reply["status"] in ("unchanged", "findings"))
