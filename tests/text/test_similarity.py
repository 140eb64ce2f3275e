"""Near duplicates: pairs that are, pairs that are not, and the number of comparisons."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence

import pytest
from forms import many
from hypothesis import example, given
from hypothesis import strategies as some

from mdmem.text.similarity import (
    comparison_key,
    is_near_duplicate_of_any,
    near_duplicate_marks,
    near_duplicates,
    restates,
    spoken,
    tokens,
)

LEAST = 0.85

SAME = [
    ("冷静理性", "冷静 理性。"),
    ("主人喜欢用 Python 写代码", "主人喜欢用Ｐｙｔｈｏｎ写代码！"),
    ("端口是 8080", "端口是 **8080**"),
    ("Likes short answers.", "likes **short** answers"),
    ("Uses `zsh`, not bash", "uses zsh not bash"),
    ("GPT-4 is slow", "gpt-4 **is** slow"),
]
NOT_THE_SAME = [
    ("Python 3.10", "Python 3.1"), ("版本 3.12", "版本 31.2"), ("步骤 1 2", "步骤 12"), ("喜欢 C++", "喜欢 C#"),
    ("室温 -5 度", "室温 5 度"), ("预算 100%", "预算 100 元"),
]  # fmt: skip

NEAR = [
    ("主人说周五有重要面试，需要提前准备自我介绍和作品集", "主人说周五有一个重要面试，需要提前准备自我介绍和作品集"),
    ("用户偏好高效、极简的输出，先给结论再给理由，最后给出处", "用户偏好高效极简输出，先给结论再给理由，最后给出处"),
    ("主人通常晚上活跃，白天很少回复消息，周末除外", "主人通常晚上很活跃，白天很少回复消息（周末除外）"),
    ("先给结论，再给理由；回答要短，要具体，要有出处", "回答要短，要具体，要有出处；先给结论，再给理由"),
    ("处理 CSV 文件时先检查编码再解析，然后再写入数据库", "处理CSV文件时，先检查了编码再解析，然后再写入数据库"),
    ("主人在家里的电脑上写代码的时候喜欢先喝一杯热的咖啡", "主人在家里的电脑上写代码的时候，喜欢先喝一杯热咖啡"),
    (
        "项目代码都放在主目录的代码文件夹里，新工程也应该放在那里",
        "项目代码都放在主目录代码文件夹里，新的工程也应该放在那里",
    ),
    ("禁止虚报执行结果，必须实际完成之后再向主人汇报", "禁止虚报执行的结果，必须实际完成之后，再向主人汇报"),
    ("The user prefers short answers with code examples", "The user really prefers short answers with code examples."),
    (
        "deploys run from the main branch after review by two people",
        "Deploys run from the main branch, after the review by two people",
    ),
    (
        "Keep the summary short and put the details into a file of its own",
        "keep the summary short, and put details into a file of its own",
    ),
    (
        "Meeting notes live in the shared folder, one file per week",
        "meeting notes live in the shared folder: one file per a week",
    ),
    ("asks for the weather before going to work by bicycle", "Asks for weather before going to work by bicycle!"),
    ("金曜日の会議では先に結論を話すことにしている", "金曜日の会議では、先に結論も話すことにしている。"),
]
APART = [
    (
        "The build server runs Python 3.10 on Debian in the basement",
        "The build server runs Python 3.12 on Debian in the basement",
    ),
    ("2026-02-13 主人去医院复查，医生说恢复得很好，可以慢跑", "2026-02-14 主人去医院复查，医生说恢复得很好，可以慢跑"),
    ("主人在家里写代码的时候总是喜欢先喝一杯热的咖啡再开始", "主人在家里写代码的时候总是不喜欢先喝一杯热的咖啡再开始"),
    ("每周三下午提醒主人给远在老家的妈妈打一个长一点的电话", "每周四下午提醒主人给远在老家的妈妈打一个长一点的电话"),
    (
        "张三负责新项目的前端开发和测试，遇到问题先在群里讨论，解决不了再打电话，紧急情况直接去工位",
        "李四负责新项目的前端开发和测试，遇到问题先在群里讨论，解决不了再打电话，紧急情况直接去工位",
    ),
    (
        "主人上午喝咖啡，下午喝茶，晚上只喝温水，睡前要听一会儿书",
        "主人上午喝咖啡，下午喝茶，晚上只喝牛奶，睡前要听一会儿书",
    ),
    (
        "部署脚本放在 deploy 文件夹里，改动之前先让同事看一遍再合并",
        "部署脚本放在 release 文件夹里，改动之前先让同事看一遍再合并",
    ),
    (
        "Alice told the team that the release is planned for the end of the month, after tests and review",
        "Bob told the team that the release is planned for the end of the month, after tests and review",
    ),
    (
        "the review of the big change to the parser was done by our friend Alice and took a whole week",
        "the review of the big change to the parser was done by our friend Carol and took a whole week",
    ),
    (
        "The nightly job may delete old logs in the cache folder when the disk is nearly full",
        "The nightly job may not delete old logs in the cache folder when the disk is nearly full",
    ),
    (
        "always run the tests before pushing to the main branch of the project",
        "always run the tests after pushing to the main branch of the project",
    ),
    (
        "The server listens on port 8080 and logs to the journal of the system",
        "The server listens on port 9090 and logs to the journal of the system",
    ),
    (
        "用户喜欢 Rust 和 TypeScript，平时写一些小工具分享给朋友使用",
        "用户喜欢 Rust 和 Go，平时写一些小工具分享给朋友使用",
    ),
    ("主人养了一只猫，名字叫小花，很怕生人", "主人喜欢在周末的早上去公园跑步"),
    ("I like tea", "I like tea very much in the morning when nobody else is awake"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_dress(one: str, other: str) -> None:
    assert comparison_key(one) == comparison_key(other)


@pytest.mark.parametrize(("one", "other"), NOT_THE_SAME)
def test_marks_that_carry_meaning_keep_texts_apart(one: str, other: str) -> None:
    assert comparison_key(one) != comparison_key(other)


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_nearly_the_same(one: str, other: str) -> None:
    assert list(near_duplicates([one, other], LEAST)) == [(1, 0)]
    assert is_near_duplicate_of_any(one, ["另一件事", other], LEAST)


@pytest.mark.parametrize(("one", "other"), APART)
def test_another_fact(one: str, other: str) -> None:
    assert list(near_duplicates([one, other], LEAST)) == []
    assert not is_near_duplicate_of_any(one, ["另一件事", other], LEAST)


def test_tokens_are_words_and_pairs_of_characters() -> None:
    assert tokens("用 Python 写代码") == {"python", "写代", "代码"}


def test_an_empty_text_is_like_no_other() -> None:
    assert list(near_duplicates(["", "，", ""], LEAST)) == []


def _all_pairs(texts: Sequence[str], least: float) -> set[int]:
    """Find the later ones of all pairs the slow way."""
    return {
        later
        for later, text in enumerate(texts)
        if any(is_near_duplicate_of_any(text, (other,), least) for other in texts[:later])
    }


def _found(texts: Sequence[str], least: float) -> set[int]:
    return {later for later, _ in near_duplicates(texts, least)}


@pytest.mark.parametrize("least", [0.7, 0.85, 1.0])
@pytest.mark.parametrize("vocabulary", [60, 200, 1000])
def test_finds_what_comparing_all_pairs_finds(vocabulary: int, least: float) -> None:
    pick = random.Random(7)
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(vocabulary)]
    texts = [" ".join(pick.sample(words, pick.randrange(8, 20))) for _ in range(60)]
    texts += [" ".join([*text.split(), pick.choice(words)]) for text in texts]
    assert _found(texts, least) == _all_pairs(texts, least)


@pytest.mark.thorough
@pytest.mark.slow
def test_among_thousands_that_share_their_words_the_alike_are_found() -> None:
    pick = random.Random(5)
    words = [f"{a}{b}{c}" for a in "bcdfgh" for b in "aeiou" for c in ("lt", "rn", "st", "nd", "mp")]
    often = [1 / (place + 1) for place in range(len(words))]
    texts = [" ".join(pick.choices(words, often, k=14)) for _ in range(many(700, 1500))]
    texts += [f"{text} {pick.choice(words)}" for text in pick.sample(texts, 100)]
    slow = _all_pairs(texts, LEAST)
    assert len(slow) >= 100
    assert _found(texts, LEAST) == slow


def test_unequal_is_not_equal() -> None:
    assert comparison_key("x != y") != comparison_key("x = y")
    assert comparison_key("done!") == comparison_key("done")


def test_near_duplicates_have_a_mark_in_common() -> None:
    base = "the gauge by an old stone bridge at our mill gets read six each day now"
    longer = f"{base} extraordinarily conscientiously"  # the longest words are those that the other text lacks
    assert is_near_duplicate_of_any(base, (longer,), 0.85)
    assert near_duplicate_marks(base, 0.85) & near_duplicate_marks(longer, 0.85)
    assert not near_duplicate_marks(base, 0.85) & near_duplicate_marks("a quite different story of two cats", 0.85)


SAID = spoken("Hi! My cat is called Tom.\nThe pier is closed; it opens on Monday.") + spoken("我家的猫叫汤姆，很乖。")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My cat is called Tom", True), ("cat is called Tom.", True), ("CAT is called: Tom!", True),
        ("Round 1: My cat is called Tom; The pier is closed", True), ("第 1–2 轮：我家的猫叫汤姆", True),
        ("My cat is call…", True), ("it opens on Mon…", True), ("猫叫汤姆", True),
        ("My cat is called Tommy", False), ("at is called Tom", False), ("My dog is called Tom", False),
        ("My cat is called Tom; it is ill", False), ("", False), ("…", False), ("Round 1:", False),
    ],
)  # fmt: skip
def test_a_text_restates_what_stands_in_it_sentence_by_sentence(text: str, expected: bool) -> None:
    assert restates(text, SAID) is expected


USUAL = some.characters(max_codepoint=0x7E) | some.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)


WIDE = "、。—–‘’“”「」『』《》【】→✅，：；！？（）…～é①ｱ\u0301"


@example(text=WIDE)
@given(text=some.text(USUAL | some.sampled_from(WIDE)))
def test_texts_are_compared_in_their_compatible_form(text: str) -> None:
    for said in (text, *(f"x {sign}= 1{sign}2" for sign in {*text})):
        assert comparison_key(said) == comparison_key(unicodedata.normalize("NFKC", said))
