"""What is quoted, dictated or made up is nothing that the user says of themselves."""

from __future__ import annotations

import pytest

from mdmem.extraction.model import Extraction
from mdmem.extraction.voices import Quotations
from mdmem.formats.session import Turn

from ..conftest import Make
from .conftest import ID, PATH, Extract, MakeSession

NOT_THE_USER = [
    '"I live in Madrid", said Carlos.',
    "In the novel I'm writing, my name is Duke Orsino and I live in Illyria.",
    "My name is Duke Orsino in the novel that I write.",
    'Write an email: "Dear Sir, I work at Tesla and my name is Joe."',
    "Write an email to Tesla. Say this: I work at Shell. I live in Bonn.",
    'My brother says "I am allergic to nuts and I work at Shell".',
    'Please summarise: "Never eat before swimming. Always wear a hat."',
    "Reply to her: I live in Leeds. I am allergic to nuts.",
    "'I hate olives', my sister told me.",
    "My friend says Lisbon is cheaper than Bath.",
    "> I live in Graz.\n> Never call me.",
    "写封信：“尊敬的先生，我在特斯拉上班，我叫小乔。”",
    "“我在深圳长大，是个牙医。”小陈说。",
    "写一份求职信，内容是：我是厨师，我住在成都。",
    "角色扮演：我是海盗，我叫红胡子，我住在金银岛。",
    "邻居说他住在我楼上。",
]
OWN = [
    ('my dog is called "Rex"', "dog is called Rex"),
    ("我家的狗叫“饼干”。", "狗叫饼干"),
    ('Always sign my mails with "Kind regards, Ann".', 'Always sign my mails with "Kind regards, Ann".'),
    ('Never use the word "synergy" in my reports.', 'Never use the word "synergy" in my reports.'),
    ("以后报告里不要用“赋能”这个词。", "以后报告里不要用“赋能”这个词。"),
    ('Write an email: "I work at Tesla." I live in Oslo.', "lives in Oslo"),
    ('He asked: "Are you from Rome?" I live in Bari.', "lives in Bari"),
    ("Whenever my boss says go, always ask me first.", "Whenever my boss says go, always ask me first."),
    ("之前说错了，我女儿的生日是11月27日。", "女儿的生日是 11月27日"),
    ("It says Max on the door, but my name is Maximilian.", "name is Maximilian"),
    ('My 27" monitor broke; my new monitor is the 24" Eizo.', 'monitor is the 24" Eizo'),
]  # fmt: skip


def texts(extraction: Extraction) -> list[str]:
    return [one.text for one in extraction.items]


@pytest.mark.parametrize("said", NOT_THE_USER)
def test_somebody_elses_words_are_nothing_of_the_user(found: Extract, said: str) -> None:
    assert texts(found(said, lang="en" if said.isascii() else "zh")) == []


@pytest.mark.parametrize(("said", "kept"), OWN)
def test_what_the_user_says_is_kept_beside_a_quotation(found: Extract, said: str, kept: str) -> None:
    assert texts(found(said, lang="en" if said.isascii() else "zh")) == [kept]


@pytest.mark.parametrize("said", [*NOT_THE_USER, *(said for said, _ in OWN), "\ue000 “a” \ue001", '"" “” \'x\' "a.'])
def test_a_text_without_its_marks_is_whole(said: str) -> None:
    quotations = Quotations(said)
    plain = said.replace("\ue000", " ").replace("\ue001", " ")
    assert quotations.whole(quotations.text) == plain


def test_what_is_quoted_is_not_proposed_for_the_memory(make: Make, session: MakeSession) -> None:
    workspace = make({PATH: session(
        ("user", 'Write an email: "Dear Sir, I promise to send the report on Friday."'),
        ("user", 'Please summarise: "Never eat before swimming. I prefer tea to coffee."'),
    )}, lang="en")  # fmt: skip
    workspace.review(ID)
    assert workspace.inbox.list() == ()


def test_only_a_turn_is_marked() -> None:
    turn = Turn(1, "user", "user", "", "I like “The Wire”.", 0, 0, 0)
    assert Quotations(turn.text).named(Quotations(turn.text).text) == "I like The Wire."
