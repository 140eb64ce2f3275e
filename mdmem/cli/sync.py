"""`mdmem sync`: syncs once or repeatedly, and prints each result for people or as JSON.

Exit 0: the same on both sides. Exit 1: collisions wait in the inbox, or findings stop the push. Exit 9: something
prevents the sync, such as a remote that cannot be reached.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing, suppress
from dataclasses import asdict

from mdmem import SyncResult, Workspace
from mdmem.cli import output
from mdmem.cli.console import Paint, ProgressBar, safe
from mdmem.errors import ExitCode, MdmemError
from mdmem.messages.catalog import say

_MARKS = {"same": "done", "kept": "done", "planned": "planned", "conflicts": "waiting", "stopped": "waiting"}


def run(work: Workspace, wait: int, *, dry_run: bool, push: bool, as_json: bool) -> int:
    """Sync, and again each `wait` seconds until it is interrupted; return the exit code of the last one."""
    code = _sync(work, dry_run=dry_run, push=push, as_json=as_json)
    with suppress(KeyboardInterrupt):  # the normal end
        while wait:
            time.sleep(wait)
            try:
                code = _sync(Workspace(work.root, lang=work.lang), dry_run=dry_run, push=push, as_json=as_json)
            except MdmemError as error:  # the next one may find the remote again
                print(say(work.lang, "sync.failed", message=safe(error.message)), file=sys.stderr, flush=True)
                code = error.exit_code
    return code


def _sync(work: Workspace, *, dry_run: bool, push: bool, as_json: bool) -> int:
    with closing(ProgressBar("")) as bar:
        found = work.sync(dry_run=dry_run, push=push, progress=bar)
    if as_json:
        output.json(asdict(found) | {"findings": [one.as_dict() for one in found.findings]})
    else:
        print("\n".join(_lines(found)), flush=True)
    return ExitCode.NOTHING if found.status in ("conflicts", "stopped") else ExitCode.OK


def _lines(found: SyncResult) -> list[str]:
    from mdmem.cli.outcome import advice, headline

    paint = Paint(sys.stdout)
    findings = [
        f"  {paint('path', safe(f'{one.path}:{one.line}'))}  {one.code} {safe(one.message)}" for one in found.findings
    ]
    return [headline(_MARKS[found.status], found.message, paint), *findings, *advice(found.hint, paint)]
