"""The verbs with which an agent is served: `mdmem connect`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from mdmem.agents.connect.service import Connector
from mdmem.cli import output
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Option
from mdmem.cli.parser.parameters import DryRun, Json, Lang, Root
from mdmem.cli.terminal import safe
from mdmem.messages.catalog import say


def connect(
    agent: Annotated[Literal["claude", "codex", "gemini", "cursor", "hermes"], Argument()],
    remove: Annotated[bool, Option("--remove")] = False,
    project: Annotated[str, Option("--project")] = "",
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Enter hooks and the MCP server into the settings of an agent, or take them out again."""
    work = parameters.workspace(root, lang)
    connector = Connector(work, project)
    found = (connector.disconnect if remove else connector.connect)(agent, dry_run=dry_run)
    if json:
        output.json({"files": [asdict(one) for one in found]})
    else:
        for one in found:
            print(say(work.lang, f"connect.{one.status}", path=safe(one.path)))
            if one.diff and one.status in ("connected", "planned", "removed"):
                print("\n".join(f"  {safe(line)}" for line in one.diff.split("\n")))
        if any(one.status == "connected" for one in found):
            print(say(work.lang, f"connect.next-{agent}"))
    return int(any(one.status == "changed" for one in found))
