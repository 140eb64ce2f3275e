"""Runs a regular expression in a child process, which can be killed.

Python's `re` backtracks, so `(a+)+b` can run practically forever, and it holds the interpreter's lock meanwhile, so
that no thread and no signal handler could stop it.
"""

from __future__ import annotations

import json
import subprocess
import sys

from mdmem.errors import UsageError, WriteError

_CHILD = """
import json, re, sys
asked = json.loads(sys.stdin.buffer.readline())
text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
try:
    search = re.compile(asked["pattern"]).search
except (re.error, OverflowError, RecursionError) as error:
    print(json.dumps({"error": str(error)}))
    sys.exit()
found = []
for number, line in enumerate(text.split("\\n"), 1):
    if search(line[: asked["chars"]]):
        found.append(number)
        if len(found) == asked["limit"]:
            break
print(json.dumps({"found": found}))
"""


def regex_lines(text: str, pattern: str, *, limit: int, chars: int, seconds: float) -> list[int]:
    """Return the 1-based numbers of the first `limit` lines in whose first `chars` characters a pattern matches.

    Raises:
        UsageError: the pattern is invalid, or takes longer than `seconds`.
        WriteError: no process could be started.
    """
    asked = json.dumps({"pattern": pattern, "limit": limit, "chars": chars})
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, our own lines; the pattern is data
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=f"{asked}\n{text}".encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        hint = "search for a literal text, or leave out nested and repeated `*` and `+`"
        raise UsageError("the regular expression takes too long", hint=hint) from error
    except (OSError, ValueError) as error:
        raise WriteError(
            "no process could be started for a regular expression", hint="search for a literal text"
        ) from error
    answer = json.loads(done.stdout) if done.returncode == 0 and done.stdout else {"error": "it asks for too much"}
    if "error" in answer:
        raise UsageError(
            "not a valid regular expression: {reason}",
            hint="search for it as literal text",
            facts={"reason": answer["error"]},
        )
    return [int(number) for number in answer["found"]]
