"""Runs the rules over one file: from a `Subject` to a list of `Diagnostic`s, sorted by position."""

# `fixes` is imported only if a finding has a fix.
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from mdmem.errors import UsageError
from mdmem.linter.registry import RULES, UNUSED_SUPPRESSION
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.linter.suppressions import Suppression, allowed, read_suppressions
from mdmem.messages.catalog import label
from mdmem.messages.counted import Named, counted
from mdmem.text.edit import Diagnostic
from mdmem.text.spans import Span

_FORM = ("MM103", "MM3", "MM4")  # rules about line endings, and about the form and number of entries


def choose(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules chosen by code, prefix of a code (`MM3`) or name.

    Raises:
        UsageError: a word names no rule.
    """
    wanted, unwanted = tuple(select), tuple(ignore)
    for word in (*wanted, *unwanted):
        if not any(_named(rule, word) for rule in RULES):
            raise UsageError("no rule is called `{word}`", hint="`mdmem explain` lists all rules", facts={"word": word})
    return tuple(
        rule
        for rule in RULES
        if (not wanted or any(_named(rule, word) for word in wanted))
        and not any(_named(rule, word) for word in unwanted)
    )


def _named(rule: Rule, word: str) -> bool:
    return bool(word) and (rule.code.startswith(word.upper()) or rule.name == word.lower())


def lint_subject(subject: Subject, rules: Sequence[Rule], lang: str, *, every: bool = False) -> list[Diagnostic]:
    """Return the findings in one file, in one language, without those that its suppressions allow.

    The findings of one rule are limited in number, and a fix that cannot be proved is left out. With `every`, all
    findings and fixes are returned as the rules gave them; fixing begins with these.
    """
    scopes = _scopes(subject)
    suppressions = read_suppressions(subject.document) if "structure" in scopes else ()
    used: set[Suppression] = set()
    most = None if every else subject.settings.max_findings_per_rule
    diagnostics: list[Diagnostic] = []
    for rule in rules:
        if rule.scope not in scopes:
            continue
        findings = _findings(rule, subject)
        if (first := next(findings, None)) is not None:  # most rules find nothing in most files
            left = _not_allowed(chain((first,), findings), rule, subject, suppressions, used)
            diagnostics += [diagnostic(subject, rule, finding, lang) for finding in islice(left, most)]
    if UNUSED_SUPPRESSION in rules:
        diagnostics += [
            diagnostic(
                subject, UNUSED_SUPPRESSION, Finding(suppression.span, {"codes": ", ".join(suppression.codes)}), lang
            )
            for suppression in islice(_unused(suppressions, used, rules), most)
        ]
    diagnostics.sort(key=lambda d: (d.line, d.column, d.code))
    if "structure" not in scopes:  # a fix cannot be proved without the structure
        return [one._replace(fix=()) for one in diagnostics]
    if every or not any(one.fix for one in diagnostics):
        return diagnostics
    from mdmem.linter.fixes import provable_fixes

    return provable_fixes(subject.document, diagnostics)


def every_finding(subject: Subject, rules: Sequence[Rule], lang: str) -> list[Diagnostic]:
    """Return all findings of the rules, suppressed ones too, in the order of the rules and without fixes.

    They are cached in the subject, so that a lint of it does not run these rules again.
    """
    scopes = _scopes(subject)
    diagnostics: list[Diagnostic] = []
    for rule in rules:
        if rule.scope in scopes:
            subject.cached_findings[rule.code] = tuple(_findings(rule, subject))
            diagnostics += [
                diagnostic(subject, rule, one._replace(fix=()), lang) for one in subject.cached_findings[rule.code]
            ]
    return diagnostics


def _findings(rule: Rule, subject: Subject) -> Iterator[Finding]:
    """Run a rule; the turns of a session may have any form, but must be safe like all other text."""
    if rule.code in subject.cached_findings:
        return iter(subject.cached_findings[rule.code])
    findings = rule.check(subject)
    if not rule.code.startswith(_FORM) or subject.turns_start is None:
        return findings
    turns_start = subject.turns_start
    return (finding for finding in findings if finding.span.start < turns_start)


def _not_allowed(
    findings: Iterable[Finding],
    rule: Rule,
    subject: Subject,
    suppressions: Sequence[Suppression],
    used: set[Suppression],
) -> Iterator[Finding]:
    """Yield the findings that are not suppressed; the lines are looked up only if a suppression names the rule."""
    own = [suppression for suppression in suppressions if suppression.allows(rule.code, rule.name)]
    if not own:
        yield from findings
        return
    everything = list(findings)
    lines = [subject.whole.lines.at(finding.span.start) for finding in everything]
    covered = allowed(own, lines, used)
    yield from (finding for finding, line in zip(everything, lines, strict=True) if line not in covered)


def _unused(
    suppressions: Sequence[Suppression], used: set[Suppression], rules: Sequence[Rule]
) -> Iterator[Suppression]:
    """Yield the suppressions that cover nothing; one for a rule that did not run is not reported."""
    is_complete: dict[tuple[str, ...], bool] = {}
    ran = {rule.code for rule in rules}
    for suppression in suppressions:
        if suppression.codes not in is_complete:
            is_complete[suppression.codes] = ran >= {
                rule.code for rule in RULES if suppression.allows(rule.code, rule.name)
            }
        if suppression not in used and is_complete[suppression.codes]:
            yield suppression


def _scopes(subject: Subject) -> tuple[str, ...]:
    """Return what can be checked: a file that was not read has no text, and one with too long lines no structure."""
    if not _is_read(subject):
        return ("file",)
    return ("file", "raw", "structure", "runner") if has_structure(subject) else ("file", "raw")


def has_structure(subject: Subject) -> bool:
    """Return True if a file was read, and has the lines of a memory."""
    settings = subject.settings
    return _is_read(subject) and subject.document.lines.fit(settings.max_lines, settings.max_line_chars)


def _is_read(subject: Subject) -> bool:
    return subject.facts.type == "regular" and subject.facts.size <= subject.settings.max_bytes


def diagnostic(subject: Subject, rule: Rule, finding: Finding, lang: str) -> Diagnostic:
    """Return the diagnostic of a finding, with its message and position."""
    message, hint = _message_and_hint(rule, finding, lang)
    length = len(subject.whole.text)
    span = Span(min(finding.span.start, length), min(finding.span.end, length))
    line, column = subject.whole.lines.position(span.start)
    end_line, end_column = subject.whole.lines.position(span.end)
    return Diagnostic(
        path=subject.path,
        line=line + 1,
        column=column + 1,
        end_line=end_line + 1,
        end_column=end_column + 1,
        code=rule.code,
        name=rule.name,
        severity=finding.severity or rule.severity,
        message=message,
        hint=hint,
        secret=rule.secret,
        span=span,
        fix=finding.fix if subject.is_text else (),
        measure=measured if isinstance(measured := finding.facts.get(rule.measure), int) else 0,
    )


def _message_and_hint(rule: Rule, finding: Finding, lang: str) -> tuple[str, str]:
    """Return the message and the hint of a finding; a variant without one of them uses the rule's."""
    facts = counted(finding.facts)
    for key, kind in finding.facts.items():
        if isinstance(kind, FoundKind):
            facts[key] = Named(label(lang, f"rules.kind.{kind}", kind))
    own = f"rules.{rule.code}"
    variant = f"{own}.{finding.variant}" if finding.variant else own
    message, hint = (
        label(lang, f"{variant}.{part}", label(lang, f"{own}.{part}", "")).format_map(facts)
        for part in ("message", "hint")
    )
    return message, hint
