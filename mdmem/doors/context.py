"""Print a pack: as a model gets it, as JSON, or as a table of what each part took and what it left out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mdmem.core.counted import counted
from mdmem.doors import emit
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint
from mdmem.workspace.words import Both

if TYPE_CHECKING:
    from mdmem.context.recipe import Recipe, Recipes
    from mdmem.context.result import Pack, Part

_BAR = 20  # cells of a full bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_WORDS: Mapping[str, Both] = {
    "part": Both("部分", "part"),
    "tokens": Both("词元", "tokens"),
    "share": Both("占比", "share"),
    "items": Both("条数", "items"),
    "cut": Both("没有放进来的，和原因", "left out, and why"),
    "recipe": Both("配方", "recipe"),
    "budget": Both("预算", "budget"),
    "parts": Both("依次放入", "parts, in order"),
    "of": Both("共 {tokens} 词元，预算 {budget}", "{tokens:token|tokens} of {budget}"),
    "view": Both("{count} 条超出文件的展示上限", "{count} beyond the file's view"),
    "told": Both("{count} 条已在最新几轮里", "{count} already in the last rounds"),
    "expired": Both("{count} 条已过期", "{count} expired"),
    "nothing": Both("配方 `{recipe}` 没有可放入的内容：{parts}", "recipe `{recipe}` has nothing to pack: {parts}"),
    "nothing.hint": Both(
        "  建议: 写入 {files}；或换一个配方：`mdmem context --list`",
        "  hint: write to {files}; or name another recipe: `mdmem context --list`",
    ),
    "over": Both("{count} 条超出预算", "{count} beyond the budget"),
    "rounds": Both("更早的对话", "earlier rounds"),
    "hidden": Both("{count} 处看不见的内容或密钥", "{count} hidden, or a secret"),
    "retired": Both("{count} 条待归档", "{count:entry that belongs|entries that belong} in the archive"),
    "placeholder": Both("{count} 条占位文字", "{count:placeholder|placeholders}"),
    "output": Both("{count} 段工具原文", "{count:raw output|raw outputs}"),
    "code": Both("{count} 段代码", "{count:block|blocks} of code"),
    "off": Both("记忆已关闭", "memory is off"),
    "missing": Both("没有这个文件或内容", "there is none"),
    "unreadable": Both("读不了", "cannot be read"),
    "unknown": Both("没有相关的记忆", "nothing found about it"),
    "empty": Both("是空的", "is empty"),
    "budget-all": Both("预算不够，整个部分没有放入", "no room for any of it"),
}


def show(pack: Pack, lang: str, *, as_json: bool, explain: bool) -> None:
    """Print a pack."""
    if as_json:
        emit.json(pack.as_dict())
    elif explain:
        print("\n".join(_explained(pack, lang)))
    else:
        emit.raw(pack.text + "\n" if pack.text else "")
    if not pack.text:
        print("\n".join(_nothing(pack, lang)), file=sys.stderr)


def _nothing(pack: Pack, lang: str) -> Iterator[str]:
    """Say why a pack is empty, and what would fill it."""
    joint = "；" if lang == "zh" else "; "
    reasons: dict[str, list[str]] = {}
    for part in pack.parts:
        reasons.setdefault(part.why, []).append(part.title)
    parts = (
        f"{', '.join(titles)}: {_say(lang, 'budget-all' if why == 'budget' else why)}"
        for why, titles in reasons.items()
    )
    yield f"mdmem: {_say(lang, 'nothing', recipe=pack.recipe, parts=joint.join(parts))}"
    files = dict.fromkeys(part.filled_by for part in pack.parts if part.why in ("missing", "empty"))
    if files:
        yield _say(lang, "nothing.hint", files=", ".join(files))


def recipes_table(known: Recipes, lang: str, *, as_json: bool) -> None:
    """List the recipes that there are."""
    if as_json:
        rows = [
            {"name": one.name, "budget": one.budget, "parts": [slot.name for slot in one.slots]}
            for one in known.recipes.values()
        ]
        emit.json({"recipes": rows})
        return
    lines = [(one.name, str(one.budget), _parts(one, lang)) for one in known.recipes.values()]
    header = [_say(lang, key) for key in ("recipe", "budget", "parts")]
    print("\n".join(table(header, lines, ("path", "", ""), Paint(sys.stdout))))


def _parts(recipe: Recipe, lang: str) -> str:
    return " · ".join(slot.title[lang] for slot in recipe.slots)


def _explained(pack: Pack, lang: str) -> list[str]:
    most = max((part.tokens for part in pack.parts), default=0)
    rows = [
        (part.title, str(part.tokens), _bar(part.tokens, most, pack.tokens), str(part.shown), _why(part, lang))
        for part in pack.parts
    ]
    header = [_say(lang, key) for key in ("part", "tokens", "share", "items", "cut")]
    lines = table(header, rows, ("path", "", "note", "", "dim"), Paint(sys.stdout))
    return [*lines, _say(lang, "of", tokens=pack.tokens, budget=pack.budget)]


def _bar(tokens: int, most: int, whole: int) -> str:
    """Draw a part's tokens against the largest part's, in eighths of a cell, with its share of the whole."""
    if not tokens:
        return ""
    cells, eighths = divmod(round(tokens * _BAR * 8 / most), 8)
    bar = "█" * cells + (_EIGHTHS[eighths] if eighths else "")
    return f"{bar or _EIGHTHS[1]} {tokens * 100 // max(1, whole)} %"


def _why(part: Part, lang: str) -> str:
    """Say how much was left out for which reason, and where it stands."""
    counts = Counter(left.why for left in part.left)
    said = [] if not part.why else [_say(lang, "budget-all" if part.why == "budget" else part.why)]
    for why, count in counts.items():
        if not part.why or why != part.why:
            key = {"budget": "over"}.get(why, why)
            said.append(_say(lang, key, count=count) + _places(part, why))
    return ("；" if lang == "zh" else "; ").join(said)


def _places(part: Part, why: str) -> str:
    lines = sorted({(left.path, left.line) for left in part.left if left.why == why and left.path and left.line})
    if not lines:
        return ""
    (path, first), (other, last) = lines[0], lines[-1]
    return f" ({path}:{first}{f'–{last}' if path == other and last != first else '…' if other != path else ''})"


def _say(lang: str, key: str, **facts: object) -> str:
    both = _WORDS[key]
    return (both.zh if lang == "zh" else both.en).format_map(counted(facts))
