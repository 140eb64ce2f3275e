"""MM109: front matter that cannot be read as keys and values."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span
from mdmem.text.yaml.front_matter import FrontMatter

_UNCLOSED = pattern(r"\ufeff?(---)[ \t]*(?:\r\n|\r|\n)[\w-]+[ \t]*:(?=[ \t\r\n])")
# a key, after blanks and comments
_KEY = pattern(r"(?:[ \t]*+(?:#[^\r\n]*+)?(?:\r\n|\r|\n))*+[\w-]+[ \t]*:(?=[ \t\r\n]|\Z)")
_SECOND = pattern(r"---[ \t]*(?:\r\n|\r|\n)[\w-]+[ \t]*:(?=[ \t\r\n])[^\n]*\n(?:[^\n]*\n){0,200}?---[ \t]*(?:\r|\n|\Z)")
_NUL = pattern(r"(?<!\\)(?:\\\\){0,8}\\(?:0|x00|u0000|U00000000)")
_BLANK = pattern(r"\{\{[^{}\r\n]{1,80}\}\}|<%[^\r\n]{1,120}?%>")  # a variable of a form
# values that the programs of agents take as text without quotes: `key: [file] [options]`, `- {folder}/a.md`
_AS_TEXT = pattern(
    r"(?<![^\r\n])(?P<key>[ \t]*+(?:-[ \t]++)?+(?:[\w-]++:[ \t]++)?+)"
    r"(?:\[[^\[\]\r\n]*+\][ \t]++(?:[\[<(]|--)|\{[\w-]++\}[^\s,}#])[^\r\n]*+"
)
_USAGE = pattern(  # a key whose value is a usage line, which may hold brackets in brackets
    r"(?<![^\r\n])(?P<key>[ \t]*+(?:\w++-){0,3}(?:hint|usage|arguments?|args|syntax|synopsis):[ \t]++)\[[^\r\n]*+"
)
_TAB = pattern(r"(?<![^\r\n])[ ]*+\t[ \t]*+[^\s]")
_ESCAPED = ("artifact", "session")  # kinds in which mdmem escapes the values itself


def check(subject: Subject) -> Iterator[Finding]:
    """Check that the front matter ends, is not too long, is valid YAML and is a mapping."""
    text, front = subject.document.text, subject.document.front_matter
    if front is None:
        if "---" in text[:4] and (match := _UNCLOSED.match(text)):
            yield Finding(Span(*match.span(1)), variant="unclosed")
        return
    length, most = front.yaml.end - front.yaml.start, subject.settings.max_front_matter_chars
    # other files may begin with a rule and some text, or be forms for notes; long front matter is not read
    if subject.memory is None and (
        length > most
        or not _KEY.match(text, *front.yaml)
        or _BLANK.search(text, *front.yaml)
        or (front.problems and _is_read_as_text(front.yaml.of(text)))
    ):
        return
    if length > most:
        facts = {"length": length, "most": most}
        yield Finding(Span(front.span.start, front.yaml.start), facts, variant="long")
        return
    for problem in front.problems:
        if problem.kind == "broken":
            variant = "tab" if _TAB.search(text, *front.yaml) else "broken"
            yield Finding(problem.span, {"detail": problem.detail}, variant=variant)
        elif problem.kind == "key":
            yield Finding(problem.span, variant="key")
        elif problem.kind == "too-deep":
            yield Finding(problem.span, variant="deep")
    if _NUL.search(text, *front.yaml) and subject.memory and subject.memory.kind not in _ESCAPED:
        yield Finding(Span(front.span.start, front.yaml.start), variant="nul")
    if _SECOND.match(text, front.span.end):
        yield Finding(Span(front.span.end, front.span.end + 3), variant="second")
    if front.root is not None and front.root.value is not None and not isinstance(front.root.value, dict):
        yield Finding(front.root.span, variant="no-keys")


def _is_read_as_text(yaml: str) -> bool:
    """Return whether YAML can read the rest if usage lines and forms are left out."""
    rest = yaml
    for shape in (_USAGE, _AS_TEXT):
        rest = shape.sub(lambda match: f"{match['key']}0", rest)
    return rest != yaml and not FrontMatter(rest, Span(0, len(rest)), len(rest), 0).problems


RULE = Rule(
    "MM109",
    "broken-front-matter",
    "error",
    check,
)
