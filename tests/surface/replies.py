"""Runs the commands of script.txt, and writes their replies as a transcript without times and random ids."""

from __future__ import annotations

import datetime as dt
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import groupby
from pathlib import Path

from filelock import FileLock

from mdmem.store.locks import FOLDER, key

from .program import Done, Program

_HERE = Path(__file__).parent
_ARTIFACT = re.compile(r"\d{8}-\d{6}-[0-9a-v]{4}")
_MASKS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_ARTIFACT, "YYYYMMDD-HHMMSS-xxxx"),
    (re.compile(r"\b\d{8}([_T])\d{6}"), r"YYYYMMDD\1HHMMSS"),
    (re.compile(r"(?<![:\d])\d\d:\d\d(?::\d\d)?\b"), "HH:MM"),
    (re.compile(r"\^p[0-9a-v]{3,12}\b"), "^pxxxxx"),
    (re.compile(r"^(?:  )?[0-9a-f]{6}(?= )", re.MULTILINE), lambda found: found[0][:-6] + "xxxxxx"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6}\b"), "xxxxxx"),
    (re.compile(r"\b(?:[0-9a-f]{8}|[0-9a-f]{12,64})\b"), lambda found: "x" * len(found[0])),
    (re.compile(r"\b\d+(?= KB\b| seconds\b| 秒)"), "N"),
)
_SESSION = "sessions/YYYYMMDD_HHMMSS_"
_AROUND = range(-1, 60)  # days from today that a reply may name: a run may end after midnight, a pin holds for weeks


def transcript(program: Program, folder: Path, lang: str) -> Iterator[str]:
    """Run the script in an empty folder; yield each command with its output, its errors and its exit code.

    A line `locked PATH: COMMAND` runs a command while another program writes the file.
    """
    words = {"lang": lang, "artifact": ""} | tomllib.loads((_HERE / "words.toml").read_text("utf-8"))[lang]
    folder.mkdir()
    for line in (_HERE / "script.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            yield f"\n# {line[3:]}"
        if not line.startswith(("mdmem", "file ", "locked ")):
            continue
        filled = re.sub(r"\{([\w-]+)\}", lambda found: words[found[1]], line)
        locked, _, filled = filled.rpartition(": ") if line.startswith("locked ") else ("", "", filled)
        command, _, given = filled.partition(" <<< ")
        given = given.replace("\\n", "\n")
        if line.startswith("file "):
            _write(folder / command[5:], given)
            yield f"\n$ {filled}"
        else:
            with FileLock(folder / FOLDER / key(locked.removeprefix("locked "))) if locked else nullcontext():
                done = program.run(shlex.split(command)[1:], folder, given)
            words["artifact"] = max(_ARTIFACT.findall(done.out), default=words["artifact"])
            yield _in_order(masked("\n".join(_told(filled, done)), folder))


def _in_order(reply: str) -> str:
    """Sort neighbouring lines of sessions: two that begin in one second are listed by their other words."""
    rows = enumerate(reply.split("\n"))
    groups = groupby(rows, lambda row: -1 if row[1].startswith(_SESSION) else row[0])
    return "\n".join(line for _, group in groups for line in sorted(line for _, line in group))


def _write(path: Path, text: str) -> None:
    if text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    else:
        path.unlink()


def _told(line: str, done: Done) -> Iterator[str]:
    yield f"\n$ {line}"
    yield from done.out.splitlines()
    yield from (f"! {one}" for one in done.err.splitlines())
    if done.code:
        yield f"exit {done.code}"


def masked(text: str, folder: Path) -> str:
    """Mask what differs from run to run: this folder's path, days from today, times, random ids, sizes and waits."""
    text = text.replace(str(folder), "FOLDER")
    today = dt.datetime.now().astimezone().date()
    days = [today + dt.timedelta(days=days) for days in _AROUND]
    for day, name in [(f"{day}", "YYYY-MM-DD") for day in days] + [(f"{day:%Y-%m}", "YYYY-MM") for day in days]:
        text = text.replace(day, name)
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text
