"""Whose statement a clause is: what is said of somebody else replaces nothing of the user's."""

from __future__ import annotations

import pytest

from .conftest import Extract

OF_OTHERS = [
    "A friend of mine, Tobias, just moved to Lisbon and works for a surf school.",
    "A guy I know, Piet, just moved to Oslo.",
    "The neighbour, Mrs Peeters, moved to Aalst and bought a Toyota.",
    "My old roommate, Jan, got a new job at Shell.",
    "Somebody at the gym, Rik, switched to chamomile tea.",
    "One of my students, Amara, moved to Turin and adopted a cat.",
    "Our landlord's son, Dieter, just left Siemens and joined Bosch.",
    "A colleague from Ghent, Noor, moved to Malmo.",
    "The new postman, Olaf, switched to the night shift.",
    "My old roommate moved to Oslo and got a new job at Shell.",
    "Jan quit his job and joined Bosch.",
    "Someone stole my bike, bought a new one.",
    "Tobias, a friend of mine, just moved to Lisbon.",
    "楼上的老周搬到了南京，还换了辆宝马。",
    "楼下李叔叔搬到长沙，买了辆比亚迪。",
    "我同学小赵辞职了，去了腾讯。",
    "对门的王姐上个月搬到苏州，刚买了一台钢琴。",
    "有个朋友叫阿明，刚搬到珠海，换了新工作。",
    "我女儿上三年级，每周三有游泳课。",
    "隔壁班的林老师搬到厦门，养了只猫。",
]


@pytest.mark.parametrize("said", OF_OTHERS)
def test_a_clause_without_a_subject_is_not_the_users_behind_somebody_else(found: Extract, said: str) -> None:
    assert found(said).items == ()


STILL_THE_USERS = [
    ("Big news, moved to Ghent last week!", ["lives_in"]),
    ("Sold the house and moved to Lisbon.", ["lives_in"]),
    ("Just quit and joined Bosch.", ["company"]),
    ("After the divorce, moved to Ghent, and got a dog.", ["lives_in", "owns"]),
    ("This summer, moved to Ghent.", ["lives_in"]),
    ("Last month, after ten years, moved to Ghent and bought a Toyota.", ["lives_in", "owns"]),
    ("My wife and I moved to Ghent, bought a house.", ["lives_in", "owns"]),
    ("My sister moved to Oslo, and I moved to Turin.", ["sister_residence", "lives_in"]),
    ("The lease ran out, so we moved to Bruges.", ["lives_in"]),
    ("The kids are fine, my new address is Veldstraat 4.", ["address"]),
    ("My sister, Ola, moved to Oslo.", ["sister_Ola_residence"]),
    ("My sister Ola is a nurse and lives in Leeds.", ["sister_Ola_job", "sister_Ola_residence"]),
    ("My sister, Ola, is a nurse and lives in Leeds.", ["sister_Ola_job", "sister_Ola_residence"]),
    ("My cat is called Miso and is 3 years old.", ["cat_name", "cat_age"]),
    ("上个月搬到苏州，换了新工作。", ["住址"]),
    ("我搬到苏州了，还买了辆丰田。", ["住址", "拥有"]),
    ("房租涨了，我搬到昆山了。", ["住址"]),
    ("邻居在装修，我的端口改成 8080 了。", ["端口"]),
    ("邻居彭阿姨搬到阿尔斯特，还买了辆丰田。", ["邻居彭阿姨住址"]),
]


@pytest.mark.parametrize(("said", "predicates"), STILL_THE_USERS)
def test_the_users_own_is_heard_beside_somebody_else(found: Extract, said: str, predicates: list[str]) -> None:
    assert [one.predicate for one in found(said).items] == predicates
