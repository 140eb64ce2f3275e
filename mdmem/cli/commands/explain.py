"""Shows the rules of the linter: all of them in a table, or the page of one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import Annotated, NamedTuple

from mdmem import RULES, Rule, rule_page, rule_pages_zh
from mdmem.cli import output
from mdmem.cli.language import spoken
from mdmem.cli.lint_report import WORDS
from mdmem.cli.parser.declare import Argument
from mdmem.cli.parser.parameters import Json, Lang
from mdmem.cli.parser.usage import nearest, wrong
from mdmem.cli.table import table
from mdmem.cli.terminal import Paint

_HEADER = {"zh": ("代码", "名称", "级别", "查什么"), "en": ("code", "name", "severity", "finds")}


class Chinese(NamedTuple):
    """A rule's page in Chinese, without its examples."""

    finds: str
    why: str
    fix: str


def names() -> tuple[str, ...]:
    """Return every code and name of a rule, in small letters."""
    return tuple(word for rule in RULES for word in (rule.code.lower(), rule.name))


def find(word: str) -> Rule | None:
    """Return the rule of a code or a name."""
    return next((rule for rule in RULES if word.lower() in (rule.code.lower(), rule.name)), None)


def listed(lang: str, *, as_json: bool) -> None:
    """Print every rule with its severity and what it finds, as the first sentence of its page says."""
    if as_json:
        output.json({"rules": [_facts(rule, lang) for rule in RULES]})
        return
    rows = [(rule.code, rule.name, WORDS[lang][rule.severity], _finds(rule, lang)) for rule in RULES]
    print("\n".join(table(_HEADER[lang], rows, ("path", "", "", "dim"), Paint(sys.stdout))))


def page(rule: Rule, lang: str, *, as_json: bool) -> None:
    """Print the page of a rule; on a terminal its headings stand out."""
    text = _text(rule, lang)
    if as_json:
        output.json(_facts(rule, lang) | {"page": text})
        return
    print("\n".join(_painted(text, Paint(sys.stdout))))


@cache
def chinese() -> dict[str, Chinese]:
    """Return what the pages say in Chinese; their examples are the same."""
    found = {}
    for page in rule_pages_zh().removeprefix("# ").split("\n# "):
        code, *paragraphs = page.strip().split("\n\n")
        found[code] = Chinese(*paragraphs)
    return found


def _text(rule: Rule, lang: str) -> str:
    """Return the page of a rule in a language."""
    page = rule_page(rule)
    if lang != "zh":
        return page
    said, title = chinese()[rule.code], page.partition("\n")[0]
    bad, good = (_examples(page, part) for part in ("Bad", "Good"))
    parts = [title, said.finds, f"## 为什么\n\n{said.why}"]
    parts += [f"## {name}\n\n{found}" for name, found in (("不好", bad), ("好", good)) if found]
    return "\n\n".join((*parts, f"## 修复\n\n{said.fix}")) + "\n"


def _examples(page: str, part: str) -> str:
    """Return the code blocks of a part of a page, without the words between them."""
    inside, fence, blocks = False, "", []
    for line in page.split("\n"):
        if not fence and line.startswith("## "):
            inside = line == f"## {part}"
        elif inside and not fence and line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
            blocks.append([line])
        elif inside and fence:
            blocks[-1].append(line)
            fence = "" if line.rstrip() == fence else fence
    return "\n\n".join("\n".join(block) for block in blocks)


def _facts(rule: Rule, lang: str) -> dict[str, str]:
    return {"code": rule.code, "name": rule.name, "severity": rule.severity, "finds": _finds(rule, lang)}


def _finds(rule: Rule, lang: str) -> str:
    """Return the first sentence of a rule's page."""
    if lang == "zh":
        return chinese()[rule.code].finds.partition("。")[0]
    said = " ".join(rule_page(rule).split("\n\n")[1].split())
    return said.partition(". ")[0].rstrip(".")


def _painted(text: str, paint: Paint) -> Iterator[str]:
    fenced = False
    for line in text.rstrip("\n").split("\n"):
        fence = line.startswith("```")
        fenced ^= fence
        heading = line.startswith("#") and not fenced
        yield paint("bold" if heading else "dim", line) if heading or fenced or fence else line


def explain(
    code: Annotated[
        str, Argument(help="A rule's code or name; none lists all.", zh="规则的代码或名称；不写就列出全部。")
    ] = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Explain a rule: what it finds, why, a bad and a good example, and how it is mended."""

    speaks = lang or spoken()
    if not code:
        listed(speaks, as_json=json)
    elif (rule := find(code)) is not None:
        page(rule, speaks, as_json=json)
    else:
        raise wrong("no-rule", nearest(code.lower(), names()), code=code)


def help(  # noqa: A001 - the verb
    words: Annotated[list[str] | None, Argument(help="A verb, as `pin add`.", zh="命令，例如 `pin add`。")] = None,
    lang: Lang = None,  # noqa: ARG001 - heard by `spoken`
) -> None:
    """Show the help of mdmem, or of a verb."""
    from mdmem.cli import app

    app.explain(words or ())
