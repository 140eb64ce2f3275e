"""Finds the number of an account beside that of its bank: «Routing number 123456789, account 987654321».

«Account» alone has other meanings, so both numbers must be in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mdmem.linter.detect.secrets import Secret
from mdmem.linter.views.decoded_views import DecodedView, needles
from mdmem.text.pattern import pattern

_BANKS = needles("routing", "sort code", "aba", "transit", "bsb", "路由号", "行号", "开户行", "银行代码")
_NUMBER = pattern(
    r"(?<![a-z0-9])(?:(?P<bank>routing|sort\scode|aba|transit|bsb|路由号|联?行号|开户行代?码?号?|银行代码)"
    r"|(?P<own>accounts?|acct\.?|a/c|[账帐賬帳][号號户戶]|户号))"
    r"(?:\s?(?:number|num|no|nr)\b\.?|号码)?\s{0,2}(?:[:：#＃=]|\bis\b|是|为)?\s{0,2}"
    r"(?P<value>\d(?:[ -]?\d){5,18})(?![\d.%])"
)
_FAR = 100  # characters from one of them to the next


def find_account_pairs(view: DecodedView) -> Iterator[Secret]:
    """Yield the numbers of a bank and of its accounts that stand near each other in one line."""
    lower = view.lower
    if len(lower) != len(view.text) or not _BANKS.held_by(view):
        return
    near: list[re.Match[str]] = []
    for match in _NUMBER.finditer(lower):
        if near and (match.start() - near[-1].end() > _FAR or "\n" in lower[near[-1].end() : match.start()]):
            yield from _numbers(near)
            near = []
        near.append(match)
    yield from _numbers(near)


def _numbers(near: Sequence[re.Match[str]]) -> Iterator[Secret]:
    """Yield the numbers, if those of a bank and of an account are among them."""
    if len({one["bank"] is None for one in near}) > 1:
        yield from (("bank account", *one.span("value")) for one in near if len(set(one["value"])) > 1)
