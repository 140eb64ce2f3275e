"""Print what a model would get from a memory folder, and what was left out: `python pack.py FOLDER`."""

import sys

from mdmem import Workspace

workspace = Workspace(sys.argv[1], lang="en")
rounds = [("user", "When is the interview?"), ("assistant", "On 2026-02-20."), ("user", "What is still open?")]
pack = workspace.pack("chat", budget=700, prompt="You are a careful assistant.", rounds=rounds)

for part in pack.parts:
    if part.text:
        print(f"{part.title}: {part.tokens} tokens, {len(part.left)} left out")
print(f"{pack.tokens} of {pack.budget} tokens in {len(pack.messages)} messages")
for item in pack.left[:2]:
    print("left out:", item.path, item.line, item.why)
