"""A folder that three users share: lines of Ann and of the user without a name stand in every file they may have."""

from __future__ import annotations

from pathlib import Path

from mdmem.workspace import Workspace

ANN, HOME = "qxanville", "qxrootville"  # stand in every line of Ann, and of the user without a name
SHARED = "qxsharedville"  # stands in what all users share
_TALK = "I live in {word}. The heron sings in {word}. Remember that I am allergic to {word} nuts."
_OTHERS = ("session", "artifact", "attachment", "facts", "archive")  # made by what is done


def plant(root: Path) -> dict[str, str]:
    """Make the folder; return the names of what is Ann's."""
    (root / "mdmem.toml").write_text('lang = "en"\n[watch]\nkeep = true\n', "utf-8")
    Workspace(root, lang="en").init()
    facts = Workspace(root, lang="en").facts
    facts.set("riverlog", "home", f"the heron project builds in {SHARED}")
    (root / "SOUL.md").write_text(f"# Soul\n\n## Principles\n\n- Speak of {SHARED}\n", "utf-8")
    names = {user: _lived(Workspace(root, lang="en", user=user), word) for user, word in (("", HOME), ("ann", ANN))}
    old_session(root, "ann", f"The heron sings in {ANN}.")
    shared = root / "MEMORY.md"
    shared.write_text(f"# Memory\n\n## Important events\n\n- 2026-02-13: the heron came to {SHARED}\n", "utf-8")
    return names["ann"]


def old_session(root: Path, user: str, text: str, *, ended: bool = True) -> None:
    """Write a session of a user as an earlier version did: in the folder at the root, with the user's name in it."""
    path = root / "sessions" / "20260101_101010_old_talk.md"
    path.parent.mkdir(exist_ok=True)
    end = "ended: 2026-01-01 10:11\noutcome: success" if ended else "ended:\noutcome: ongoing"
    head = f"agent: main\ntask: talk\nuser: {user}\nstarted: 2026-01-01 10:10\n{end}"
    turns = f"### 1 user 10:10\n\n{text}\n\n### 1 assistant 10:10\n\nNoted.\n"
    sections = "## Request\n\ntalk\n\n## Response\n\n## Metadata\n\n## Episode\n\n## Turns"
    counts = "extracted_through: 0\ncondensed_through: 0"
    path.write_text(f"---\n{head}\n{counts}\n---\n# Session: 20260101_101010\n\n{sections}\n\n{turns}", "utf-8")


def _lived(work: Workspace, word: str) -> dict[str, str]:
    """Do what a user does, so that each kind of file holds a line of that user."""
    session = work.sessions.start("The heron", request=f"Where is the heron of {word}?")
    session.turn("user", _TALK.format(word=word))
    session.turn("assistant", f"Noted: {word}. Next we will paint the heron of {word}.")
    ident = session.id
    session.end(f"The heron lives in {word}.")
    work.facts.set("user", "home", f"lives with the heron in {word}")
    if work.config.user:  # MEMORY.md at the root is what all share
        work.remember(f"I promised the heron a letter from {word}")
        work.add("MEMORY.md", f"2026-02-01: the heron nests in {word}")
    work.add(work.file("daily"), f"the heron left {word}")
    work.remove(work.file("daily"), [f"the heron left {word}"])
    output = f"FAILED heron {word}\n".encode() * 40
    artifact = work.artifacts.put(output, tool="pytest", input=f"pytest heron {word}", exit_code=1, owner="main")
    picture = Path(work.root).parent / f"heron-{work.config.user}.txt"
    picture.write_text(f"a heron in {word}\n", "utf-8")
    attached = work.attach(str(picture), description=f"the heron of {word}")
    work.fact_set("user", "rule", f"Never feed the heron of {word}", type="rule")
    _files(work, word)
    work.recall(f"where does the heron of {word} live?")
    return {"session": ident, "artifact": artifact.id, "attachment": attached.path.rpartition("/")[2][:-3]}


def _files(work: Workspace, word: str) -> None:
    """Write a line into each other kind of file that a user has."""
    root, day = Path(work.root), work.config.day
    config = work.config
    for kind in config.schemas.kinds:
        template = config.schemas.get(kind)
        if template is None or template.owner not in ("user", "subject") or kind in _OTHERS:
            continue
        name = template.files[0].replace("????-??-??", day).replace("*", day)
        path = root / (config.whose.place("personas/user_custom.md") if kind == "persona" else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text("utf-8") if path.exists() else template.text
        path.write_text(f"{text.rstrip()}\n\n- {day}: the heron sings in {word}\n", "utf-8")
    (root / config.whose.place("transcripts")).mkdir(parents=True, exist_ok=True)
    line = f'{{"role": "user", "text": "the heron sings in {word}"}}\n'
    (root / config.whose.place("transcripts/2026-02-01-ab.jsonl")).write_text(line, "utf-8")
