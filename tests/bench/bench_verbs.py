"""What each verb costs as a whole process: `python tests/bench/bench_verbs.py`.

Beside it stands how many times `python -c pass` that is. A verb is run in a fresh copy of a small workspace, and the
CPU time of the middle run counts. `--before FOLDER` measures another checkout beside this one, the two in turn; words
choose the verbs that hold one of them. A verb that a checkout does not have is a dash.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from clocks import spent
from table_row import Row

from mdmem.cli.grammar.verbs import VERBS
from mdmem.workspace import Workspace

PROJECT = Path(__file__).parents[2]
ENDLESS = ("watch", "mcp")  # verbs that end when they are told to
MOST = 30  # times `python -c pass`
_TURN = '{"role": "user", "text": "And then?"}\n'
_USAGE = 2  # the exit code for an unknown verb
COMMANDS: tuple[tuple[str, str], ...] = (  # a command line, and its standard input
    ("add memory 'Ann likes tea'", ""),
    ("remember 'I prefer short answers'", ""),
    ("fact set gauge port 'the port is 8081'", ""),
    ("fact show gauge", ""),
    ("fact history gauge port", ""),
    ("fact list", ""),
    ("today 'watered the plants'", ""),
    ("edit notes.md --old 'buy milk' --new 'buy tea'", ""),
    ("tick notes.md 'call Ann'", ""),
    ("rm notes.md 'buy milk'", ""),
    ("write new.md", "# New\n\n- one\n"),
    ("mv notes.md plans.md", ""),
    ("inbox list", ""),
    ("inbox accept", ""),
    ("search harbour", ""),
    ("show notes.md", ""),
    ("why 'called Rex'", ""),
    ("episode list", ""),
    ("episode write 20260220", ""),
    ("status", ""),
    ("lint", ""),
    ("explain MM501", ""),
    ("extract", ""),
    ("compact FASTMEMO.md --now", ""),
    ("forget 'the door code is four two' --yes", ""),
    ("log", ""),
    ("diff notes.md", ""),
    ("undo", ""),
    ("restore lost.md", ""),
    ("recover", ""),
    ("doctor", ""),
    ("session start 'Mend the gauge'", ""),
    ("session turn user 'Which probe?'", ""),
    ("session record", _TURN),
    ("session end --response done", ""),
    ("session list", ""),
    ("session show 20260220", ""),
    ("session export 20260220", ""),
    ("session review 20260220", ""),
    ("session prune --dry-run", ""),
    ("plan", ""),
    ("plan add 'a third step'", ""),
    ("plan done", ""),
    ("scratchpad", ""),
    ("scratchpad --update", ""),
    ("pin add gauge 'it is at pier 9' --type path --source file:notes.md#L5", ""),
    ("pin list", ""),
    ("artifact put --tool pytest", "1 passed\n"),
    ("artifact list", ""),
    ("artifact snippet notes.md", ""),
    ("attach notes.md", ""),
    ("attach list", ""),
    ("context", ""),
    ("context layered", ""),
    ("tool list", ""),
    ("tool call memory_fact", '{"subject": "gauge", "predicate": "port", "content": "the port is 8082"}'),
    ("busy", ""),
    ("night --dry-run", ""),
    ("night", ""),
    ("compile", ""),
    ("refresh", ""),
    ("export --to ../exported", ""),
    ("import ../mem0.json --dry-run", ""),
    ("connect claude --dry-run", ""),
    ("index status", ""),
    ("index rebuild", ""),
    ("init other", ""),
    ("config show", ""),
    ("trust", ""),
    ("bundle list", ""),
    ("knowledge list", ""),
    ("knowledge add mending 'mend a gauge' 'read the log'", ""),
    ("run tuning", ""),
    ("handoff main helper", ""),
    ("resolve 'notes (conflicted copy).md'", ""),
    ("git setup", ""),
    ("merge ../base.md notes.md ../copy.md 7 notes.md", ""),
    ("sync --dry-run", ""),
    ("hook install", ""),
    ("completion bash", ""),
    ("help", ""),
    ("add --help", ""),
)


def made(folder: Path) -> Path:
    """Make a small workspace in which every verb has something to do."""
    root = folder / "memory"
    Workspace(root, lang="en").init()
    work = Workspace(root, lang="en")
    work.write("notes.md", "# Notes\n\n- [ ] call Ann\n- buy milk\n- the door code is four two\n- the harbour gauge\n")
    work.add("FASTMEMO.md", ["the dog is called Rex", "the cat is called Mia"], section="User")
    work.add("SOUL.md", ["Be kind"], section="Basics", actor="agent")  # waits for the user's word
    work.facts.set("gauge", "port", "the port is 8080", at="2026-01-05")
    work.plan.add(["read the log", "mend the gauge"])
    work.pins.add("constraint", "pier", "the gauge stands at the pier", "file:notes.md#L5")
    work.write("lost.md", "# Lost\n\n- first\n\n# Found\n\n- second\n")
    (root / "lost.md").write_text("x", "utf-8")  # by hand
    (root / "sessions").mkdir(exist_ok=True)
    talk = "".join(
        f"\n### {n} user 08:0{n}\n\nI moved pier {n}.\n\n### {n} assistant 08:0{n}\n\nNoted.\n" for n in (1, 2)
    )
    head = "agent: main\ntask: move\nstarted: 2026-02-20 08:00\nended: 2026-02-20 09:00\noutcome: success\n"
    parts = "# Session: talk\n\n## Request\n\nmove\n\n## Response\n\n## Metadata\n\n## Turns\n"
    text = f"---\n{head}extracted_through: 0\n---\n{parts}{talk}"
    (root / "sessions/20260220_080000_talk.md").write_text(text, "utf-8")
    session = work.sessions.start("Tune the harp")
    session.turn("user", "Which string is the lowest?")
    session.turn("assistant", "The lowest string is a C.")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    work.add("notes.md", ["the newest entry"])
    (folder / "mem0.json").write_text('{"results": [{"id": "1", "memory": "Likes oolong", "user_id": "ann"}]}', "utf-8")
    work.knowledge.add("tuning", "tune a harp", ["find the fork"])
    text = (root / "notes.md").read_text("utf-8")
    for name in ("base.md", "copy.md"):
        (folder / name).write_text(text, "utf-8")
    (root / "notes (conflicted copy).md").write_text(f"{text}- one more\n", "utf-8")
    work.search("harbour")  # the index is there
    return root


def ran(command: Sequence[str], checkout: Path, folder: Path, text: str) -> tuple[float, int]:
    """Run a command in a folder once; give its CPU seconds and its exit code."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    codes: list[int] = []

    def once() -> None:
        done = subprocess.run(
            command, cwd=folder, env=environment, input=text.encode(), capture_output=True, check=False
        )
        codes.append(done.returncode)

    return spent(once), codes[0]


def measured(words: Sequence[str], checkouts: Sequence[Path], runs: int) -> Iterator[tuple[str, list[float | None]]]:
    """Yield each command line with its CPU seconds in each checkout; the first is `python -c pass`."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        os.environ["PYTHONPYCACHEPREFIX"] = str(
            folder / "compiled"
        )  # each checkout has compiled code, none in its folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        root = made(folder)
        python = [sys.executable, "-c", "pass"]
        bare = statistics.median(ran(python, PROJECT, root, "")[0] for _ in range(4 * runs))
        yield "python -c pass", [bare for _ in checkouts]
        for line, text in COMMANDS:
            if words and not any(word in line for word in words):
                continue
            found: list[list[float]] = [[] for _ in checkouts]
            for turn in range(-1, runs):  # the first one compiles, and fills the caches
                for own, checkout in zip(found, checkouts, strict=True):
                    seconds, code = _once(line, text, checkout, root, folder / "copy")
                    assert code != _USAGE or checkout != PROJECT, f"no command line: {line}"
                    if turn >= 0 and code != _USAGE:
                        own.append(seconds)
            yield line, [statistics.median(own) if own else None for own in found]


def _once(line: str, text: str, checkout: Path, root: Path, copy: Path) -> tuple[float, int]:
    shutil.copytree(root, copy, symlinks=True)
    try:
        return ran([sys.executable, "-m", "mdmem", *_words(line)], checkout, copy, text)
    finally:
        shutil.rmtree(copy)
        shutil.rmtree(copy.parent / "exported", ignore_errors=True)


def _words(line: str) -> list[str]:
    """Split a command line at its blanks, but not inside quotation marks."""
    parts = line.split("'")
    return [word for at, part in enumerate(parts) for word in ([part] if at % 2 else part.split())]


def rows() -> Iterator[Row]:
    """Give the verbs beside `python -c pass`."""
    found = measured((), (PROJECT,), 3)
    _, (bare, *_) = next(found)
    for line, (seconds, *_) in found:
        if seconds and bare:
            yield Row(f"mdmem {line}"[:44], seconds, bare, "python -c pass", f"≤ {MOST} ×")


def main() -> None:
    """Print a line a verb."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("words", nargs="*", help="only the verbs that hold one of these")
    options.add_argument("--before", type=Path, help="another checkout, measured beside this one")
    options.add_argument("--runs", type=int, default=7)
    given = options.parse_args()
    named = {line.split()[0] for line, _ in COMMANDS}
    assert named | {*ENDLESS} >= VERBS.keys(), f"no row for {sorted(VERBS.keys() - named)}"
    checkouts = (*((given.before.resolve(),) if given.before else ()), PROJECT)
    found = measured(given.words, checkouts, given.runs)
    _, bare = next(found)
    print(f"`python -c pass` takes {(bare[0] or 0) * 1000:.1f} ms of CPU")
    print(f"| {'verb':52} |{' before, ms |     × |' if given.before else ''} now, ms |     × |   |")
    for line, seconds in found:
        cells = [f"{one * 1000:7.0f} | {one / (bare[0] or 1):5.1f}" if one else "      — |     —" for one in seconds]
        over = "↑" if seconds[-1] and seconds[-1] > MOST * (bare[0] or 1) else " "
        print(f"| {line[:52]:52} | {' |    '.join(cells)} | {over} |", flush=True)


if __name__ == "__main__":
    main()
