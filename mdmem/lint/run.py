"""Runs the rules over one file: a `Subject` becomes `Diagnostic`s, sorted by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.text import Span
from mdmem.errors import UsageError
from mdmem.lint.registry import RULES, UNUSED_SUPPRESSION
from mdmem.lint.rule import Finding, Rule, Subject
from mdmem.lint.suppress import Mark, marks


def choose(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Choose rules by code, prefix of a code (`MM3`) or name.

    Raises:
        UsageError: a word names no rule.
    """
    wanted, unwanted = tuple(select), tuple(ignore)
    for word in (*wanted, *unwanted):
        if not any(_named(rule, word) for rule in RULES):
            raise UsageError(f"no rule is called `{word}`", hint="`mdmem explain` lists them all")
    return tuple(
        rule
        for rule in RULES
        if (not wanted or any(_named(rule, word) for word in wanted))
        and not any(_named(rule, word) for word in unwanted)
    )


def _named(rule: Rule, word: str) -> bool:
    return bool(word) and (rule.code.startswith(word.upper()) or rule.name == word.lower())


def lint_subject(subject: Subject, rules: Sequence[Rule], lang: str) -> list[Diagnostic]:
    """Give what the rules find in one file, in one language, less what the file's own marks allow."""
    scopes = _scopes(subject)
    chosen = [rule for rule in rules if rule.scope in scopes]
    allowed = marks(subject.document) if "structure" in scopes else ()
    used: set[Mark] = set()
    found = []
    for rule in chosen:
        for finding in _limited(rule, subject):
            line = subject.document.lines.at(finding.span.start)
            covering = [mark for mark in allowed if mark.covers(line, rule.code, rule.name)]
            used.update(covering)
            if not covering:
                found.append(diagnostic(subject, rule, finding, lang))
    if UNUSED_SUPPRESSION in rules:
        codes = {rule.code for rule in rules}
        for mark in allowed:
            # a mark for a rule that did not run cannot be judged
            judged = any(code.startswith(word) for word in mark.codes for code in codes)
            known = any(_named(rule, word) for word in mark.codes for rule in RULES)
            if mark not in used and (judged or not known):
                finding = Finding(mark.span, {"codes": ", ".join(mark.codes)})
                found.append(diagnostic(subject, UNUSED_SUPPRESSION, finding, lang))
    return sorted(found, key=lambda d: (d.line, d.column, d.code))


def _scopes(subject: Subject) -> tuple[str, ...]:
    """Decide how deep to look: a file that was not read has no text, and one without sane lines no structure."""
    if subject.facts.type != "regular" or subject.facts.size > subject.settings.max_bytes:
        return ("file",)
    lines = subject.document.lines
    longest = max((lines.span(line).end - lines.span(line).start for line in range(len(lines))), default=0)
    return ("file", "raw") if longest > subject.settings.max_line_chars else ("file", "raw", "structure", "runner")


def _limited(rule: Rule, subject: Subject) -> Iterator[Finding]:
    """Stop a rule that would bury the others."""
    for count, finding in enumerate(rule.check(subject)):
        if count >= subject.settings.max_findings_per_rule:
            return
        yield finding


def diagnostic(subject: Subject, rule: Rule, finding: Finding, lang: str) -> Diagnostic:
    """Put a finding into words and give it its place."""
    words = rule.words(lang)
    length = len(subject.document.text)
    span = Span(min(finding.span.start, length), min(finding.span.end, length))
    line, column = subject.document.lines.position(span.start)
    end_line, end_column = subject.document.lines.position(span.end)
    return Diagnostic(
        path=subject.path,
        line=line + 1,
        column=column + 1,
        end_line=end_line + 1,
        end_column=end_column + 1,
        code=rule.code,
        name=rule.name,
        severity=finding.severity or rule.severity,
        message=words.message.format_map(finding.facts),
        hint=words.hint.format_map(finding.facts),
        secret=rule.secret,
        span=span,
        fix=finding.fix if subject.is_text else (),
    )
