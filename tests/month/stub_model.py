"""A model that knows what was planted: reads a prompt, writes an answer; well, badly, slowly or not at all.

    python stub_model.py MODE ORACLE

MODE is well, slow, dead, the name of a wrong answer, or bad: of each prompt another wrong answer.
ORACLE is a file of JSON: for each planted sentence the statement that a good model would give.
"""

import json
import sys
import time
import zlib

_WORDS = {
    "nothing": "", "prose": "In these rounds nothing of note was said.", "half": '[{"type": "FACT", "content": "half',
    "texts": '["a"]', "none": "NONE", "refusal": "I cannot help with that.",
}  # fmt: skip
_ROWS = ("many", "importance", "type", "path", "password", "number", "owner", "update", "everything")
WRONG = (*_WORDS, *_ROWS)


def statement(content: str, **more: object) -> dict[str, object]:
    """Return a statement as the prompt asks for it."""
    row = {
        "type": "FACT",
        "subject": "",
        "predicate": "stub",
        "content": content,
        "importance": 0.8,
        "is_update": False,
    }
    return {**row, **more}


def wrong(kind: str, good: list[dict[str, object]], rounds: str) -> str:
    """Return a wrong answer to a prompt with these rounds, of which these statements are true."""
    if kind in _WORDS:
        return _WORDS[kind]
    rows = {
        "many": [{**good[place % len(good)], "predicate": f"p{place}"} for place in range(50)] if good else [],
        "importance": [{**one, "importance": "0.8"} for one in good],
        "type": [{**one, "type": "weird"} for one in good],
        "path": [*good, statement("the configuration is in /srv/nobody/named.yaml")],
        "password": [*good, statement("密码是 stub-hunter2-Xk93")],
        "number": [*good, statement("the port is 99999"), statement("用户喜欢收集邮票")],
        "owner": [{**one, "subject": other["subject"]} for one, other in zip(good, reversed(good), strict=True)],
        "update": [{**one, "is_update": True, "predicate": "home"} for one in good],
        "everything": [statement(line) for line in rounds.splitlines() if line and line[0] not in "#<\\"],
    }
    return json.dumps(rows[kind], ensure_ascii=False)


def main() -> None:
    """Answer one prompt."""
    mode, oracle = sys.argv[1:]
    prompt = sys.stdin.read()
    if mode == "slow":
        time.sleep(60)
    if mode == "dead":
        sys.exit("the model is not there")
    with open(oracle, encoding="utf-8") as file:
        known = json.load(file)
    rounds = prompt.rpartition("<rounds>")[2]  # above them stands what is known already
    good = [row for said, row in known.items() if said.casefold() in rounds.casefold()]
    if mode == "bad":
        mode = WRONG[zlib.crc32(prompt.encode()) % len(WRONG)]
    print(wrong(mode, good, rounds) if mode in WRONG else json.dumps(good, ensure_ascii=False))


if __name__ == "__main__":
    main()
