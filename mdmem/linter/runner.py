"""Runs the rules over one file: a `Subject` becomes `Diagnostic`s, sorted by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from mdmem.errors import UsageError
from mdmem.linter.registry import RULES, UNUSED_SUPPRESSION
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.linter.suppressions import Suppression, allowed, marks
from mdmem.messages.catalog import label
from mdmem.messages.counted import counted
from mdmem.settings.tables import LintSettings
from mdmem.text.document import Document
from mdmem.text.edit import Diagnostic
from mdmem.text.spans import Span

_FORM = ("MM103", "MM3", "MM4")  # line endings, and the form and number of entries


def choose(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """Choose rules by code, prefix of a code (`MM3`) or name.

    Raises:
        UsageError: a word names no rule.
    """
    wanted, unwanted = tuple(select), tuple(ignore)
    for word in (*wanted, *unwanted):
        if not any(_named(rule, word) for rule in RULES):
            raise UsageError("no rule is called `{word}`", hint="`mdmem explain` lists them all", facts={"word": word})
    return tuple(
        rule
        for rule in RULES
        if (not wanted or any(_named(rule, word) for word in wanted))
        and not any(_named(rule, word) for word in unwanted)
    )


def _named(rule: Rule, word: str) -> bool:
    return bool(word) and (rule.code.startswith(word.upper()) or rule.name == word.lower())


def lint_subject(subject: Subject, rules: Sequence[Rule], lang: str, *, every: bool = False) -> list[Diagnostic]:
    """Give what the rules find in one file, in one language, less what the file's own marks allow.

    A rule that would bury the others is cut short, and a fix that cannot be proved is not offered; unless `every`
    finding is wanted as its rule gave it, which is what fixing begins with.
    """
    scopes = _scopes(subject)
    given = marks(subject.document) if "structure" in scopes else ()
    used: set[Suppression] = set()
    most = None if every else subject.settings.max_findings_per_rule
    found: list[Diagnostic] = []
    for rule in rules:
        if rule.scope in scopes:
            findings = _not_allowed(_found(rule, subject), rule, subject, given, used)
            found += [diagnostic(subject, rule, finding, lang) for finding in islice(findings, most)]
    if UNUSED_SUPPRESSION in rules:
        found += [
            diagnostic(subject, UNUSED_SUPPRESSION, Finding(mark.span, {"codes": ", ".join(mark.codes)}), lang)
            for mark in islice(_unused(given, used, rules), most)
        ]
    found.sort(key=lambda d: (d.line, d.column, d.code))
    if "structure" not in scopes:  # what nobody reads, nobody can prove
        return [one._replace(fix=()) for one in found]
    if every or not any(one.fix for one in found):
        return found
    from mdmem.linter.fixes import provable_fixes  # most files have nothing to mend

    return provable_fixes(subject.document, found)


def every_finding(subject: Subject, rules: Sequence[Rule], lang: str) -> list[Diagnostic]:
    """Give what the rules find, whatever the file's marks allow, in the rules' order and without fixes.

    The findings stay with the subject: a lint of it does not run these rules again.
    """
    scopes = _scopes(subject)
    found: list[Diagnostic] = []
    for rule in rules:
        if rule.scope in scopes:
            subject.known[rule.code] = tuple(_found(rule, subject))
            found += [diagnostic(subject, rule, one._replace(fix=()), lang) for one in subject.known[rule.code]]
    return found


def _found(rule: Rule, subject: Subject) -> Iterator[Finding]:
    """Run a rule; what was said in a session may have any form, but must be safe as all else."""
    if rule.code in subject.known:
        return iter(subject.known[rule.code])
    found = rule.check(subject)
    if not rule.code.startswith(_FORM) or subject.said is None:
        return found
    said = subject.said
    return (finding for finding in found if finding.span.start < said)


def _not_allowed(
    findings: Iterator[Finding], rule: Rule, subject: Subject, given: Sequence[Suppression], used: set[Suppression]
) -> Iterator[Finding]:
    """Leave out what a mark allows; without marks nothing is looked for that nobody asks for."""
    first = next(findings, None)
    if first is None:
        return
    own = [mark for mark in given if mark.allows(rule.code, rule.name)]
    if not own:
        yield first
        yield from findings
        return
    everything = [first, *findings]
    lines = [subject.document.lines.at(finding.span.start) for finding in everything]
    covered = allowed(own, lines, used)
    yield from (finding for finding, line in zip(everything, lines, strict=True) if line not in covered)


def _unused(given: Sequence[Suppression], used: set[Suppression], rules: Sequence[Rule]) -> Iterator[Suppression]:
    """Find the marks that cover nothing; one for a rule that did not run cannot be judged."""
    judged: dict[tuple[str, ...], bool] = {}
    ran = {rule.code for rule in rules}
    for mark in given:
        if mark.codes not in judged:
            judged[mark.codes] = ran >= {rule.code for rule in RULES if mark.allows(rule.code, rule.name)}
        if mark not in used and judged[mark.codes]:
            yield mark


def _scopes(subject: Subject) -> tuple[str, ...]:
    """Decide how deep to look: a file that was not read has no text, and one without sane lines no structure."""
    if not _is_read(subject):
        return ("file",)
    return ("file", "raw", "structure", "runner") if has_structure(subject) else ("file", "raw")


def has_structure(subject: Subject) -> bool:
    """Return True if a file was read, and has the lines of a memory."""
    return _is_read(subject) and has_memory_lines(subject.document, subject.settings)


def _is_read(subject: Subject) -> bool:
    return subject.facts.type == "regular" and subject.facts.size <= subject.settings.max_bytes


def has_memory_lines(document: Document, settings: LintSettings) -> bool:
    """Tell whether a text has the lines of a memory; of one that has not, nobody should ask for the structure."""
    return len(document.lines) <= settings.max_lines and document.lines.longest <= settings.max_line_chars


def diagnostic(subject: Subject, rule: Rule, finding: Finding, lang: str) -> Diagnostic:
    """Put a finding into words and give it its place."""
    message, hint = _words(rule, finding, lang)
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
        message=message,
        hint=hint,
        secret=rule.secret,
        span=span,
        fix=finding.fix if subject.is_text else (),
    )


def _words(rule: Rule, finding: Finding, lang: str) -> tuple[str, str]:
    """Return the message and the hint of a finding; a variant without one of them has the rule's own."""
    facts = counted(finding.facts)
    for key, kind in finding.facts.items():
        if isinstance(kind, FoundKind):
            facts[key] = label(lang, f"rules.kind.{kind}", kind)
    own = f"rules.{rule.code}"
    variant = f"{own}.{finding.variant}" if finding.variant else own
    message, hint = (
        label(lang, f"{variant}.{part}", label(lang, f"{own}.{part}", "")).format_map(facts)
        for part in ("message", "hint")
    )
    return message, hint
