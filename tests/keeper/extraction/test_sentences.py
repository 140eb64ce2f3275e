"""What the rules find in single sentences of different people: seldom anything wrong, and most of what they cover.

Each row names the type, the values that a statement may hold (the first one is wanted), and the sentence; - is nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import TODAY

from mdmem.extraction.clauses import clauses
from mdmem.extraction.model import ExtractionTask, FactCandidate, is_subject
from mdmem.extraction.rules import extract
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.settings.tables import Settings
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import FactSource

from .conftest import WORDS, Extract


class Row(NamedTuple):
    kind: str
    values: list[str]
    sentence: str


def rows(lang: str, name: str = "sentences") -> list[Row]:
    text = Path(__file__).with_name(f"{name}_{lang}.tsv").read_text("utf-8")
    parts = (line.split("\t") for line in text.splitlines())
    return [Row(kind, values.split("|"), sentence) for kind, values, sentence in parts]


def is_right(row: Row, item: FactCandidate) -> bool:
    same_kind = row.kind != "-" and (item.type == "rule") == (row.kind == "rule")
    return same_kind and any(value in item.text for value in row.values)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", ["sentences", "plans"])
def test_what_is_kept_is_right_and_most_is_kept(found: Extract, lang: str, name: str) -> None:
    """`plans` is about changed times, budgets and deadlines."""
    kept, wrong, wanted, missed = 0, [], 0, []
    for row in rows(lang, name):
        items = found(row.sentence, lang=lang).items
        kept += len(items)
        wrong += [(row.sentence, item.text) for item in items if not is_right(row, item)]
        wanted += row.kind != "-"
        wants = row.values if name == "plans" else row.values[:1]
        if row.kind != "-" and not any(value in item.text for value in wants for item in items):
            missed.append(row.sentence)
    print(f"{lang}: {len(wrong)} of {kept} wrong, {len(missed)} of {wanted} missed", wrong, missed)
    assert len(wrong) <= 0.03 * kept, wrong
    assert len(missed) <= 0.1 * wanted, missed


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", ["sentences", "plans"])
def test_nothing_is_invented(found: Extract, lang: str, name: str) -> None:
    for row in rows(lang, name):
        source = FactSource(row.sentence)
        for item in found(row.sentence, lang=lang).items:
            assert source.missing(item.text) == (), item
            assert item.type != "rule" or item.text in row.sentence, "a rule is kept word for word"


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "said", "is_update"),
    [
        ("我的 Python 从 3.10 升级到 3.12 了", "用户", "Python版本", "Python 升级到 3.12", True),
        ("昨天我的 Python 还是 3.10，今天升级到 3.12 了", "用户", "Python版本", "Python 升级到 3.12", True),
        ("小王的生日是 5 月 3 日", "小王", "生日", "生日是 5 月 3 日", False),
        ("riverlog 的端口改成 9000 了", "riverlog", "端口", "端口改成 9000", True),
        ("我从上海搬到杭州了", "用户", "住址", "搬到杭州", True),
        ("我已经不养鹦鹉了", "用户", "养", "不再养鹦鹉", True),
        ("我的导师是褚老师", "用户", "导师", "导师是褚老师", False),
        ("我的导师是个化学老师", "用户", "导师职业", "导师是化学老师", False),
        ("顺便提一句：riverlog 的域名是 kalo.example", "riverlog", "域名", "域名是 kalo.example", False),
        ("riverlog 的负责人是周启航，别弄错", "riverlog", "负责人", "负责人是周启航", False),
        ("我的主力语言变成 Kotlin 了", "用户", "主力语言", "主力语言变成 Kotlin", True),
        ("记一下，我女儿对花粉过敏", "用户", "女儿过敏", "女儿对花粉过敏", False),
        ("我家有一只狗叫豆豆，它怕电钻。", "用户", "家人", "有一只狗叫豆豆", False),
        ("我有一个儿子小明", "用户", "家人", "有一个儿子小明", False),
        ("我有两个女儿", "用户", "女儿人数", "有两个女儿", False),
        ("我换到夜班了", "用户", "班次", "换到夜班", True),
        ("女儿的钢琴课改到周四下午五点半了", "用户", "女儿钢琴课", "女儿的钢琴课改到周四下午五点半", True),
        ("我把会议改到周三了", "用户", "会议", "会议改到周三", True),
        ("装修先做水电；厨房预算 3 万", "厨房", "预算", "预算 3 万", False),
        ("厨房预算从 3 万加到 4 万", "厨房", "预算", "预算加到 4 万", True),
        ("春节前必须完工", "用户", "待办", "春节前必须完工", False),
        ("厨房春节前必须完工", "用户", "厨房期限", "厨房春节前必须完工", False),
    ],
)
def test_subject_predicate_and_change(
    found: Extract, text: str, subject: str, predicate: str, said: str, is_update: bool
) -> None:  # fmt: skip
    (item,) = found(text).items
    assert (item.subject, item.predicate, item.text, item.is_update) == (subject, predicate, said, is_update)


@pytest.mark.parametrize(("text", "lang"), [
    ("存款预算 3 万", "zh"), ("账户余额 3 万", "zh"), ("信用卡预算五千", "zh"), ("把会议改到周三", "zh"),
    ("周五前密码必须改好", "zh"), ("年底前务必别动存款", "zh"),
    ("The salary budget is 3,000,000.", "en"), ("The savings account budget is 3,000.", "en"),
    ("We set aside 3,000 for our savings.", "en"), ("The movie must have ended before May.", "en"),
    ("The User class was moved to Utils.", "en"), ("The wedding was moved to a bigger hall.", "en"),
])  # fmt: skip
def test_what_is_private_or_no_plan_is_no_fact(found: Extract, text: str, lang: str) -> None:
    assert [item for item in found(text, lang=lang).items if item.type != "rule"] == []


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "said"),
    [
        ("I upgraded my Node from 18 to 20.1.", "user", "Node_version", "Node upgraded to 20.1"),
        ("Ann's phone number is 555-0100.", "Ann", "phone_number", "phone number is 555-0100"),
        ("The blog's domain is quiet.example.", "blog", "domain", "domain is quiet.example"),
        ("By the way, I’m allergic to penicillin.", "user", "allergy", "is allergic to penicillin"),
        (
            "My sister's email was changed from a@b.example to c@d.example.",
            "user",
            "sister_email",
            "sister's email is c@d.example",
        ),
        ("My son's new flight is C1926.", "user", "son_flight", "son's flight is C1926"),
        ("Tomasz's port was changed from 80 to 8080.", "Tomasz", "port", "port is 8080"),
        ("The port for Priya is 8883 now.", "Priya", "port", "port is 8883"),
        ("I'm a nurse at St. Anne's hospital.", "user", "company", "is a nurse at St. Anne's hospital"),
        ("I moved to the night shift.", "user", "shift", "moved to the night shift"),
        ("My postcode is 5419.", "user", "postcode", "postcode is 5419"),
        ("Our password manager is Vaultly.", "user", "password_manager", "password manager is Vaultly"),
        ("We switched the database from MySQL to SQLite.", "user", "database", "database switched to SQLite"),
    ],
)
def test_the_same_in_english(found: Extract, text: str, subject: str, predicate: str, said: str) -> None:
    (item,) = found(text, lang="en").items
    assert (item.subject, item.predicate, item.text) == (subject, predicate, said)


def test_a_full_stop_before_a_small_letter_ends_a_statement(found: Extract) -> None:
    items = found("Our database is Zentra now. riverlog's port is 8080.", lang="en").items
    assert [(item.subject, item.text) for item in items] == [
        ("user", "database is Zentra"), ("riverlog", "port is 8080")
    ]  # fmt: skip


def test_a_limit_is_a_rule_although_it_says_below(found: Extract) -> None:
    (rule,) = found("Keep your answers below 5 lines from now on.", lang="en").items
    assert rule.type == "rule"
    assert found("Don't touch the lines below.", lang="en").items == ()


@pytest.mark.parametrize("subject", ["提一句：riverlog", "a／b", "问？"])
def test_a_subject_with_a_full_width_sign_is_none(subject: str) -> None:
    assert not is_subject(subject)


@pytest.mark.parametrize(
    ("text", "is_permanent"),
    [("以后都用中文写", False), ("永远不要改动 data/raw", True), ("Always ask me first.", True)],
)
def test_a_rule_is_permanent_only_if_it_says_so(found: Extract, text: str, is_permanent: bool) -> None:
    (rule,) = found(text).items
    assert (rule.type, rule.text, rule.permanent) == ("rule", text, is_permanent)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("帮我把 README 翻译成英文", "request"),
        ("把这个函数改成异步的", "request"),
        ("为什么会慢？", "question"),
        ("晚安", "small-talk"),
        ("我今天住在酒店", "transient"),
        ("我可能会搬到北京", "doubtful"),
        ("以前我住在天津", "doubtful"),
        ("我喜欢这个方案", "transient"),
        ("我喜欢你", "vague"),
        ("风从窗外吹进来", "plain"),
        ("小王：我爱吃辣\n小李：我不爱\n小王：好吧", "plain"),
        ("我住在" + "很远的地方" * 100, "too-long"),
        ("翻译下面这段：\n我叫李雷，我住在伦敦", "request"),
        ("```\n我叫李雷\n```", "plain"),
    ],
)
def test_what_is_not_worth_remembering_is_counted_by_reason(found: Extract, text: str, why: str) -> None:
    extraction = found(text)
    assert extraction.items == ()
    assert list(extraction.dropped) == [why]


@pytest.mark.parametrize(
    ("said", "text", "predicate"),
    [
        ("My uncle Pat has moved to Leeds.", "uncle Pat moved to Leeds", "uncle_Pat_residence"),
        ("My daughter Ines is allergic to sesame.", "daughter Ines is allergic to sesame", "daughter_Ines_allergy"),
        ("Our cat Whiskers is 4 years old.", "cat Whiskers is 4 years old", "cat_Whiskers_age"),
        ("My wife is Dr. Amara Obi.", "wife is Dr. Amara Obi", "wife_name"),
        ("My landlord J. R. Petrov lives in Basel.", "", ""),
        ("My dad takes 2 tablets of metformin.", "dad takes 2 tablets of metformin", "dad_medicine"),
        ("We got engaged on 3 May 2024.", "engaged on 3 May 2024", "anniversary"),
        ("我弟弟阿杰在深圳当厨师。", "弟弟阿杰在深圳当厨师", "弟弟阿杰职业"),
        ("我表姐六月份搬到了昆明。", "表姐六月份搬到昆明", "表姐住址"),
        ("我爸每晚吃一片阿托伐他汀。", "爸每晚吃一片阿托伐他汀", "爸用药"),
        ("我老婆 Anna 住在柏林。", "老婆 Anna 住在柏林", "老婆Anna住址"),
        ("我家的猫团子五岁了。", "猫团子五岁", "猫团子年龄"),
        ("我 2018 年戒了烟。", "2018 年戒了烟", "忌口"),
        ("我妹妹今天不舒服。", "", ""),
        ("我儿子在学校打架了。", "", ""),
        ("My brother Will will call you.", "", ""),
        ("Our dog Rex is sweet.", "", ""),
    ],
)
def test_a_given_name_may_follow_a_relative_or_a_pet(found: Extract, said: str, text: str, predicate: str) -> None:
    items = found(said, lang="zh" if "我" in said else "en").items
    assert [(one.text, one.predicate) for one in items] == ([(text, predicate)] if text else [])


@pytest.mark.parametrize(
    ("text", "is_request"),
    [
        ("先生的血型是 O 型", False),
        ("检查结果出来了，胆固醇偏高", False),
        ("讲师是外校请来的", False),
        ("先把水关掉", True),
        ("检查一下第三段", True),
        ("讲个笑话", True),
        ("Draw lots is how we choose the cook", False),
        ("Check-out is before eleven", False),
        ("Run time of the battery was nine hours", True),  # not known for a statement: «the» stands between
        ("Write tests that are short", True),
        ("Make sure doors are shut", True),
        ("Compare what was promised with the invoice", True),
        ("List price is forty euro", False),
    ],
)
def test_a_statement_that_begins_like_a_request_is_none(settings: Settings, text: str, is_request: bool) -> None:
    words = clauses(settings.extract)
    assert words.is_request(words.opened(text)) is is_request


def test_only_the_user_speaks_of_the_user(settings: Settings) -> None:
    turn = Turn(1, "assistant", "assistant", "", "我叫小助手，我喜欢帮忙", 0, 0, 0)
    weigher = ImportanceScorer(settings.keeper, TODAY)
    task = ExtractionTask("s", (turn,), settings.extract, weigher, Splitter(settings.sentences), rows=WORDS["patterns"],
                          lists=WORDS["lists"])  # fmt: skip
    assert extract(task).items == ()


@pytest.mark.parametrize(("said", "rules"), [
    ("以后所有合同都用宋体，小四号字。永远不要用斜体。", ["以后所有合同都用宋体，小四号字。", "永远不要用斜体。"]),
    ("今后每份报告一律带页码。", ["今后每份报告一律带页码。"]),
    ("先把目录建好，以后每次提交都要写说明。", ["以后每次提交都要写说明。"]),
    ("Fix the test, and from now on never skip one.", ["from now on never skip one."]),
    ("Trim the photo, and in all future albums never use borders.", ["in all future albums never use borders."]),
    ("给新书配个封面，另外从今往后封面都要横排。", ["从今往后封面都要横排。"]),
    ("给新书配个封面，今后封面一律不放人像。", ["今后封面一律不放人像。"]),
    ("When the build fails, from now on always tell me.", ["When the build fails, from now on always tell me."]),
    ("Run the linter, and never push before it passes.", ["Run the linter, and never push before it passes."]),
    ("Rename the folder; always use lower case in names.", ["always use lower case in names."]),
    ("我的 Python 是 3.11，fedora 自带的，别动它。", []),
    ("My Python is 3.11, from Fedora, never touch it.", []),
    ("以后我都走路上班。", []),
    ("In future all trains will be electric, he said.", []),
    ("好的，清单不要超过十条。", []), ("好的，以后清单不要超过十条。", ["以后清单不要超过十条。"]),
    ("回答不要超过三句。", ["回答不要超过三句。"]),
    ("不要超过两页。", []), ("客户要 Word 版的报告，不要 PDF。", []), ("这封邮件里一律用简称。", []),
    ("报告要 Word 版，不要 PDF。", ["报告要 Word 版，不要 PDF。"]),
    ("Always reply in one paragraph for the rest of this chat.", []),
    ("Never use bold until we finish this chapter.", []),
    ("Don't mention prices in this summary.", []), ("Don't mention prices.", ["Don't mention prices."]),
    ("Call me when it's done. Never mind, don't.", []), ("Call me Max.", ["Call me Max."]),
    ("Always answer in Dutch. Actually, never mind.", []), ("I live in Oslo. Never answer in French. 算了。", []),
    ("OK, don't use tables.", []), ("OK, never use tables.", ["OK, never use tables."]),
    ("以后我问投资的事，都先提醒我找赫敏。", ["以后我问投资的事，都先提醒我找赫敏。"]),
    ("以后我用英文问你就用英文答，其他时候用中文。", ["以后我用英文问你就用英文答，其他时候用中文。"]),
    ("以后我搬到郊区，都骑车上班。", []), ("六周以后提醒我复查。", []),
    ("If I write in Dutch, answer in Dutch; otherwise use English.",
     ["If I write in Dutch, answer in Dutch; otherwise use English."]),
])  # fmt: skip
def test_a_rule_is_what_lasts_of_a_sentence(found: Extract, said: str, rules: list[str]) -> None:
    assert [one.text for one in found(said, lang="en" if said.isascii() else "zh").items if one.type == "rule"] == rules


@pytest.mark.parametrize(("lang", "text", "said"), [
    ("zh", "比起咖啡我更喜欢茶", "比起咖啡更喜欢茶"), ("zh", "跟爬山比起来我更爱游泳。", "比起爬山更爱游泳"),
    ("zh", "我更喜欢住一楼而不是顶楼", "比起顶楼更喜欢住一楼"), ("zh", "我喜欢黑麦面包胜过白面包。",
    "比起白面包更喜欢黑麦面包"),
    ("en", "I prefer tea to coffee.", "prefer tea to coffee"), ("en", "I much prefer rowing over running.",
    "prefer rowing to running"),
    ("en", "I like rye bread more than white bread.", "prefer rye bread to white bread"),
])  # fmt: skip
def test_a_preference_over_something_else_has_one_form(found: Extract, lang: str, text: str, said: str) -> None:
    (item,) = found(text, lang=lang).items
    assert (item.type, item.text, item.is_update) == ("preference", said, False)


@pytest.mark.parametrize("text", ["The seedlings' budget is 340 euros.", "The budget for seedlings is 340 euros.",
                                  "The seedlings’ budget is 340 euros."])  # fmt: skip
def test_a_thing_in_the_plural_owns_its_property(found: Extract, text: str) -> None:
    (item,) = found(text, lang="en").items
    assert (item.subject, item.predicate, item.text) == ("seedlings", "budget", "budget is 340 euros")


@pytest.mark.parametrize(("said", "kept"), [
    ("My GP practice moved, the new phone number is 030-2345678.", []), ("The house number is 12.", []),
    ("My dentist moved; the new address is 12 Mill Lane.", []), ("My boss hopes Lisbon is cheaper than Bath.", []),
    ("Our Python is 3.12.", ["Python version is 3.12"]), ("The blog is 2.4.", []),
    ("Our node is 18.", ["node version is 18"]),
    ("我的车在修理厂，周五才能取。", []), ("我的公司在浦东。", ["公司在浦东"]),
    ("我妈妈的生日在 5 月 3 日。", ["妈妈的生日在 5 月 3 日"]),
    ("Our daughter Noor is 6 and she starts at a new school, De Klimroos, in February.",
     ["daughter Noor is 6 years old"]),
    ("I prefer dark mode, tabs over spaces, and commit messages in the imperative.",
     ["prefer dark mode, tabs over spaces, and commit messages in the imperative"]),
    ("I like tea, and my wife likes coffee.", ["like tea", "wife likes coffee"]),
    ("I like tea, it rains, and dinner is ready.", ["like tea"]),
    ("I like Rome, work at Shell, and speak French.", ["like Rome", "works at Shell", "speaks French"]),
    ("I have two cats, Miso and Tofu.", ["has two cats, Miso and Tofu"]), ("I have two sons.", ["has two sons"]),
    ("I have two cats, but Anna is allergic.", ["has two cats"]),
    ("We have three kids: Ada, Tim and Jo.", ["has three kids: Ada, Tim and Jo"]),
    ("我喜欢简短的回答、列表，还有公制单位。", ["喜欢简短的回答、列表，还有公制单位"]),
    ("我喜欢茶，还有我妈喜欢咖啡。", ["喜欢茶", "妈喜欢咖啡"]),
    ("我有三个孩子：阿达、小天和小乔。", ["有三个孩子：阿达、小天和小乔"]),
])  # fmt: skip
def test_nothing_is_added_or_cut(found: Extract, said: str, kept: list[str]) -> None:
    assert [one.text for one in found(said, lang="en" if said.isascii() else "zh").items] == kept


@pytest.mark.parametrize(("said", "kept"), [
    ("We deploy on Thursdays only", ["we deploy on Thursdays only"]), ("We only have two hours.", []),
    ("use chi, not gin", ["use chi, not gin"]), ("Use Word for this, not PDF.", []),
    ("We're moving to Utrecht on 1 February, to a flat at Maliebaan 12",
     ["moving to Utrecht on 1 February, to a flat at Maliebaan 12"]),
    ("Greg and I got divorced.", ["divorced, Greg"]),
    ("我的会计是赫敏", ["会计是赫敏"]), ("我和陈涛离婚了", ["和陈涛离婚了"]),
    ("我们3月3日要搬到根特，搬进教堂街9号。", ["3月3日要搬到根特，搬进教堂街9号"]), ("我们只剩两个小时了。", []),
    ("我们只在工作日发货。", ["我们只在工作日发货"]),
])  # fmt: skip
def test_what_was_lost_is_found(found: Extract, said: str, kept: list[str]) -> None:
    assert [one.text for one in found(said, lang="en" if said.isascii() else "zh").items] == kept
