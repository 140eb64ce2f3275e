"""The warm parent of one module of jobs: reads one order a line, runs it in a forked child under a fault, and answers
with how that ended.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import signal
import sys
from types import ModuleType
from typing import Any

import editors

_SECONDS = 20  # a child that hangs is killed by SIGALRM, and no law allows that


def main() -> None:
    library = ctypes.CDLL(None)
    library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p]
    library.faults_count.restype = ctypes.c_long
    jobs = importlib.import_module(sys.argv[1])
    jobs.warm_up()
    gc.collect()
    gc.freeze()  # a child that collects copies no page of what all share
    for line in sys.stdin:
        print(json.dumps(_forked(library, jobs, json.loads(line))), flush=True)


def _forked(library: Any, jobs: ModuleType, order: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(_SECONDS)
        _run(library, jobs, order, writing)
    os.close(writing)
    with os.fdopen(reading, "r", encoding="utf-8") as stream:
        said = [json.loads(line) for line in stream]
    _, status = os.waitpid(child, 0)
    ended = next(
        (one for one in said if "operations" in one), {"error": None, "operations": 0, "saves": 0, "held_up": 0}
    )
    acks = [one["ack"] for one in said if "ack" in one]
    return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "acks": acks, **ended}


def _run(library: Any, jobs: ModuleType, order: dict[str, Any], writing: int) -> None:
    def say(**what: Any) -> None:
        os.write(writing, json.dumps(what).encode() + b"\n")

    def ack(word: str) -> None:
        say(ack=word)
        library.faults_mark(word.encode())

    job = getattr(jobs, order["job"].partition(":")[2])
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
