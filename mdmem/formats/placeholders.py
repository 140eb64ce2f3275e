"""Detects placeholders: `[待学习]`, `（待填写）`, `TODO: fill in`, `(Important facts about the user)`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mdmem.formats.template import Template, fold
from mdmem.text.pattern import pattern

_WORDS = (
    "待(?:学习|添加|记录|填写|填|补充|统计|完善|更新|生成|定)|暂无|尚未|还没有|自动生成|请填写|在此填写|此处填写|比如|例如"
    r"|e\.g\.|todo\b|tbd\b|to be (?:filled|added|learned|determined)|your |insert |fill (?:in|this)|add (?:your|here)"
    r"|placeholder|not yet|none yet|nothing yet"
)
_BRACKETS = (
    r"\[{}[^\[\]\r\n]{{0,120}}\]",
    r"\({}[^()\r\n]{{0,120}}\)",
    "（{}[^（）\r\n]{{0,120}}）",
    "【{}[^【】\r\n]{{0,120}}】",
)
_PLACEHOLDER = pattern(
    "|".join(bracket.format(f"(?:{_WORDS})") for bracket in _BRACKETS)
    + r"|(?:todo|tbd)[:：]?|todo[:：]?\s*(?:fill|add|write|complete|describe|填|补)[^\r\n]{0,120}"
    r"|\{\{[^{}\r\n]{0,80}\}\}|<(?:your|insert|fill)[^<>\r\n]{0,80}>|\.{3,6}|…{1,3}",
    re.IGNORECASE,
)
_FIRST = frozenset("[(（【tT{<.…")  # first characters of a placeholder
_LAST = ("]", ")", "）", "】", "}", ">", "...", "…")  # last characters, except of a TODO
_BRACKETED = pattern("|".join(bracket.format("") for bracket in _BRACKETS))
_NO_KEY = frozenset("[(（【\r\n")
_LABEL = pattern(r"\*\*[^*\r\n]{1,60}(?:[:：]\s*\*\*|\*\*\s*[:：])\s*")
_LONGEST_KEY = 41


def is_placeholder(text: str) -> bool:
    """Return whether a text, or the text after its label, is a placeholder."""
    if not text.rstrip().endswith(_LAST) and not any(word in text.lower() for word in ("todo", "tbd")):
        return False  # most memories
    label = _label(text)
    return _matches(text) or _matches(text[label.end() :] if label else _behind_key(text))


def _matches(text: str) -> bool:
    stripped = text.strip()
    return stripped[:1] in _FIRST and _PLACEHOLDER.fullmatch(stripped) is not None


def _label(text: str) -> re.Match[str] | None:
    return _LABEL.match(text) if text.startswith("**") else None


def _behind_key(text: str) -> str:
    """Return the text after a short key and its colon; empty without one."""
    end = min((at for mark in ":：" if (at := text.find(mark, 0, _LONGEST_KEY + 1)) >= 0), default=0)
    key = text[:end]
    return text[end + 1 :] if key and not key[0].isspace() and _NO_KEY.isdisjoint(key) else ""


def is_bracketed(text: str) -> bool:
    """Return whether a whole text is in brackets, as an explanation in a template."""
    stripped = text.strip()
    return (
        bool(_BRACKETED.fullmatch(stripped)) and "::" not in stripped and not any(char.isdigit() for char in stripped)
    )


def is_label(text: str) -> bool:
    """Return whether a text is only a label: `**解决方案**：`."""
    return text.rstrip(" \t*_").endswith((":", "："))


def is_form(text: str) -> bool:
    """Return whether a text is a line of a form, `**Name:** …` or only a label, and not a memory."""
    return bool(_label(text)) or is_label(text)


def folded_line(text: str) -> str:
    """Return a line in the form in which lines of templates are compared."""
    return fold(text) or "".join(text.split())


def boilerplate(templates: Iterable[Template]) -> frozenset[str]:
    """Return the folded lines of templates, such as titles and closing lines, which are not memories."""
    documents = [template.document for template in templates]
    lines = {folded_line(line) for one in documents for line in one.text[one.start :].splitlines() if line[:1] != "#"}
    titles = {f"#{folded_line(section.title)}" for one in documents for section in one.sections}
    return frozenset((*lines, *titles, *(folded_line(comment.text) for one in documents for comment in one.comments)))
