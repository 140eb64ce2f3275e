"""«Remember that …»: what is to be remembered is kept word for word where no pattern knows it."""

from __future__ import annotations

import pytest

from .conftest import Extract

KEPT = [
    ("Remember that the wifi name is Bluebird.", "fact", "the wifi name is Bluebird"),
    ("Please remember: Tom only eats halal.", "fact", "Tom only eats halal"),
    ("Keep in mind that the boiler was serviced in March.", "fact", "the boiler was serviced in March"),
    ("Don't forget that Lena's recital is on Friday.", "fact", "Lena's recital is on Friday"),
    ("Remember I park on level 3.", "fact", "I park on level 3"),
    ("Note that I prefer tabs.", "preference", "prefer tabs"),
    ("Remember that you must never push to main.", "rule", "you must never push to main."),
    ("记住，车停在地下三层。", "fact", "车停在地下三层"),
    ("请记住我对青霉素过敏。", "fact", "对青霉素过敏"),
    ("帮我记一下：门卡在抽屉里。", "fact", "门卡在抽屉里"),
    ("你记一下，物业电话贴在冰箱上。", "fact", "物业电话贴在冰箱上"),
    ("记住，用英文写注释。", "rule", "记住，用英文写注释。"),
    ("记住，以后都用中文回答我。", "rule", "以后都用中文回答我。"),
]
NOT_KEPT = [
    "Remember when we went to Rome?", "Remember to buy milk tomorrow.", "Remember that.", "Remember the milk.",
    "Remember my green tea.",
    "I remember that the house was blue.", "Can you remember my name?", "记住了吗？", "记住了。", "我记住了你说的话。",
]  # fmt: skip


@pytest.mark.parametrize(("said", "kind", "text"), KEPT)
def test_it_is_kept_once(found: Extract, said: str, kind: str, text: str) -> None:
    items = found(said, lang="en" if said.isascii() else "zh").items
    assert [(one.type, one.text) for one in items] == [(kind, text)]


@pytest.mark.parametrize("said", NOT_KEPT)
def test_what_only_sounds_so_is_not_kept(found: Extract, said: str) -> None:
    assert not found(said, lang="en" if said.isascii() else "zh").items
