"""MM109: front matter that cannot be read as keys and values."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_UNCLOSED = pattern(r"\ufeff?(---)[ \t]*(?:\r\n|\r|\n)[\w-]+[ \t]*:(?=[ \t\r\n])")
_KEY = pattern(r"(?:[ \t]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+[\w-]+[ \t]*:(?=[ \t\r\n]|\Z)")  # after blanks and comments
_SECOND = pattern(r"---[ \t]*(?:\r\n|\r|\n)[\w-]+[ \t]*:(?=[ \t\r\n])[^\n]*\n(?:[^\n]*\n){0,200}?---[ \t]*(?:\r|\n|\Z)")
_NUL = pattern(r"(?<!\\)(?:\\\\){0,8}\\(?:0|x00|u0000|U00000000)")
_BLANK = pattern(r"\{\{[^{}\r\n]{1,80}\}\}|<%[^\r\n]{1,120}?%>")  # what a note that is a form leaves to be filled in
_ESCAPED = ("artifact", "session")  # kinds in which mdmem itself escapes what was given
_WRITES_NUL = LocalizedFact("writes a NUL character", "写入了 NUL 字符")
_WORD = LocalizedFact("write `name: value`", "请写成 `名称: 值`")
_DELETE = LocalizedFact("delete the escape", "请删掉这个转义")
_TWICE = LocalizedFact(
    "is followed by a second one, which other programs read instead", "后面还有第二个，别的程序会读那一个"
)
_JOIN = LocalizedFact("join the two", "请合并成一个")
_OPEN = LocalizedFact("is never closed", "没有结束")
_LIST = LocalizedFact("holds no keys", "不是键值对")


def check(subject: Subject) -> Iterator[Finding]:
    """Look for an end, a sane size, YAML that can be read, and a mapping."""
    text, front = subject.document.text, subject.document.front_matter
    if front is None:
        if "---" in text[:4] and (match := _UNCLOSED.match(text)):
            yield _finding(
                Span(*match.span(1)), _OPEN, LocalizedFact("put `---` below the last key", "在最后一个键下面加 `---`")
            )
        return
    length, most = front.yaml.end - front.yaml.start, subject.settings.max_front_matter_chars
    if subject.memory is None and (
        length > most or not _KEY.match(text, *front.yaml) or _BLANK.search(text, *front.yaml)
    ):  # elsewhere a file may begin with a rule and some text, or be the form of notes to come; none is read if long
        return
    if length > most:
        what = LocalizedFact(f"has {length} characters, the limit is {most}", f"有 {length} 个字符，上限是 {most}")
        yield _finding(
            Span(front.span.start, front.yaml.start), what, LocalizedFact("move text below it", "把正文移到下面")
        )
        return
    for problem in front.problems:
        if problem.kind == "broken":
            what = LocalizedFact(f"cannot be read: {problem.detail}", f"无法读取：{problem.detail}")
            hint = LocalizedFact(
                "put quotes round a value with `: `, `#`, `@` or `%`", "含 `: `、`#`、`@`、`%` 的值请加引号"
            )
            yield _finding(problem.span, what, hint)
        elif problem.kind == "key":
            yield _finding(problem.span, LocalizedFact("has a key that is no word", "有一个不是单词的键"), _WORD)
        elif problem.kind == "too-deep":
            yield _finding(
                problem.span, LocalizedFact("is nested too deep", "嵌套太深"), LocalizedFact("flatten it", "请减少层级")
            )
    if _NUL.search(text, *front.yaml) and subject.memory and subject.memory.kind not in _ESCAPED:
        yield _finding(Span(front.span.start, front.yaml.start), _WRITES_NUL, _DELETE)
    if _SECOND.match(text, front.span.end):
        yield _finding(Span(front.span.end, front.span.end + 3), _TWICE, _JOIN)
    if front.root is not None and front.root.value is not None and not isinstance(front.root.value, dict):
        yield _finding(front.root.span, _LIST, LocalizedFact("write `key: value` lines, or an empty line above `---`",
                                                    "请写成 `key: value`，或在 `---` 上方空一行"))  # fmt: skip


def _finding(span: Span, what: LocalizedFact, hint: LocalizedFact) -> Finding:
    return Finding(span, {"what": what, "next": hint})


RULE = Rule(
    "MM109",
    "broken-front-matter",
    "error",
    check,
    en=RuleText("the front matter {what.en}", "{next.en}"),
    zh=RuleText("文件头（front matter）{what.zh}", "{next.zh}"),
)
