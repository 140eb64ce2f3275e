"""The decision about a statement, case by case: one row for each, and what it must say."""

from __future__ import annotations

import time
from itertools import accumulate

import pytest

from mdmem.facts.known_facts import KnownFacts
from mdmem.facts.model import Decision, Fact, NewFact
from mdmem.facts.update import decide, raised
from mdmem.formats.fact_words import FactWords
from mdmem.formats.template import Schemas
from mdmem.settings.generated_tables import FactSettings

Held = tuple[str, str, str, str]  # predicate, text, date, and what it is: live, old

VERSION = ("Python版本", "Python 版本是 3.10", "2026-02-13", "live")
NEWER = ("Python版本", "Python 升级到 3.12", "2026-02-14", "live")
OLDER = ("Python版本", "Python 版本是 3.10", "2026-02-13", "old")
NODE = ("Node 版本", "Node 的版本是 20", "2026-02-01", "live")
CITY = ("lives in", "Mara lives in Porto, near the river", "2026-01-05", "live")
ADDRESS = ("address", "the address is Avenida Central 7", "2026-01-05", "live")
EDITOR = ("编辑器", "编辑器换成 Helix，配置跟着 dotfiles 走", "2026-02-14", "live")
LEFT = ("lives in", "Mara no longer lives in Faro, she moved to Porto", "2026-01-05", "live")
CAT = ("宠物", "养了一只橘猫，叫豆豆", "2026-01-05", "live")
ROASTS = ("咖啡", "每天喝咖啡", "2026-01-05", "live")
PAYDAY = ("工资日", "每月 5 号发工资", "2026-01-05", "live")
COFFEE = ("喜欢", "喜欢手冲咖啡", "2026-01-05", "live")
GYM = ("会员", "健身房年卡，每周去两次", "2026-01-05", "live")

TODAY = "2026-03-01"
MAY = ("birth", "was born in May", "2026-01-05", "live")
YEAR = ("birth", "was born in 1990", "2026-01-06", "live")
BIRTHDAY = ("生日", "生日是 5 月 3 日", "2026-01-05", "live")
WHOLE = ("生日", "出生于1990年5月3日", "2026-01-05", "live")
DREAMT = ("Python版本", "Python 版本是 3.10", "9999-12-31", "live")

Case = tuple[str, list[Held], tuple[str, str, str], dict[str, object], Decision, list[str]]

# held lines, the statement (predicate, text, date), more of it, the decision, the texts that it is about
CASES: list[Case] = [
    ("nothing is known", [], ("职业", "在做水文数据", "2026-02-14"), {}, "new", []),
    ("another predicate", [NODE], ("住址", "住在里斯本", "2026-02-14"), {}, "new", []),
    ("the same words", [VERSION],
     ("Python版本", "Python 版本是 3.10", "2026-02-20"), {}, "confirm", [VERSION[1]]),
    ("the same value in other words", [NEWER],
     ("Python 版本", "Python 版本是 3.12 了", "2026-02-20"), {}, "confirm", [NEWER[1]]),
    ("the same, punctuated and in width", [COFFEE],
     ("喜欢", "喜欢手冲咖啡。", "2026-02-20"), {}, "confirm", [COFFEE[1]]),
    ("a clause of the line", [EDITOR],
     ("编辑器", "编辑器换成 Helix", "2026-02-20"), {}, "confirm", [EDITOR[1]]),
    ("a clause of the line in English", [CITY],
     ("residence", "Mara lives in Porto.", "2026-02-20"), {}, "confirm", [CITY[1]]),
    ("what a clause of the line denies", [LEFT],
     ("residence", "Mara lives in Faro", "2026-02-20"), {}, "update", [LEFT[1]]),
    ("a newer value", [VERSION],
     ("Python版本", "Python 升级到 3.12", "2026-02-14"), {}, "update", [VERSION[1]]),
    ("a value of today beside one of the far future", [DREAMT],
     ("Python版本", "Python 升级到 3.12", TODAY), {}, "update", [DREAMT[1]]),
    ("a value of last month beside one of the far future", [DREAMT],
     ("Python版本", "Python 升级到 3.12", "2026-02-14"), {}, "late", [DREAMT[1]]),
    ("the end of what the far future holds", [("宠物", CAT[1], "9999-12-31", "live")],
     ("宠物", "不再养猫了", TODAY), {}, "retract", [CAT[1]]),
    ("a newer value, spelt otherwise", [VERSION],
     ("PYTHON_version", "Python is 3.12", "2026-02-14"), {}, "update", [VERSION[1]]),
    ("a newer value of the same day", [VERSION],
     ("Python版本", "Python 版本是 3.11", "2026-02-13"), {}, "update", [VERSION[1]]),
    ("a newer value in English", [CITY],
     ("residence", "Mara moved to Faro", "2026-02-14"), {}, "update", [CITY[1]]),
    ("an address beside a city", [CITY],
     ("address", "the address is Rua das Flores 12", "2026-02-14"), {}, "new", []),
    ("who moves has another address", [CITY, ADDRESS],
     ("lives in", "Mara moved to Faro", "2026-02-14"), {}, "update", [CITY[1], ADDRESS[1]]),
    ("who has another address need not have moved", [CITY, ADDRESS],
     ("address", "the address changed to Rua do Sol 3", "2026-02-14"), {}, "update", [ADDRESS[1]]),
    ("the opposite", [ROASTS],
     ("咖啡", "每天不喝咖啡", "2026-02-14"), {}, "update", [ROASTS[1]]),
    ("another number", [PAYDAY],
     ("工资日", "每月 15 号发工资", "2026-02-14"), {}, "update", [PAYDAY[1]]),
    ("an older value", [NEWER],
     ("Python版本", "Python 版本是 3.9", "2026-01-01"), {}, "late", [NEWER[1]]),
    ("an older value that is known", [NEWER, OLDER],
     ("Python版本", "Python 版本是 3.10", "2026-02-13"), {}, "confirm", [OLDER[1]]),
    ("back to an older value", [NEWER, OLDER],
     ("Python版本", "Python 退回 3.10", "2026-02-15"), {}, "update", [NEWER[1]]),
    ("one of many", [COFFEE], ("喜欢", "喜欢靠窗的座位", "2026-02-14"), {}, "beside", []),
    ("the first of many", [], ("喜欢", "喜欢靠窗的座位", "2026-02-14"), {}, "new", []),
    ("it is said to hold beside", [CITY],
     ("lives in", "Mara has a flat in Faro", "2026-02-14"), {"also": True}, "beside", []),
    ("a near predicate and a change", [VERSION],
     ("版本", "Python 升级到 3.12", "2026-02-14"), {}, "update", [VERSION[1]]),
    ("a near predicate and a model", [VERSION],
     ("版本", "Python 3.12", "2026-02-14"), {"is_update": True}, "update", [VERSION[1]]),
    ("a near predicate in doubt", [VERSION],
     ("版本", "Python 用 3.12", "2026-02-14"), {}, "ask", [VERSION[1]]),
    ("a predicate of another thing", [NODE],
     ("版本", "Python 升级到 3.12", "2026-02-14"), {}, "new", []),
    ("a model chose the line", [CITY, NODE],
     ("flat", "Mara rents in Faro", "2026-02-14"), {"replaces": "k0"}, "update", [CITY[1]]),
    ("a model chose a line that is not there", [CITY],
     ("hobby", "plays chess", "2026-02-14"), {"replaces": "zz"}, "new", []),
    ("it no longer holds", [CAT],
     ("宠物", "不再养猫了", "2026-02-14"), {}, "retract", [CAT[1]]),
    ("it no longer holds, of many", [COFFEE],
     ("喜欢", "不再喜欢咖啡了", "2026-02-14"), {}, "retract", [COFFEE[1]]),
    ("it no longer holds, without words", [GYM],
     ("会员", "取消了", "2026-02-14"), {}, "retract", [GYM[1]]),
    ("it no longer holds, and why", [CAT],
     ("宠物", "豆豆上周走丢了，不再养猫。", "2026-02-14"), {}, "retract", [CAT[1]]),
    ("in English", [CITY],
     ("lives in", "Mara no longer lives in Porto", "2026-02-14"), {}, "retract", [CITY[1]]),
    ("no longer, and a new value", [NODE],
     ("Node 版本", "不再用 Node 20，换成 22", "2026-02-14"), {}, "update", [NODE[1]]),
    ("something else no longer holds", [CAT],
     ("宠物", "不再养鹦鹉了", "2026-02-14"), {}, "ask", [CAT[1]]),
    ("a value of another predicate", [("likes", "tea", "2026-01-05", "live")],
     ("is allergic to", "tea", "2026-02-14"), {}, "new", []),
    ("a value of another predicate in Chinese", [("出生地", "杭州", "2026-01-05", "live")],
     ("公司所在地", "杭州", "2026-02-14"), {}, "new", []),
    ("a statement of another predicate", [CITY],
     ("home town", "Mara lives in Porto, near the river", "2026-02-14"), {}, "confirm", [CITY[1]]),
    ("the same number below zero", [("balance", "5", "2026-01-05", "live")],
     ("balance", "-5", "2026-02-14"), {}, "update", ["5"]),
    ("a limit from the other side", [("room temperature", ">18", "2026-01-05", "live")],
     ("room temperature", "<18", "2026-02-14"), {}, "update", [">18"]),
    ("another currency", [("价格", "￥5", "2026-01-05", "live")],
     ("价格", "€5", "2026-02-14"), {}, "update", ["￥5"]),
    ("another domain", [("mail server", "foo.bar.example", "2026-01-05", "live")],
     ("mail server", "foobar.example", "2026-02-14"), {}, "update", ["foo.bar.example"]),
    ("an option and a word", [("default flag", "--no-cache", "2026-01-05", "live")],
     ("default flag", "no-cache", "2026-02-14"), {}, "update", ["--no-cache"]),
    ("a path from another beginning", [("notes folder", "~/notes", "2026-01-05", "live")],
     ("notes folder", "/notes", "2026-02-14"), {}, "update", ["~/notes"]),
    ("a full stop at the end", [("mail server", "foo.bar.example", "2026-01-05", "live")],
     ("mail server", "Foo.bar.example.", "2026-02-14"), {}, "confirm", ["foo.bar.example"]),
    ("the same sign in another width", [("价格", "￥5", "2026-01-05", "live")],
     ("价格", "¥5。", "2026-02-14"), {}, "confirm", ["￥5"]),
    ("the year of birth beside the month", [MAY],
     ("birth", "was born in 1990", "2026-02-14"), {}, "beside", []),
    ("the month of birth beside the year", [YEAR],
     ("birth", "was born in May", "2026-02-14"), {}, "beside", []),
    ("the month of birth said after the year, on an earlier day", [YEAR],
     ("birth", "was born in May", "2026-01-01"), {}, "beside", []),
    ("the day of birth, of which the month is known", [MAY, YEAR],
     ("birth", "was born on 3rd of May", "2026-02-14"), {}, "update", [MAY[1]]),
    ("the whole day of birth, of which both parts are known", [MAY, YEAR],
     ("birth", "was born on May 3, 1990", "2026-02-14"), {}, "update", [MAY[1], YEAR[1]]),
    ("another month of birth", [MAY, YEAR],
     ("birth", "was born in June", "2026-02-14"), {}, "update", [MAY[1]]),
    ("another year of birth", [MAY, YEAR],
     ("birth", "was born in 1991", "2026-02-14"), {}, "update", [YEAR[1]]),
    ("another whole day of birth", [MAY, YEAR],
     ("birth", "was born on 1991-06-03", "2026-02-14"), {}, "update", [MAY[1], YEAR[1]]),
    ("a part of the day of birth that is known", [WHOLE],
     ("生日", "出生于五月", "2026-02-14"), {}, "confirm", [WHOLE[1]]),
    ("a birthday and the year of birth in Chinese", [BIRTHDAY],
     ("出生日期", "出生于1990年", "2026-02-14"), {}, "beside", []),
    ("a whole birthday in Chinese", [BIRTHDAY],
     ("birthday", "生日是1990年5月3号", "2026-02-14"), {}, "update", [BIRTHDAY[1]]),
    ("another birthday in Chinese", [BIRTHDAY],
     ("生日", "生日是五月四日", "2026-02-14"), {}, "update", [BIRTHDAY[1]]),
    ("the birthday of a relative", [("女儿生日", "女儿的生日是5月3日", "2026-01-05", "live")],
     ("女儿生日", "女儿的生日是2015年", "2026-02-14"), {}, "beside", []),
    ("a date with its year behind it", [WHOLE],
     ("生日", "生日 5 月 3 日（1991 年）", "2026-02-14"), {}, "update", [WHOLE[1]]),
    ("a day in figures, in an order that nobody knows", [("birth", "was born on 5/3/1990", "2026-01-05", "live")],
     ("birth", "was born on 6/3/1990", "2026-02-14"), {}, "update", ["was born on 5/3/1990"]),
    ("a birthday without a date", [MAY],
     ("birth", "was born at home", "2026-02-14"), {}, "update", [MAY[1]]),
    ("the dates of something else", [("release date", "May", "2026-01-05", "live")],
     ("release date", "2027", "2026-02-14"), {}, "update", ["May"]),
    ("what never held no longer holds", [],
     ("饮食", "不再吃红肉", "2026-02-14"), {}, "new", []),
]  # fmt: skip


@pytest.fixture
def words(schemas: Schemas) -> FactWords:
    template = schemas.get("facts")
    assert template
    return FactWords(template, 0.85)


def fact(number: int, held: Held) -> Fact:
    predicate, text, day, state = held
    old = state == "old"
    return Fact("facts/x.md", "x", predicate, text, day, "", f"k{number}", number + 1, "fact", "", 0.5, 0.5, "",
                "2026-02-14" if old else "", "", not old)  # fmt: skip


SPOKEN = [
    "The gauge by the old stone bridge behind the upper mill is read at six each morning",
    "The gauge by the old stone bridge behind the upper mill is read at six each early morning",
    "The gauge by the old stone bridge behind the upper mill is read at 7 each morning",
    "水位计在磨坊后面的老石桥旁边，每天早上六点读一次",
    "水位计在磨坊后面的老石桥旁边，每天早上六点读一次数",
    "水位计换过了；每天早上六点读一次",
    "每天早上六点读一次",
    "版本改成 3.12",
    "Ｖersion：３.12",
    "３.１2",
    "...",
]


def test_the_quick_look_keeps_every_text_that_says_the_same(words: FactWords) -> None:
    texts = [*SPOKEN, *(held[1] for case in CASES for held in case[1]), *(case[2][1] for case in CASES)]
    asked = [(one, other, predicate) for one in texts for other in texts for predicate in ("版本", "读数", "lives in")]
    alike = {pair for pair in asked if words.same(*pair) or words.says(pair[1], pair[0])}
    assert (SPOKEN[0], SPOKEN[1], "读数") in alike
    assert (SPOKEN[6], SPOKEN[5], "读数") in alike
    assert (SPOKEN[7], SPOKEN[9], "版本") in alike
    kept = {pair for pair in asked if words.may_be_same(*pair)}
    assert alike <= kept
    assert len(kept) < len(asked) // 2


@pytest.mark.parametrize(("name", "held", "said", "more", "decision", "about"), CASES, ids=[case[0] for case in CASES])
def test_each_case_is_decided(
    words: FactWords,
    name: str,
    held: list[Held],
    said: tuple[str, str, str],
    more: dict[str, object],
    decision: Decision,
    about: list[str],
) -> None:
    predicate, text, day = said
    item = NewFact("x", predicate, text, date=day, **more)  # type: ignore[arg-type]
    known = KnownFacts(words, [fact(number, one) for number, one in enumerate(held)])
    verdict = decide(known, item, TODAY)
    assert (verdict.decision, [one.text for one in verdict.lines]) == (decision, about), name


def test_names_of_predicates_meet(words: FactWords) -> None:
    names = ("Python 版本", "Python版本", "PYTHON_版本", "python version", "Ｐｙｔｈｏｎ　版本", "python-版本号")
    assert len({words.predicate(name) for name in names}) == 1
    assert words.predicate("Node 版本") != words.predicate("Python 版本")
    assert not words.predicate(" … ")


def test_confidence_rises_and_stays_below_one() -> None:
    steps = list(accumulate(range(60), lambda value, _: raised(value, 0.3), initial=0.5))[1:]
    assert steps[0] == pytest.approx(0.65)
    assert steps == sorted(steps)
    assert steps[-1] < 1


@pytest.mark.parametrize(
    "name", ["Python 的版本", "version of Python", "Version of the Python", "python_version", "Python版本号"]
)
def test_a_predicate_is_the_same_whatever_joins_its_words(words: FactWords, name: str) -> None:
    assert words.predicate(name) == words.predicate("Python version") != words.predicate("Node version")


def test_a_row_of_ones_own_joins_the_row_that_has_one_of_its_names(schemas: Schemas) -> None:
    template = schemas.get("facts")
    assert template
    own = FactWords(template, 0.85, FactSettings(("Argo = argo-web",), ("IDE = 编辑器 = code editor", "茶 = 饮品"), 30))
    assert own.predicate("IDE") == own.predicate("editor") == own.predicate("Code Editor")
    assert own.predicate("茶") == own.predicate("饮品") != own.predicate("editor")
    assert own.subject("argo-web") == own.subject("ARGO") != own.subject("我")
    assert own.user == "用户", "the first row of the template is the person"


@pytest.mark.parametrize("names", [
    ("budget for pots", "pots' budget", "the pots’ budget", "budget_for_the_pots", "pots budget"),
    ("the deadline of the report", "report deadline", "report's deadline", "our deadline for the report"),
    ("the opening hours of Ann's shop", "Ann's shop opening hours"),
    ("花盆的预算", "花盆预算"),
])  # fmt: skip
def test_the_owner_of_a_predicate_may_stand_on_either_side(words: FactWords, names: tuple[str, ...]) -> None:
    assert len({words.predicate(name) for name in names}) == 1


@pytest.mark.parametrize(("one", "other"), [
    ("budget for pots", "budget for pans"), ("budget for pots", "pots for budget"), ("report deadline", "deadline"),
    ("the deadline of the report", "the author of the report"), ("boss", "bos"), ("花盆的预算", "花盆的颜色"),
])  # fmt: skip
def test_another_owner_or_property_is_another_predicate(words: FactWords, one: str, other: str) -> None:
    assert words.predicate(one) != words.predicate(other)


def test_a_hostile_predicate_is_folded_in_linear_time(words: FactWords) -> None:
    began = time.process_time()
    for piece in (" of ", "' ", "the ", " \t", " for the "):
        words.predicate(piece * 40_000 + "x")
    assert time.process_time() - began < 5
