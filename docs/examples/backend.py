"""A program that condenses: reads the keeper's prompt, prints a plan as JSON. A real one would ask a model.

Name it in your own settings, `~/.config/mdmem/mdmem.toml`, with its whole path:

    [command]
    run = ["python3", "/path/to/backend.py"]
"""

import json
import re
import sys

prompt = sys.stdin.read()
path = re.findall(r'"path": "([^"]+)"', prompt)[0]
asked = prompt.partition("Sections (")[2].partition("\n\n")[0]
memory = prompt.rpartition("<memory>")[2].partition("</memory>")[0]

plan = []
for heading, body in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", memory, re.MULTILINE):
    entries = re.findall(r"^- (.+)", body, re.MULTILINE)
    if len(entries) > 1 and heading in asked:
        plan.append({"tool": "memory_edit", "path": path, "section": heading, "content": "; ".join(entries)})
print(json.dumps(plan, ensure_ascii=False))
