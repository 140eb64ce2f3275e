"""Numbers of bank accounts, and a password behind the name of its account (P025, P042)."""

from __future__ import annotations

import pytest

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.detect.spoken_secrets import find_spoken

SECRETS = [
    ("My account number is 4839201157 at Northern Bank.", "4839201157"),
    ("acct no. 55779911", "55779911"),
    ("Routing number 021000021", "021000021"),
    ("Sort code 20-00-00", "20-00-00"),
    ("ABA 021000021", "021000021"),
    ("我的银行账号是 6222021001122334455", "6222021001122334455"),
    ("收款账号：40012345678901", "40012345678901"),
    ("银行卡号 6222021001122334455", "6222021001122334455"),
    ("admin / Kz8river77", "Kz8river77"),
    ("The router: root / toor123", "toor123"),
    ("管理员 / Kz8river77", "Kz8river77"),
]
HARMLESS = [
    "The account number field is required", "Her account number ends in 4411", "The account number has 8 digits.",
    "Task number 4839201157", "He has an account at 20 banks.", "The Abacus 120034 model", "开户账号已经寄出",
    "read / write access", "docs / v2guide", "the admin / v2guide page", "root / home / user2 is the layout",
    "guest / room", "admin / reports", "银行账号还没有给",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_the_value_is_found(text: str, value: str) -> None:
    assert value in [text[start:end] for _, start, end in find_spoken(DecodedView(text))]


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_with_the_same_words_is_left_alone(text: str) -> None:
    assert not list(find_spoken(DecodedView(text)))
