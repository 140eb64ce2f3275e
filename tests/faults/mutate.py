"""Takes one safety step of the pen out at a time and runs the tests that should notice: what none misses is not tested.

`python tests/faults/mutate.py` prints caught or missed for every step and ends with 1 if one was missed;
`python tests/faults/mutate.py sync lease` tries the steps whose name has one of these words.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
STORE = "mdmem/store"

# which tests notice what: a kind and its arguments for pytest
TESTS = {
    "kill": ["tests/faults/test_points.py", "-k", "kill"],
    "fail": ["tests/faults/test_points.py", "-k", "failing"],
    "cut": ["tests/faults/test_points.py", "-k", "cut"],
    "editor": ["tests/faults/test_between.py"],
    "border": ["tests/faults/test_confinement.py"],
    "writers": ["tests/store/test_pen_writers.py"],
    "disk": ["tests/faults/test_full_disk.py"],
}


# instead of a copy in the history a second name for the new version, which an editor then writes into
_KEPT = "    history.keep_all([*bases, *(target.after for target in targets if target.after is not None)])\n"
_LINKED = """    import os
    for target in targets:
        for data in filter(None, (target.base and target.base.data, target.after)):
            kept = f"{history._root.path}/.mdmem/history/objects/{fingerprint(data)}"
            if data is target.after and os.path.isdir(os.path.dirname(kept)) and not os.path.exists(kept):
                os.link(f"{history._root.path}/{target.temporary_path}", kept)
            else:
                history.keep(data)
"""


class Step(NamedTuple):
    """One safety step: where it stands, what stands there instead without it, and whose tests notice."""

    name: str
    file: str  # below mdmem/store
    text: str
    without: str
    noticed: str  # kinds of tests, tried in this order


STEPS = (
    Step("sync of a new file", "durable.py", "os.fsync(descriptor)  #", "pass  #", "cut"),
    Step("sync of the folder of a new version in the history", "durable.py", "        sync(name)\n", "", "cut"),
    Step(
        "sync of the folders after the exchange",
        "transaction.py",
        "        _sync(targets)\n        history",
        "        history",
        "cut",
    ),
    Step(
        "sync of the log",
        "history/versions.py",
        "write_all(descriptor, transaction.line())\n        os.fsync(descriptor)",
        "write_all(descriptor, transaction.line())",
        "cut",
    ),
    Step(
        "sync of the folder of a new log",
        "history/versions.py",
        "_append(descriptor, transaction):\n                    sync(place.name)\n",
        "_append(descriptor, transaction):\n                    pass\n",
        "cut",
    ),
    Step(
        "sync of the note before a decision",
        "journal.py",
        "            os.fsync(descriptor)\n",
        "            pass\n",
        "cut",
    ),
    Step("sync of a decision", "journal.py", "        sync(begun)\n", "", "cut"),
    Step("sync of a note that is taken back", "journal.py", "        sync(self._name(identity))\n", "", "cut"),
    Step("sync of a new folder", "root.py", "                sync(FolderEntry(folder, name))\n", "", "cut"),
    Step(
        "sync of what a recovery finds published",
        "recovery.py",
        "            sync(place.name)\n",
        "            pass\n",
        "cut",
    ),
    Step(
        "sync of the versions that a dead process kept",
        "recovery.py",
        "            history.secure(file.before, file.after)\n",
        "            pass\n",
        "cut",
    ),
    Step("note of a change", "transaction.py", "        journal.begin(", "        (lambda _: None)(", "kill"),
    Step(
        "decision over several files",
        "transaction.py",
        "            journal.decide(transaction.id)\n",
        "            pass\n",
        "kill",
    ),
    Step(
        "redo of what was decided", "recovery.py", "pending.transaction.files if pending.decided else ()", "()", "kill"
    ),
    Step(
        "clearing after a crash",
        "recovery.py",
        "            _clear(root, file,",
        "            (lambda *_: None)(root, file,",
        "kill",
    ),
    Step(
        "cutting off of a torn line",
        "history/versions.py",
        "            os.ftruncate(descriptor, size - torn)\n        write",
        "            pass\n        write",
        "kill cut",
    ),
    Step("history first", "transaction.py", "        _keep(history, targets)\n", "", "kill editor"),
    Step("lock of a file", "locks.py", "            _wait(lock, path, until)\n", "            pass\n", "writers"),
    Step("lease", "replace.py", "fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)", "return _NONE", "editor"),
    Step("question whether somebody waits", "replace.py", " or lease.wanted()", "", "editor"),
    Step("last look at the base", "replace.py", " or _read(descriptor, target) != target.base.data", "", "editor"),
    Step(
        "look at what was displaced",
        "replace.py",
        "file_identity(target.temporary) not in (None, _key(live))",
        "False",
        "editor",
    ),
    Step(
        "exchange instead of a rename", "replace.py", "elif not exchange(temporary, live):", "elif True:", "editor kill"
    ),
    Step(
        "taking back until the newest save is live",
        "replace.py",
        "            expected = displaced",
        "            return",
        "editor",
    ),
    Step(
        "no new file over an editor's",
        "replace.py",
        "            rename_new(target.temporary, target.place.name)\n",
        "            rename(target.temporary, target.place.name)\n",
        "editor",
    ),
    Step(
        "keeping of what was displaced",
        "transaction.py",
        "replace.keep_displaced(root, target.temporary, target.place.path, fingerprint(target.base.data))",
        "discard(target.temporary)",
        "editor",
    ),
    Step(
        "merge of late saves",
        "pen.py",
        "        saves = list(replace.late_saves(root, path, self._store.displaced_seconds))",
        "        saves = list[replace.LateSave]()",
        "editor",
    ),
    Step(
        "waiting until a missing file is stable",
        "transaction.py",
        "if (version and version.data) or time.monotonic() > self._missed_since(path) + wait:",
        "if True:",
        "editor",
    ),
    Step(
        "taking back where one of several fails",
        "transaction.py",
        "                withdraw(target, identity)\n",
        "                pass\n",
        "fail",
    ),
    Step(
        "removal of the temporaries of what was refused",
        "transaction.py",
        "            discard(target.temporary)\n",
        "            pass\n",
        "fail",
    ),
    Step(
        "writing every byte",
        "durable.py",
        "    while view:\n        view = view[os.write(descriptor, view) :]",
        "    os.write(descriptor, view)",
        "fail",
    ),
    Step(
        "sentence for what the system says",
        "pen.py",
        "        except OSError as error:\n            raise WriteError(\n                \"mdmem's",
        "        except ZeroDivisionError as error:\n            raise WriteError(\n                \"mdmem's",
        "fail",
    ),
    Step("O_EXCL of a new file", "durable.py", "os.O_EXCL | ", "", "border"),
    Step("O_NOFOLLOW of a file", "root.py", "os.O_RDONLY | _NOFOLLOW\n", "os.O_RDONLY\n", "border"),
    Step("O_NOFOLLOW of a folder", "root.py", "_FOLDER | _NOFOLLOW,", "_FOLDER,", "border"),
    Step(
        "O_NOFOLLOW of the log and of a lock",
        "files.py",
        "os.open(name, flags | _NOFOLLOW |",
        "os.open(name, flags |",
        "border",
    ),
    Step("O_NONBLOCK of a file", "files.py", ' | getattr(os, "O_NONBLOCK", 0)', "", "border"),
    Step("regular files only", "root.py", "if not stat.S_ISREG(info.st_mode):", "if False:", "border"),
    Step("refusal of paths that lead out", "root.py", '".." in parts or ', "", "border"),
    Step("refusal of absolute paths", "root.py", 'if path.startswith("/") or ', "if ", "border"),
    Step(
        "confinement of links",
        "root.py",
        '            return _parts(inside.replace(os.sep, "/"), path)',
        "            return [p for p in inside.split(os.sep) if p != '..']",
        "border",
    ),
    Step("mode", "replace.py", "    os.fchmod(new, stat.S_IMODE(before.st_mode))\n", "", "border"),
    Step("owner", "replace.py", "        os.fchown(new, before.st_uid, before.st_gid)\n", "        pass\n", "border"),
    Step(
        "extended attributes",
        "replace.py",
        "                os.setxattr(new, name, os.getxattr(old, name))\n",
        "                pass\n",
        "border",
    ),
    Step("new files for their owner alone", "durable.py", "flags, 0o600", "flags, 0o644", "border"),
    Step("new folders for their owner alone", "root.py", "0o700", "0o755", "border"),
    Step("a file of its own for each version", "transaction.py", _KEPT, _LINKED, "editor"),
)


def main() -> int:
    """Try the steps that the command line names, or all."""
    words = sys.argv[1:]
    steps = [one for one in STEPS if not words or any(word in one.name for word in words)]
    with tempfile.TemporaryDirectory(prefix="mdmem-mutate-") as folder:
        copy = Path(folder)
        for name in ("mdmem", "templates", "tests"):
            shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PROJECT / "pyproject.toml", copy)
        kinds = dict.fromkeys(" ".join(one.noticed for one in steps).split())
        if broken := [kind for kind in kinds if notices(copy, kind)]:
            print(f"these tests fail with every step in its place: {', '.join(broken)}")
            return 1
        missed = [one for one in steps if not is_noticed(copy, one)]
    print(f"{len(steps) - len(missed)} of {len(steps)} safety steps are noticed when they are taken out")
    return 1 if missed else 0


def is_noticed(copy: Path, step: Step) -> bool:
    """Take a step out, run its tests, put it back, and say what happened."""
    file = copy / STORE / step.file
    whole = file.read_text("utf-8")
    if step.text not in whole:
        print(f"GONE    {step.name}: {step.file} no longer has {step.text!r}", flush=True)
        return False
    file.write_text(whole.replace(step.text, step.without, 1), "utf-8")
    try:
        by = next((kind for kind in step.noticed.split() if notices(copy, kind)), "")
    finally:
        file.write_text(whole, "utf-8")
    print(f"{'caught ' if by else 'MISSED '} {step.name}{by and f' ({by})'}", flush=True)
    return bool(by)


def notices(copy: Path, kind: str) -> bool:
    """Tell whether the tests of a kind fail."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS[kind]]
    paths = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(command, cwd=copy, env={**os.environ, **paths}, capture_output=True, check=False)
    return ran.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
