"""The warm parent: reads one order a line, runs it in a forked child under a fault, and answers with how that ended."""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import signal
import sys
import tempfile
from typing import Any

import commands
import editors
import journeys
from parsed_once import parse_once

from mdmem.entries import tombstones

_SECONDS = 20  # a child that hangs is killed by SIGALRM, and no law allows that


def main() -> None:
    library = ctypes.CDLL(None)
    library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p]
    library.faults_count.restype = ctypes.c_long
    tombstones._COST = 1 << 4  # what a digest costs is for those who guess
    parse_once(setattr)
    with tempfile.TemporaryDirectory() as folder:  # so that what is imported when first needed is there in every child
        commands.several(folder, lambda _: None)
        commands.recover(folder, lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        journeys.prepare(folder, lambda _: None)
        journeys.warm_up_verbs(folder)
    with tempfile.TemporaryDirectory() as folder:
        journeys.prepare_talk(folder, lambda _: None)
        journeys.warm_up(folder)
    gc.collect()
    gc.freeze()  # a child that collects copies no page of what all share
    for line in sys.stdin:
        print(json.dumps(_forked(library, json.loads(line))), flush=True)


def _forked(library: Any, order: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(_SECONDS)
        _run(library, order, writing)
    os.close(writing)
    with os.fdopen(reading, "r", encoding="utf-8") as stream:
        said = [json.loads(line) for line in stream]
    _, status = os.waitpid(child, 0)
    ended = next(
        (one for one in said if "operations" in one), {"error": None, "operations": 0, "saves": 0, "held_up": 0}
    )
    acks = [one["ack"] for one in said if "ack" in one]
    return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "acks": acks, **ended}


def _run(library: Any, order: dict[str, Any], writing: int) -> None:
    def say(**what: Any) -> None:
        os.write(writing, json.dumps(what).encode() + b"\n")

    def ack(word: str) -> None:
        say(ack=word)
        library.faults_mark(word.encode())

    module, _, name = order["job"].partition(":")
    job = getattr(importlib.import_module(module), name)
    at, do, error = order["fault"]
    failed = None
    os.umask(0o022)
    editor = editors.start(library, order["root"], order["editor"]) if order["editor"] else None
    library.faults_arm(os.fsencode(order["watched"]), at, do.encode(), error, os.fsencode(order["trace"]))
    try:
        job(order["root"], ack)
    except BaseException as raised:  # noqa: BLE001  (whatever it was, the test must see it)
        failed = {"type": type(raised).__name__, "code": getattr(raised, "code", ""), "message": str(raised),
                  "hint": getattr(raised, "hint", ""), "repr": repr(raised)}  # fmt: skip
        library.faults_mark(b"refused")
    library.faults_disarm()
    operations = library.faults_count()
    say(
        error=failed, operations=operations, saves=editor.finish() if editor else 0, held_up=library.faults_unanswered()
    )
    os._exit(0)


if __name__ == "__main__":
    main()
