"""The newest value of one thing stays, and the older one leaves."""

from __future__ import annotations

from datetime import date

import pytest

from mdmem.keeper.condensing.supersede import superseded
from mdmem.settings.tables import Settings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("vegetarian since 2024", "vegetarian no longer"),
        ("2024 年起吃素", "不再吃素了"),
        ("the shell is zsh", "the shell is fish now"),
        ("Mia lives in Leiden", "Mia now lives in Delft"),
        ("drinks coffee every morning", "stopped drinking coffee"),
        ("一直住在河边的老房子", "已经不住在河边了"),
        ("rent for the flat is 80", "rent for the flat is now 90"),
    ],
)
def test_the_older_value_is_found(settings: Settings, old: str, new: str) -> None:
    assert superseded([(old, None, 0), (new, None, 1)], settings.keeper) == {0}
    assert superseded([(new, None, 0), (old, None, 1)], settings.keeper) == set(), "order is time"
    days = date(2026, 2, 1), date(2026, 1, 1)
    assert superseded([(new, days[0], 0), (old, days[1], 1)], settings.keeper) == {1}, "a day says more than order"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("喜欢香蕉和菜花", "不喜欢香菜"),
        ("Tom eats meat", "Anna does not eat meat"),
        ("妈妈对花生过敏", "爸爸对花生不过敏"),
        ("has a cat called Miso", "no cat food in the bedroom"),
        ("the blue car needs oil", "the red car does not need oil"),
        ("printer 1 prints colour", "printer 2 does not print colour"),
        ("bus 12 goes to the zoo", "bus 14 does not go to the zoo"),
        ("plan A includes breakfast", "plan B does not include breakfast"),
        ("Mia can eat eggs", "Mia can not eat raw eggs"),
        ("rent for the garage is 80", "rent for the flat is now 900"),
        ("summer opening hours are 9 to 18", "winter opening hours are now 10 to 16"),
        ("the neighbour upstairs plays drums", "the neighbour downstairs no longer plays drums"),
        ("一号线到动物园", "二号线不到动物园"),
        ("早上喝咖啡", "晚上不喝咖啡"),
        ("Sister Mei lives in Utrecht and is allergic to latex", "Mei has moved to Ghent"),
        ("女儿小满在实验二小三年级2班，对芒果过敏", "小满换了班级，现在是三年级5班"),
        ("staging is v. 14; prod is v. 15", "staging is now v. 16"),
        ("the port is 8080", "the port of the test server is 8081"),
        ("2026-02-01 跑了 5 公里", "2026-02-03 跑了 8 公里"),
    ],
)
def test_two_things_are_left_alone(settings: Settings, one: str, other: str) -> None:
    assert superseded([(one, None, 0), (other, None, 1)], settings.keeper) == set()
