"""Sets and takes back single values of a TOML text; every other byte stays. Pure.

TOML knows many spellings of one thing. Each place that looks right is tried, and the parsed result says whether it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from mdmem.errors import ConfigError
from mdmem.settings.toml_file import parse_toml

Values = Mapping[tuple[str, str], str]  # by table and key
_ONE_VALUE = r"(\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|[^\s#,\[\]{}\"']++)"


class SetValue(NamedTuple):
    """One value that was set: what stood there before, as it was written; None if nothing did."""

    table: str
    key: str
    value: str
    before: str | None


class SetValues(NamedTuple):
    """A text with values set in it, and what takes them back."""

    text: str
    values: tuple[SetValue, ...]
    blocks: tuple[str, ...] = ()  # whole tables that were appended, as they were written


class UnsetValues(NamedTuple):
    """A text without what was set, and what of it was changed since, so that it is left."""

    text: str
    left: tuple[SetValue, ...]


def set_values(text: str, wanted: Values, path: str) -> SetValues | None:
    """Set texts in a TOML text: in the place of a value, below the heading of its table, or in a new table at the end.

    Return None if the text has no room for them, as where a table is written in one line.

    Args:
        text: valid TOML.
        wanted: the texts.
        path: for messages.
    """
    held, done, blocks = _parsed(text, path), list[SetValue](), list[str]()
    new: dict[str, list[str]] = {}
    for (table, key), value in wanted.items():
        shown = json.dumps(value, ensure_ascii=False)
        if key in held.get(table, {}):
            made, before = _replaced(text, table, key, shown, path)
        elif table in held:
            made, before = _inserted(text, table, f"{key} = {shown}", path), None
        else:
            new.setdefault(table, []).append(f"{key} = {shown}")
            made, before = text, None
        if made is None:
            return None
        text = made
        done.append(SetValue(table, key, value, before))
    for table, lines in new.items():
        end = _end(text)
        block = ("" if not text or text.endswith("\n") else end) + (end if text else "")
        block += "".join(f"{line}{end}" for line in (f"[{table}]", *lines))
        blocks.append(block)
        text += block
    made_right = _parsed(text, path) == _with(held, wanted)
    return SetValues(text, tuple(done), tuple(blocks)) if made_right else None


def unset_values(text: str, values: Sequence[SetValue], blocks: Sequence[str], path: str) -> UnsetValues:
    """Take back what `set_values` has set; a value that was changed since is left, one that was deleted is gone."""
    held = _parsed(text, path)
    ours = [one for one in values if held.get(one.table, {}).get(one.key) == one.value]
    left = tuple(one for one in values if one not in ours and one.key in held.get(one.table, {}))
    for block in reversed(blocks):
        own = [one for one in ours if one.before is None and f"[{one.table}]" in block]
        if own and (made := _without_block(text, block, own, path)) is not None:
            text, ours = made, [one for one in ours if one not in own]
    for one in reversed(ours):
        if one.before is None:
            made = _without_line(text, one, path)
        else:
            made, _ = _replaced(text, one.table, one.key, one.before, path)
        if made is None:
            left = (*left, one)
        else:
            text = made
    return UnsetValues(text, left)


def _replaced(text: str, table: str, key: str, shown: str, path: str) -> tuple[str | None, str]:
    """Return a text with another value of a key, and the value that it had, both as they are written."""
    held = _parsed(text, path)
    for found in _assignments(text, table, key):
        made = text[: found.start(1)] + shown + text[found.end(1) :]
        if (now := _tried(made, path)) is not None and _same_but(held, now, [(table, key)]) and key in now[table]:
            return made, found[1]
    return None, ""


def _inserted(text: str, table: str, line: str, path: str) -> str | None:
    """Return a text with a line below the heading of a table."""
    held, key = _parsed(text, path), line.partition(" ")[0]
    for found in re.finditer(rf"(?m)^[ \t]*+\[[ \t]*+[\"']?{re.escape(table)}[\"']?[ \t]*+\][^\r\n]*+", text):
        made = text[: found.end()] + _end(text) + line + text[found.end() :]
        if (now := _tried(made, path)) is not None and _same_but(held, now, [(table, key)]) and key in now[table]:
            return made
    return None


def _without_line(text: str, one: SetValue, path: str) -> str | None:
    held = _parsed(text, path)
    line = f"{one.key} = {json.dumps(one.value, ensure_ascii=False)}"
    for found in re.finditer(rf"\r?\n{re.escape(line)}(?=\r?\n|\Z)", text):
        made = text[: found.start()] + text[found.end() :]
        if (now := _tried(made, path)) is not None and _same_but(held, now, [(one.table, one.key)]):
            return made
    return None


def _without_block(text: str, block: str, own: Sequence[SetValue], path: str) -> str | None:
    """Return a text without an appended table; None if it was changed since, or somebody added to it."""
    at = text.rfind(block)
    if at < 0:
        return None
    held, made = _parsed(text, path), text[:at] + text[at + len(block) :]
    now = _tried(made, path)
    return made if now is not None and _same_but(held, now, [(one.table, one.key) for one in own]) else None


def _assignments(text: str, table: str, key: str) -> Iterator[re.Match[str]]:
    named = rf"(?:[\"']?{re.escape(table)}[\"']?[ \t]*+\.[ \t]*+)?[\"']?{re.escape(key)}[\"']?"
    return re.finditer(rf"(?m)^[ \t]*+{named}[ \t]*+=[ \t]*+{_ONE_VALUE}", text)


def _end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _parsed(text: str, path: str) -> dict[str, Any]:
    return parse_toml(text.encode(), path)


def _tried(text: str, path: str) -> dict[str, Any] | None:
    try:
        return _parsed(text, path)
    except ConfigError:
        return None


def _with(held: Mapping[str, Any], wanted: Values) -> dict[str, Any]:
    made = deepcopy(dict(held))
    for (table, key), value in wanted.items():
        made.setdefault(table, {})[key] = value
    return made


def _same_but(one: Mapping[str, Any], other: Mapping[str, Any], keys: Sequence[tuple[str, str]]) -> bool:
    """Return whether two files say the same but for some keys, and for tables that are empty without them."""
    return _rest(one, keys) == _rest(other, keys)


def _rest(held: Mapping[str, Any], keys: Sequence[tuple[str, str]]) -> dict[str, Any]:
    made = deepcopy(dict(held))
    for table, key in keys:
        if isinstance(rows := made.get(table), dict):
            rows.pop(key, None)
            if not rows:
                del made[table]
    return made
