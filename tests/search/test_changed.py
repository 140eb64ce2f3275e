"""Facts that changed, among much else: the newest value comes first, and the replaced one where a question asks for it.

A row of `changed/*.tsv`: subject, predicate, the statement before and after with the value in braces, two questions for
the living value, and one for the replaced one. The rows of the user are told in sessions; the others by `facts.set`.
All are told; the short form asks for every third.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from forms import each
from month.clock import MonthClock, month_clock

from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "changed"
LEAST = 0.95  # of the questions are answered with the living value first
RECALLED = 0.9  # of the questions: a recall says nothing where it is not sure
ROUNDS = 5  # of a session
NOISE = {
    "en": (
        ("user",),
        ("{n} people asked about the {p} at lunch", "wrote a note about a {p} for the newsletter, page {n}",
         "a neighbour complained about his {p} for {n} minutes", "the film about the {p} ran in cinema {n}",
         "{n} leaflets about every kind of {p} were on the counter"),
        ("the kettle whistled {n} times", "{n} parcels for the neighbours", "the path by the river has {n} puddles"),
    ),
    "zh": (
        ("用户",),
        ("午饭时有{n}个人说起{p}的事", "给小报写了一段关于{p}的话，第{n}版", "邻居抱怨他家的{p}，说了{n}分钟",
         "讲{p}的纪录片在{n}号厅放过", "柜台上有{n}张介绍各种{p}的单子"),
        ("水壶响了{n}回", "替邻居收了{n}个包裹", "河边小路积了{n}处水"),
    ),
}  # fmt: skip


class Changed(NamedTuple):
    """A fact that changed once."""

    subject: str
    predicate: str
    before: str
    after: str
    questions: tuple[str, str]
    past: str

    @property
    def values(self) -> tuple[str, str]:
        """The value before, and the one after."""
        old, new = (text.partition("{")[2].partition("}")[0] for text in (self.before, self.after))
        return old, new


def rows(lang: str) -> list[Changed]:
    """Read the facts of a language."""
    lines = (FOLDER / f"{lang}.tsv").read_text("utf-8").splitlines()
    fields = [line.split("\t") for line in lines]
    return [Changed(one[0], one[1], one[2], one[3], (one[4], one[5]), one[6]) for one in fields]


def plain(text: str) -> str:
    """Return a statement without the braces around its value."""
    return text.replace("{", "").replace("}", "")


def tell(root: Path, lang: str, facts: list[Changed], clock: MonthClock) -> Workspace:
    """Tell all facts in their first form and, months later, in their second."""
    (root / "mdmem.toml").write_text(f'lang = "{lang}"\n', "utf-8")
    (person,) = NOISE[lang][0]
    workspace = Workspace(root)
    workspace.init()
    for month, form in ((3, "before"), (9, "after")):
        told = [one for one in facts if one.subject == person]
        for start in range(0, len(told), ROUNDS):
            clock.set(dt.date(2025, month, 1 + start // ROUNDS))
            workspace.config.day = f"2025-{month:02}-{1 + start // ROUNDS:02}"
            with workspace.sessions.start("chat") as session:
                for one in told[start : start + ROUNDS]:
                    session.turn("user", plain(getattr(one, form)))
                    session.turn("assistant", "ok")
        for index, one in enumerate(one for one in facts if one.subject != person):
            day = f"2025-{month:02}-{10 + index % 15:02}"
            workspace.config.day = day
            workspace.facts.set(one.subject, one.predicate, plain(getattr(one, form)), at=day)
    workspace.config.day = "2025-12-01"
    return workspace


def distract(root: Path, lang: str, facts: list[Changed]) -> int:
    """Write 300 other lines: memories, days, a chat and notes; most use a fact's own words. Return their number."""
    _, about, other = NOISE[lang]
    lines = [text.format(n=n + 3, p=one.predicate) for n, one in enumerate(facts) for text in about[: 3 + n % 3]]
    lines += [text.format(n=n) for n in range(100, 140) for text in other][: 300 - len(lines)]
    per = len(lines) // 4
    (root / "MEMORY.md").write_text(
        "# M\n\n## Notes\n\n" + "".join(f"- 2025-10-{1 + n % 28:02}: {text}\n" for n, text in enumerate(lines[:per])),
        "utf-8",
    )
    (root / "memory").mkdir(exist_ok=True)
    for day in range(1, 21):
        own = lines[per + day - 1 : 2 * per : 20]
        text = "".join(f"- {one}\n" for one in own)
        (root / f"memory/2025-11-{day:02}.md").write_text(f"# 2025-11-{day:02}\n\n{text}", "utf-8")
    talk = "".join(f"- {('Ada', 'Ben')[n % 2]}: {text}\n" for n, text in enumerate(lines[2 * per : 3 * per]))
    (root / "memory/2025-11-28.md").write_text(f"# 2025-11-28\n\n{talk}", "utf-8")
    (root / "notes.md").write_text("# Notes\n\n" + "".join(f"- {text}\n" for text in lines[3 * per :]), "utf-8")
    return len(lines)


Ask = Callable[[str], list[str]]


@pytest.fixture(scope="module", params=["en", "zh"])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Changed], Workspace]:
    """Return the facts of a language that are asked for, and the workspace in which all were told."""
    root = tmp_path_factory.mktemp(request.param)
    facts = rows(request.param)
    assert len(facts) >= 60
    with pytest.MonkeyPatch.context() as patch, month_clock() as clock:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        workspace = tell(root, request.param, facts, clock)
        assert distract(root, request.param, facts) == 300
    return list(each(3, facts)), workspace


def share(facts: list[Changed], ask: Ask) -> tuple[float, list[str]]:
    """Return the share of questions whose first answer says the living value, and the others."""
    wrong = [
        f"{question} → {(found or ['nothing'])[0]}"
        for one in facts
        for question in one.questions
        if one.values[1] not in "".join((found := ask(question))[:1])
    ]
    return 1 - len(wrong) / (2 * len(facts)), wrong


@pytest.mark.thorough
def test_the_newest_value_comes_first(asked: tuple[list[Changed], Workspace]) -> None:
    facts, workspace = asked
    right, wrong = share(facts, lambda question: [hit.text for hit in workspace.search(question)])
    assert right >= LEAST, "\n".join(wrong)
    right, wrong = share(facts, lambda question: [hit.text for hit in workspace.recall(question).hits])
    assert right >= RECALLED, "\n".join(wrong)


@pytest.mark.thorough
def test_a_value_known_as_replaced_never_stands_above_the_living_one(asked: tuple[list[Changed], Workspace]) -> None:
    facts, workspace = asked
    replaced = "\n".join(fact.text for fact in workspace.facts(before=True) if not fact.live)
    known = [one for one in facts if one.values[0] in replaced]
    assert len(known) >= len(facts) * 2 // 3
    wrong = []
    for one in known:
        for question in one.questions:
            texts = [hit.text for hit in workspace.search(question)]
            old, new = (
                [value in text for text in texts].index(True) if value in "".join(texts) else 99 for value in one.values
            )
            if old < new:
                wrong.append(f"{question} → {texts[old]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.thorough
def test_a_question_about_the_past_shows_the_replaced_value(asked: tuple[list[Changed], Workspace]) -> None:
    facts, workspace = asked
    searched = {one.past: [hit.text for hit in workspace.search(one.past, limit=3)] for one in facts}
    recalled = {one.past: [hit.text for hit in workspace.recall(one.past).hits[:3]] for one in facts}
    for found, least in ((searched, LEAST), (recalled, RECALLED)):
        wrong = [
            f"{one.past} → {found[one.past][:2]}" for one in facts if one.values[0] not in "".join(found[one.past])
        ]
        assert len(wrong) <= (1 - least) * len(facts), "\n".join(wrong)
