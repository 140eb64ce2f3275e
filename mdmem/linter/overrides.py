"""Sentences that try to give a model new orders: «ignore all previous instructions» in six languages.

What makes an order is its object: one may ignore an earlier offer or a warning; instructions, prompts and rules of
the model are another matter. A negation before it («never ignore …») makes it a rule of good conduct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.core.pattern import pattern
from mdmem.linter.orders import ORDERS, Order
from mdmem.linter.views import View

_BEFORE = 48  # characters before an order in which its verb or its negation stands
# «print your hidden» before «prompt»; «输出» before «你的系统提示词»
_LEAK = pattern(
    r"(?:\b(?:reveal|print|show|output|repeat|display|leak|expose|recite|dump|send|tell|give)\s(?:me\s)?(?:all\s(?:of\s)?)?"
    r"your\s(?:\w{1,12}\s)?(?:system|hidden|initial|secret|original)\s"
    r"|(?:输出|显示|泄露|透露|公开|打印|重复|复述|告诉我|展示|发送|说出)(?:一下|出)?)\Z",
    re.IGNORECASE,
)
_NO = pattern(  # «do not tell» before «the user»; in the other languages the order's own words say it
    r"(?:not|n't|never|without|cannot)\s(?:ever\s)?(?:tell|telling|inform|informing|notify|alert|let"
    r"|(?:mention|reveal|disclose|report)(?:ing)?\s(?:this|that|it)\sto)\s(?:the|your)\Z",
    re.IGNORECASE,
)
_YOU = pattern(r"\byou(?:\sa|')\Z", re.IGNORECASE)
_DENIED = pattern(  # «never ignore …», «不要忽略…»: a rule of good conduct; «users who ignore …»: a report
    r"(?:\b(?:not|never|cannot|can't|don't|won't|didn't|doesn't|refuse\sto|without|avoid|nicht|nie|niemals|ne|nunca|jamais|"
    r"no|we|they|who)(?:\s\w{1,12}){0,2}\s"
    r"|(?:不要|不得|不能|不可|不会|不应|切勿|请勿|勿|禁止|拒绝|绝不|永不|避免|不许|別|别)(?:去|再|随意|擅自|试图|因此)?)\Z",
    re.IGNORECASE,
)


def find_overrides(view: View) -> Iterator[tuple[str, int, int]]:
    """Give the kind and place of each order to the model in one look at the text."""
    text, lower = view.text, view.lower
    for needle, known in (_LATIN if lower.isascii() else _BY_NEEDLE).items():
        if needle[0] not in lower:  # one character is found ten times as fast as a word
            continue
        at = lower.find(needle)
        orders = [order for order in known if at >= 0 and any(word in lower for word in order.objects)]
        while at >= 0 and orders:
            found = next(filter(None, (_match(text, at, order) for order in orders)), None)
            if found:
                yield found
            at = lower.find(needle, found[2] if found else at + len(needle))


def _match(text: str, at: int, order: Order) -> tuple[str, int, int] | None:
    match = order.regex.match(text, at)
    start = _begin(text, order.kind, at) if match else None
    return (order.kind, start, match.end()) if match and start is not None else None


def _begin(text: str, kind: str, at: int) -> int | None:
    """Judge by what stands before: give where the order begins, None where it is none."""
    before = text[max(0, at - _BEFORE) : at]
    verb: re.Match[str] | None
    if kind == "prompt leak" and text[at] in "pPiI你":
        verb = _LEAK.search(before)
        return at - len(before) + verb.start() if verb and not _DENIED.search(before[: verb.start()]) else None
    if kind == "secrecy" or text[at : at + 2].lower() == "re":
        verb = (_NO if kind == "secrecy" else _YOU).search(before) if text[at] in " rR" else None
        return at if text[at] not in " rR" else at - len(before) + verb.start() if verb else None
    middle = before[-1:].isalpha() and before[-1:].isascii() and text[at].isascii() and not before.endswith(("v", "V"))
    return None if middle or _DENIED.search(before) else at


def _by_needle() -> dict[str, list[Order]]:
    found: dict[str, list[Order]] = {}
    for order in ORDERS:
        for needle in order.needles:
            found.setdefault(needle, []).append(order)
    return found


_BY_NEEDLE = _by_needle()
_LATIN = {needle: orders for needle, orders in _BY_NEEDLE.items() if needle.isascii()}
