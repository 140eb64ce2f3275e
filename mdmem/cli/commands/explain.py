"""`mdmem explain` and `mdmem help`: the rules of the linter, and the help of a verb."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Annotated

from typer import Argument, Option

from mdmem import RULES, Rule, rule_page
from mdmem.cli import app, output
from mdmem.cli.console import Paint, folded, table
from mdmem.cli.grammar import completion
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Lang, Root
from mdmem.cli.language import current_language
from mdmem.cli.usage import nearest, usage_error
from mdmem.messages.catalog import label, say
from mdmem.text.inline import is_dense

_BLOCK = re.compile(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1(?:\n+|\Z)")  # a longer fence may hold a shorter one
_COLUMNS = ("code", "name", "severity", "finds")


def names() -> tuple[str, ...]:
    """Return the codes and names of all rules in lower case."""
    return tuple(word for rule in RULES for word in (rule.code.lower(), rule.name))


def find(word: str) -> Rule | None:
    """Return the rule with a code or name; None if there is none."""
    return next((rule for rule in RULES if word.lower() in (rule.code.lower(), rule.name)), None)


def print_rules(lang: str, *, as_json: bool) -> None:
    """Print a table of all rules with severity and title."""
    if as_json:
        output.json({"rules": [_facts(rule, lang) for rule in RULES]})
        return
    rows = [(rule.code, rule.name, say(lang, f"cli.lint.{rule.severity}"), _finds(rule, lang)) for rule in RULES]
    header = [say(lang, f"cli.rule.{name}") for name in _COLUMNS]
    print("\n".join(table(header, rows, ("path", "", "", "dim"))))


def print_page(rule: Rule, lang: str, *, as_json: bool) -> None:
    """Print the page of a rule."""
    text = _in_script_of(_text(rule, lang), lang)
    if as_json:
        output.json(_facts(rule, lang) | {"page": text})
        return
    print("\n".join(_painted(_unwrapped(text) if sys.stdout.isatty() else text, Paint(sys.stdout))))


def _text(rule: Rule, lang: str) -> str:
    """Return the page of a rule in a language, or else in English."""
    page, key = rule_page(rule), f"pages.{rule.code}"
    if not label(lang, f"{key}.finds", ""):
        return page
    title, finds = page.partition("\n")[0], say(lang, f"{key}.finds")
    _, bad, good, _ = map(_examples, _parts(page, "en"))
    parts = [("why", say(lang, f"{key}.why")), ("bad", bad), ("good", good), ("fix", say(lang, f"{key}.fix"))]
    shown = [f"## {say(lang, f'cli.rule.{name}')}\n\n{text}" for name, text in parts if text]
    return "\n\n".join((title, finds, *shown)) + "\n"


def _parts(page: str, lang: str) -> list[str]:
    """Split a page before the headings of its examples and of its fix."""
    names = "|".join(re.escape(say(lang, f"cli.rule.{name}")) for name in ("bad", "good", "fix"))
    return re.split(rf"(?m)^(?=## (?:{names})$)", page)


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the prose and the code blocks of a text in turn, each with whether it is code."""
    start = 0
    for block in _BLOCK.finditer(text):
        yield False, text[start : block.start()]
        yield True, block[0]
        start = block.end()
    yield False, text[start:]


def _examples(part: str) -> str:
    """Return the code blocks of a part of a page."""
    return "".join(piece for is_code, piece in _pieces(part) if is_code).rstrip()


def _in_script_of(page: str, lang: str) -> str:
    """Return a page with the examples in the script of a language, in each part that has some.

    Scripts without spaces between words, such as Chinese and Japanese, are one script here; all others the other one.
    """
    parts, wanted = _parts(page, lang), _is_dense(say(lang, "cli.rule.finds"))
    for number, part in enumerate(parts):
        pieces = tuple(_pieces(part))
        if any(is_code and _is_dense(piece) == wanted for is_code, piece in pieces):
            parts[number] = "".join(piece for is_code, piece in pieces if not is_code or _is_dense(piece) == wanted)
    return "".join(parts)


def _is_dense(text: str) -> bool:
    return any(map(is_dense, text))


def _facts(rule: Rule, lang: str) -> dict[str, str]:
    return {"code": rule.code, "name": rule.name, "severity": rule.severity, "finds": _finds(rule, lang)}


def _finds(rule: Rule, lang: str) -> str:
    """Return the title of a rule."""
    return say(lang, f"rules.{rule.code}.title")


def _unwrapped(text: str) -> str:
    """Return a page with each paragraph on one line, which a terminal folds to its own width."""
    return "".join(
        piece if is_code else re.sub(r"(?<=[^\n])\n(?=[^\n\s#|*-])", " ", piece) for is_code, piece in _pieces(text)
    )


def _painted(text: str, paint: Paint) -> Iterator[str]:
    for is_code, piece in _pieces(text.rstrip("\n")):
        for line in piece.removesuffix("\n").split("\n") if piece else ():
            style = "dim" if is_code else "bold" if line.startswith("#") else ""
            yield paint(style, line) if style else folded(line)


def explain(call: Call, code: Annotated[str, Argument(autocompletion=completion.rules)] = "") -> None:
    """Print the page of a rule, or a table of all rules."""
    language = call.lang or current_language()
    if not code:
        print_rules(language, as_json=call.json)
    elif (rule := find(code)) is not None:
        print_page(rule, language, as_json=call.json)
    else:
        meant = find(nearest(code.lower(), names()))
        is_name = meant is not None and nearest(code.lower(), (meant.code.lower(), meant.name)) == meant.name
        raise usage_error("no-rule", (meant.name if is_name else meant.code) if meant else "", code=code)


def help(  # noqa: A001 - the verb
    words: Annotated[list[str] | None, Argument()] = None,
    every: Annotated[bool, Option("--all")] = False,
    root: Root = "",  # noqa: ARG001 - read by `current_language`
    lang: Lang = None,  # noqa: ARG001 - read by `current_language`
) -> int:
    """Print the help of mdmem, or of a verb."""
    return app.through_typer([*(words or ()), "--help"], show_all=every)
