"""Shows the rules of the linter: all of them in a table, or the page of one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import mdmem.linter.rules
from mdmem.doors import emit
from mdmem.doors.report import WORDS
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule

_HEADER = {"zh": ("代码", "名称", "级别", "查什么"), "en": ("code", "name", "severity", "finds")}


def names() -> tuple[str, ...]:
    """Return every code and name of a rule, in small letters."""
    return tuple(word for rule in RULES for word in (rule.code.lower(), rule.name))


def find(word: str) -> Rule | None:
    """Return the rule of a code or a name."""
    return next((rule for rule in RULES if word.lower() in (rule.code.lower(), rule.name)), None)


def listed(lang: str, *, as_json: bool) -> None:
    """Print every rule with its severity and what it finds, as the first sentence of its page says."""
    if as_json:
        emit.json({"rules": [_facts(rule, lang) for rule in RULES]})
        return
    rows = [(rule.code, rule.name, WORDS[lang][rule.severity], _finds(rule, lang)) for rule in RULES]
    print("\n".join(table(_HEADER[lang], rows, ("path", "", "", "dim"), Paint(sys.stdout))))


def page(rule: Rule, lang: str, *, as_json: bool) -> None:
    """Print the page of a rule; on a terminal its headings stand out."""
    text = page_path(rule, lang).read_text("utf-8")
    if as_json:
        emit.json(_facts(rule, lang) | {"page": text})
        return
    print("\n".join(_painted(text, Paint(sys.stdout))))


def page_path(rule: Rule, lang: str = "en") -> Path:
    """Return the place of a rule's page: beside its module, under the same name."""
    stem = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    return Path(mdmem.linter.rules.__file__).parent / f"{stem}{'.zh' if lang == 'zh' else ''}.md"


def _facts(rule: Rule, lang: str) -> dict[str, str]:
    return {"code": rule.code, "name": rule.name, "severity": rule.severity, "finds": _finds(rule, lang)}


def _finds(rule: Rule, lang: str) -> str:
    """Return the first sentence of a rule's page."""
    blank = "" if lang == "zh" else " "
    said = blank.join(page_path(rule, lang).read_text("utf-8").split("\n\n")[1].split("\n"))
    return said.partition("。" if lang == "zh" else ". ")[0].rstrip(".")


def _painted(text: str, paint: Paint) -> Iterator[str]:
    fenced = False
    for line in text.rstrip("\n").split("\n"):
        fence = line.startswith("```")
        fenced ^= fence
        heading = line.startswith("#") and not fenced
        yield paint("bold" if heading else "dim", line) if heading or fenced or fence else line
