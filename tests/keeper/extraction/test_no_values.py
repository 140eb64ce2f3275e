"""What is no value of a property, home or allergy: it replaces nothing, and the values beside it are heard."""

from __future__ import annotations

import pytest

from .conftest import Extract

OF_CODE = [
    "我的邮箱列是VARCHAR(255)。", "我的手机号列是TEXT NOT NULL。", "我的生日字段是 DATE。", "我的地址列类型是 TEXT。",
    "我的容器跑在5432端口。", "我的代码住在src/里。", "把变量 my_name 改成 owner，端口改成 8080。",
    "把函数名改成 load，邮箱改成 a@b.c。", "把超时改成 30，数据库改成 SQLite。",
    "My email column is VARCHAR(255).", "My email_column is VARCHAR(255).", "My phone column is TEXT NOT NULL.",
    "My birthday field is a DATE.", "My address field is NULL.", "My branch is called fix-login.",
    "My sister is the one who lives in Turin.",
]  # fmt: skip
STATES = [
    "My company is hiring.", "My car is filthy.", "My bank is closed on Sundays.", "My phone is acting up again.",
    "My gym is packed on Mondays.", "My boss is leaving in June.", "My school is under renovation.",
    "My editor is driving me mad.", "My number is being ported.", "Our supplier is striking again.",
    "My dentist is away until June.", "我公司在招人。", "我房东周五要来。", "我的公司在裁员。", "我的健身房周日关门。",
    "我的学校在放假。", "我们公司在装修。", "我的房东下周要换锁。",
]  # fmt: skip
IDIOMS = [
    "I live on coffee these days.", "I live on noodles.", "I live on my phone.", "I'm allergic to Mondays.",
    "I am allergic to meetings.", "I'm allergic to mornings.", "I am married to my job.", "我嫁给工作了。",
    "我嫁给代码了。", "我对星期一过敏。", "我对早起过敏。", "我对加班过敏。", "我吃加班餐不过敏。",
]  # fmt: skip


@pytest.mark.parametrize("said", OF_CODE + STATES + IDIOMS)
def test_a_column_a_state_and_an_idiom_are_no_values(found: Extract, said: str) -> None:
    assert found(said).items == ()


VALUES = [
    ("我的邮箱是 ann@example.org。", "邮箱"), ("我的端口改成 8080 了。", "端口"), ("端口改成 8080 了。", "端口"),
    ("我的分支是 fix-login。", "分支"), ("我的车停在 B2-17。", "车位置"), ("My branch is main.", "branch"),
    ("My sister is Ola.", "sister_name"), ("My field of study is Physics.", "field_of_study"),
    ("My company is Sterling Bank.", "company"), ("My company is ING.", "company"),
    ("My gym is Spring Fitness.", "gym"), ("My hobby is climbing.", "hobby"), ("My job is teaching.", "job"),
    ("My major is nursing.", "major"), ("My office is in Reading.", "office"), ("My gym is open plan.", "gym"),
    ("My hometown is Beijing.", "hometown"), ("我的公司在会展中心。", "公司"), ("我房东是老李。", "房东名字"),
    ("我的生日3月5日。", "生日"), ("我的上班时间周一到周五。", "上班时间"), ("我的健身房在望京。", "健身房"),
    ("I live on Baker Street.", "lives_in"), ("I live on the third floor.", "lives_in"),
    ("We live on a boat.", "lives_in"), ("I live on a farm near Leuven.", "lives_in"),
    ("I live on campus.", "lives_in"), ("I live on Texel.", "lives_in"),
    ("I live on the island of Texel.", "lives_in"), ("I live on Dampoort 12.", "lives_in"),
    ("I'm allergic to peanuts.", "allergy"), ("我对花生过敏。", "过敏"), ("I am married to Anna.", "marriage"),
    ("我和老婆安娜住在布拉加。", "住址"), ("我和老公住在里斯本。", "住址"), ("我跟女朋友小雨住在成都。", "住址"),
    ("我和妻子现在住在科尔特雷克。", "住址"), ("我与父母住在无锡。", "住址"), ("我和爱人搬到了珠海。", "住址"),
    ("My sister is learning painting.", "sister"), ("我跟我老婆住在汉堡。", "住址"),
    ("My plan is retiring in 2030.", "plan"), ("我的健身房在更新路 12 号。", "健身房"),
    ("我和弟弟住一起。", "同住"), ("我和弟弟住在一起。", "同住"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "predicate"), VALUES)
def test_a_value_is_heard(found: Extract, said: str, predicate: str) -> None:
    assert [one.predicate for one in found(said).items] == [predicate]
    assert found("My model is Galaxy(2019).", lang="en").items[0].value == "Galaxy(2019)"
