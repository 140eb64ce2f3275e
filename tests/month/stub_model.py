"""A model that knows what was planted: reads a prompt, writes an answer; well, badly, slowly or not at all.

    python stub_model.py MODE ORACLE

ORACLE is a file of JSON: for each planted sentence the statement that a good model would give.
"""

import json
import sys
import time
import zlib

WRONG = (
    "", "In these rounds nothing of note was said.", '[{"type": "FACT", "content": "half', '["a"]', "NONE",
    "many", "importance", "type", "path", "password", "number",
)  # fmt: skip


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


def wrong(prompt: str, good: list[dict[str, object]]) -> str:
    """Return one of the wrong answers; which one is decided by the prompt."""
    kind = WRONG[zlib.crc32(prompt.encode()) % len(WRONG)]
    rows = {
        "many": [{**good[place % len(good)], "predicate": f"p{place}"} for place in range(50)] if good else [],
        "importance": [{**one, "importance": "0.8"} for one in good],
        "type": [{**one, "type": "weird"} for one in good],
        "path": [*good, statement("the configuration is in /srv/nobody/named.yaml")],
        "password": [*good, statement("密码是 stub-hunter2-Xk93")],
        "number": [*good, statement("the port is 99999"), statement("用户喜欢收集邮票")],
    }
    return json.dumps(rows[kind], ensure_ascii=False) if kind in rows else kind


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
    print(wrong(prompt, good) if mode == "bad" else json.dumps(good, ensure_ascii=False))


if __name__ == "__main__":
    main()
