"""The checks that every answer must pass: it names each section once, and its lines say only what the source says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mdmem.generation.meaning import doubts
from mdmem.generation.model import Operation, PlanProblem
from mdmem.text.pattern import pattern
from mdmem.wording.importance import ImportanceScorer

_NOTHING = pattern(
    r"(?i)[\W_]*(?:n/?a|none|null|nil|empty|todo|tbd|unchanged|same|略|无|暂无|没有|空|同上|不变|待(?:定|补充|填写))?[\W_]*\Z"
)
_NAME_CHARS = 60  # of a name in an answer that messages repeat


def is_empty_answer(lines: Sequence[str]) -> bool:
    """Return whether no line says more than «nothing» or «unchanged»."""
    return all(map(_NOTHING.match, lines))


def named_sections(
    operations: Sequence[Operation], paths: Iterable[str], section: Callable[[str], str | None]
) -> Iterator[tuple[str, Operation] | PlanProblem]:
    """Yield each operation with the section that it names, or a problem: it names none, or one twice.

    Args:
        operations: the answer.
        paths: the names of the file; an operation may also name none.
        section: from a title to the name of the section that it means.
    """
    if not operations:
        yield PlanProblem("no-operations")
    named, known = set[str](), ("", *paths)
    for one in operations:
        name = section(one.section)
        if one.path not in known:
            yield PlanProblem("wrong-path", {"path": one.path[:_NAME_CHARS]})
        elif name is None:
            yield PlanProblem("no-section", {"section": one.section[:_NAME_CHARS]})
        elif name in named:
            yield PlanProblem("twice", {"section": name})
        else:
            named.add(name)
            yield name, one


def line_problem(
    line: str,
    where: Mapping[str, object],
    unfit: Callable[[str], bool],
    missing: Callable[[str], Sequence[str]],
    most: int | None = None,
) -> PlanProblem | None:
    """Return why a line may not be written; None if it may.

    Args:
        line: of an answer.
        where: the section, for the message.
        unfit: whether a text may not be written at all.
        missing: from a text to its facts that the source does not have.
        most: characters of a line.
    """
    if most is not None and len(line) > most:
        return PlanProblem("entry-too-long", {**where, "chars": len(line), "max": most})
    if unfit(line):
        return PlanProblem("unfit", where)
    found = missing(line)
    return PlanProblem("invented", {**where, "facts": ", ".join(found[:3])}) if found else None


def meaning_problems(
    sources: Sequence[str], lines: Sequence[str], scorer: ImportanceScorer, where: Mapping[str, object]
) -> Iterator[PlanProblem]:
    """Yield the clauses of some lines that do not mean what the sources say."""
    return (PlanProblem(f"meaning-{one.kind}", where) for one in doubts(sources, lines, scorer))
