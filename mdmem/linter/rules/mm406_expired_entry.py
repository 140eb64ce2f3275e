"""MM406: an entry whose time is over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from mdmem.core.duration import read_duration
from mdmem.core.entry import read_dates
from mdmem.linter.rule import Finding, Item, Rule, Subject, Words

_LAST_DAY = ("expires", "until")


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries past the last day that their fields, or their kind's time to live, give them."""
    if subject.memory is None:
        return
    default = " or ".join(subject.memory.parts.get("ttl", ()))
    if not default and "::" not in subject.document.text:
        return
    for item in subject.items:
        last = _last_day(item, default)
        if last is not None and last < subject.today:
            yield Finding(item.entry.text_span, {"last": last.isoformat()})


def _last_day(item: Item, default: str) -> date | None:
    """Give the day until which an entry holds; None where nothing says so, or only sessions count."""
    for key in _LAST_DAY:
        if day := _day(item, key):
            return day
    field = item.parts.field("ttl")
    said = field.value if field else default
    duration = read_duration(said) if said else None
    lead = item.parts.date
    start = _day(item, "created") or (lead.value if lead else None)
    return duration.end(start) if duration and start else None


def _day(item: Item, key: str) -> date | None:
    field = item.parts.field(key)
    found = read_dates(field.value) if field else ()
    return found[0].value if found else None


RULE = Rule(
    "MM406",
    "expired-entry",
    "warning",
    check,
    en=Words("this entry held until {last}", "archive it, or renew its date if it still holds"),
    zh=Words("这条到 {last} 就过期了", "归档；如果仍然有效，就更新日期"),
)
