"""Laws of what a question asks for: a line that holds a person, a place, a time or an amount comes first."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import mdmem
from mdmem.search.words.roles import asked_roles
from mdmem.search.words.terms import terms
from mdmem.workspace import Workspace

WORDS = tomllib.loads((Path(mdmem.__file__).parent.parent / "templates" / "words.toml").read_text("utf-8"))


def answers(question: str, line: str) -> bool:
    roles = asked_roles(question, tuple(WORDS["roles"]), tuple(WORDS["common"]))
    return any(role.is_answered_by(line, frozenset(terms(question))) for role in roles)


@pytest.mark.parametrize(
    ("question", "holds", "holds_not"),
    [
        ("who reads the outline with me?", "Nora goes through it on Monday", "The outline is long, we said on Monday"),
        ("Who did Nora ask about the outline?", "she asked her brother", "Nora asked about it"),
        ("哪個人會一起確認訪談大綱？", "跟佩君約好再對過一遍", "我跟你說，大綱寫到一半了"),
        ("誰負責貓的藥？", "我妹妹每天早上餵", "貓的藥快沒了"),
        ("where do I hand in the grant?", "at the town hall, second desk", "the grant is nearly done"),
        ("補助申請要交到哪裡？", "送到三樓的辦公室", "補助申請寫好了"),
        ("when is the tiler coming?", "he comes next Tuesday", "the tiler is expensive"),
        ("磁磚師傅什麼時候來？", "他說下禮拜二到", "磁磚師傅很貴"),
        ("how much did the vet ask for?", "it came to 85 euros", "the vet was kind"),
        ("獸醫收了多少錢？", "一共三千五", "獸醫很親切"),
        ("why did we choose SQLite?", "because it needs no server", "SQLite is in use"),
        ("為什麼選 SQLite？", "因為不要外部依賴", "SQLite 已經裝好了"),
    ],
)
def test_a_line_answers_by_what_is_asked_for(question: str, holds: str, holds_not: str) -> None:
    assert answers(question, holds)
    assert not answers(question, holds_not)


def test_a_question_for_a_thing_asks_for_no_role() -> None:
    assert not asked_roles("what colour is the roof?", tuple(WORDS["roles"]), tuple(WORDS["common"]))


TALK = {
    "en": ("who will check the outline?", "Marisol", ("The outline is half done.", "The outline is far too long.")),
    "zh": ("哪個人會確認訪談大綱？", "佩君", ("訪談大綱我寫到一半了。", "訪談大綱寫得太長了。")),
}  # fmt: skip


@pytest.mark.parametrize("lang", TALK)
def test_the_turn_with_the_person_comes_before_other_turns_about_the_topic(tmp_path: Path, lang: str) -> None:
    question, name, others = TALK[lang]
    work = Workspace(tmp_path, lang=lang)
    work.init()
    answer = {"en": "I gave the outline to Marisol, she reads it.", "zh": "訪談大綱我請佩君再看一遍。"}[lang]
    with work.sessions.start("talk") as session:
        for text in (others[0], answer, others[1]):
            session.turn("user", text)
            session.turn("assistant", "OK")
    assert name in work.search(question)[0].text


@pytest.mark.parametrize(
    ("lang", "why", "reason", "turns"),
    [
        (
            "en",
            "Why did we choose SQLite?",
            "because",
            ("We took SQLite because it needs no server.", "SQLite is set up."),
        ),
        ("zh", "我们为什么选 SQLite？", "因为", ("我们选了 SQLite，因为不要外部依赖。", "SQLite 装好了。")),
    ],
)
def test_a_question_for_a_reason_gets_the_reason_first(
    tmp_path: Path, lang: str, why: str, reason: str, turns: tuple[str, ...]
) -> None:
    work = Workspace(tmp_path, lang=lang)
    work.init()
    with work.sessions.start("talk") as session:
        for text in reversed(turns):
            session.turn("user", text)
            session.turn("assistant", "OK, SQLite.")
    hits = work.search(why)
    assert reason in hits[0].text
