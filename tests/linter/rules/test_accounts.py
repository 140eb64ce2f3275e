"""Numbers of bank accounts, and a password behind the name of its account (P025, P042)."""

from __future__ import annotations

import pytest
from conftest import Make

from mdmem.linter.detect.spoken_secrets import find_spoken
from mdmem.linter.masking import mask
from mdmem.linter.views.decoded_views import DecodedView

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
BOTH = [  # the number of a bank beside that of an account: both are found, once each in a finding
    ("Routing number 123456789, account 987654321", "123456789", "987654321"),
    ("routing 021000021 and account 12345678", "021000021", "12345678"),
    ("account 44556677 and account 12345678, routing 021000021", "44556677", "12345678"),
    ("account: 987654321, routing: 123456789", "987654321", "123456789"),
    ("sort code 12-34-56, account 12345678", "12-34-56", "12345678"),
    ("My acct 55 779 911 (ABA 021000021)", "55 779 911", "021000021"),
    ("开户行代码 102100099996，账号 6222020200112233", "102100099996", "6222020200112233"),
    ("账号 987654321，路由号 123456789", "987654321", "123456789"),
    ("账户：40012345678，行号：102100099996", "40012345678", "102100099996"),
]
HARMLESS = [
    "account 987654321 was opened by Ida", "GitHub account 12345678 has two stars", "账号 987654321 已经注销",
    "The routing table has 120034 entries, the account page too", "routing 10.0.0.12345, account 12345678",
    "Transit takes 20 minutes; the account closes at 22", "行号 120034 出错了", "BSB is open, account holders only",
    "Routing of 100000 requests to account 5", "Route 123456 leads to account 7", "开户行在莱顿，账号还没有",
    "The account number field is required", "Her account number ends in 4411", "The account number has 8 digits.",
    "Task number 4839201157", "He has an account at 20 banks.", "The Abacus 120034 model", "开户账号已经寄出",
    "read / write access", "docs / v2guide", "the admin / v2guide page", "root / home / user2 is the layout",
    "guest / room", "admin / reports", "银行账号还没有给",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_the_value_is_found(text: str, value: str) -> None:
    assert value in [text[start:end] for _, start, end in find_spoken(DecodedView(text))]


@pytest.mark.parametrize(("text", "one", "other"), BOTH)
def test_both_numbers_of_a_line_are_found(text: str, one: str, other: str, make: Make) -> None:
    assert {one, other} <= {text[start:end] for _, start, end in find_spoken(DecodedView(text))}
    work = make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n- 2026-02-02: {text}\n"})
    assert [found.code for found in work.lint().diagnostics] in (["MM502"] * 2, ["MM502"] * 3)
    assert one not in mask(text)
    assert other not in mask(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_with_the_same_words_is_left_alone(text: str) -> None:
    assert not list(find_spoken(DecodedView(text)))
