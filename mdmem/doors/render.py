"""Renders what the slower verbs give, with rich: tables, bars and rule pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import mdmem.linter.rules
from mdmem.doors.report import WORDS, plural
from mdmem.doors.terminal import safe
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule
from mdmem.workspace.init import Made
from mdmem.workspace.status import FileStatus, SectionStatus

_BAR = 6  # cells; the table fits eighty columns
_WORDS = {
    "en": {
        "file": "file", "kind": "kind", "entries": "entries", "size": "size", "state": "state", "waits": "waits",
        "ok": "ok", "none": "no memory files yet",
        "hint": "`mdmem lint` says where and why",
        "kept": " (already present)", "later": " (comes with its first entry)",
        "next": "Next: {command}, or open a file and write.",
        "too-large": "{bytes} bytes: too large to read and to search",
        "gone": "deleted", "lost": "clobbered",
        "restore": "`mdmem restore FILE` brings back what was deleted or clobbered",
    },
    "zh": {
        "file": "文件", "kind": "种类", "entries": "条目", "size": "大小", "state": "状态", "waits": "待处理",
        "ok": "正常", "none": "还没有记忆文件",
        "hint": "`mdmem lint` 会告诉你在哪里、为什么",
        "kept": "（已有，没有动）", "later": "（写第一条时才建）",
        "next": "接下来：{command}，或打开文件直接写。",
        "too-large": "{bytes} 字节：太大，不读取，也搜不到",
        "gone": "被删掉了", "lost": "丢了内容",
        "restore": "`mdmem restore 文件` 可以找回被删掉或丢了内容的文件",
    },
}  # fmt: skip


def made(result: Made, path: str, lang: str) -> None:
    """Print a line for each file: what belongs there, and whether it is new, was present, or comes later."""
    console = Console(highlight=False, soft_wrap=True)
    words = _WORDS[lang]
    width = max(map(len, (*result.written, *result.kept, *result.later)), default=0)
    groups = (("[green]+[/]", result.written, ""), ("=", result.kept, "kept"), ("[dim]·[/]", result.later, "later"))
    for mark, names, note in groups:
        for name in names:
            said = safe(result.purposes.get(name, "")) + (words[note] if note else "")
            console.print(f"{mark} {name:<{width}}  [dim]{escape(said)}[/]")
    where = "" if path == "." else f" {path}"
    console.print(words["next"].format(command=f"[bold]mdmem lint{escape(where)}[/]"))


def status_json(found: Sequence[FileStatus]) -> None:
    """Print the status as one JSON object."""
    rows = [one._asdict() | {"sections": [section._asdict() for section in one.sections]} for one in found]
    print(json.dumps({"files": rows}, ensure_ascii=False, indent=1))


def status_table(found: Sequence[FileStatus], lang: str) -> None:
    """Print the status as a table: sections with bars against their caps, size, what waits, what is broken."""
    words, console = _WORDS[lang], Console(highlight=False)
    if not found:
        console.print(words["none"])
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("file", "kind", "entries", "size", "state"):
        table.add_column(words[column], overflow="fold", no_wrap=column in ("kind", "entries", "size"))
    for one in found:
        table.add_row(Text(safe(one.path)), Text(one.kind, "dim"), _entries(one), _size(one), _state(one, lang))
        for section in one.sections:
            if section.max is not None:
                table.add_row(Text(f"  {safe(section.name)}", "dim"), "", _section(section), "", "")
    console.print(table)
    if any(one.errors or one.warnings for one in found):
        console.print(words["hint"], style="dim")
    if any(one.lost for one in found):
        console.print(words["restore"], style="dim")


def _bar(share: float) -> Text:
    full = min(_BAR, round(share * _BAR)) or (1 if share > 0 else 0)
    style = "red" if share > 1 else "yellow" if share >= 1 else "green"
    return Text.assemble(("━" * full, style), ("━" * (_BAR - full), "bright_black"))


def _entries(one: FileStatus) -> Text:
    if one.max_entries is None:
        return Text(f"{one.entries}")
    return Text.assemble(_bar(one.entries / one.max_entries), f" {one.entries}/{one.max_entries}")


def _section(section: SectionStatus) -> Text:
    most = section.max or 1
    return Text.assemble(_bar(section.entries / most), f" {section.entries}/{most}", (" ⏳" if section.pending else ""))


def _size(one: FileStatus) -> Text:
    if one.max_chars is None:
        return Text(f"{one.chars}")
    return Text.assemble(_bar(one.chars / one.max_chars), f" {_short(one.chars)}/{_short(one.max_chars)}")


def _short(number: int) -> str:
    return f"{number}" if number < 10_000 else f"{number / 1000:.0f}k"


def _state(one: FileStatus, lang: str) -> Text:
    parts = [Text(f"✗ {plural(one.errors, WORDS[lang]['errors'], lang)}", "red")] if one.errors else []
    if one.warnings:
        parts.append(Text(f"! {plural(one.warnings, WORDS[lang]['warnings'], lang)}", "yellow"))
    if one.too_large:
        parts.append(Text(f"! {_WORDS[lang]['too-large'].format(bytes=one.too_large)}", "yellow"))
    if one.lost:
        key = "gone" if one.lost == "gone" else "lost"
        parts.append(Text(f"! {_WORDS[lang][key]}", "yellow"))
    parts += [Text(f"⏳ {reason}", "cyan") for reason in one.pending]
    return Text("\n").join(parts) if parts else Text(f"✓ {_WORDS[lang]['ok']}", "green")


def rules_table() -> None:
    """List every rule with its code, name, severity and what it finds, as its page says."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("code", "name", "severity", "finds"):
        table.add_column(column)
    for rule in RULES:
        colour = {"error": "red", "warning": "yellow", "note": "cyan"}[rule.severity]
        table.add_row(rule.code, Text(rule.name, "bold"), Text(rule.severity, colour), Text(_finds(rule), "dim"))
    Console(highlight=False).print(table)


def _finds(rule: Rule) -> str:
    """Give the first sentence of a rule's page."""
    said = " ".join(page_path(rule).read_text("utf-8").split("\n\n")[1].split())
    return said.partition(". ")[0].rstrip(".")


def page(word: str) -> bool:
    """Print a rule's page; False where no rule is called so."""
    rule = next((rule for rule in RULES if word.lower() in (rule.code.lower(), rule.name)), None)
    if rule is None:
        return False
    text = page_path(rule).read_text("utf-8")
    console = Console()
    console.print(Markdown(text) if console.is_terminal else text, highlight=False, markup=False, soft_wrap=True)
    return True


def page_path(rule: Rule) -> Path:
    """Give the place of a rule's page: beside its module, under the same name."""
    return Path(mdmem.linter.rules.__file__).parent / f"{rule.code.lower()}_{rule.name.replace('-', '_')}.md"
