"""`mdmem lint` as typer reads it; `cli/app.py` dispatches the common call without typer."""

from __future__ import annotations

from typing import Annotated, Literal

from typer import Argument, Option

from mdmem.cli import lint as linting
from mdmem.cli.grammar import completion
from mdmem.cli.grammar.parameters import Json, Lang, Root


def lint(
    paths: Annotated[list[str] | None, Argument(autocompletion=completion.memory_files)] = None,
    fix: Annotated[bool, Option("--fix")] = False,
    diff: Annotated[bool, Option("--diff")] = False,
    staged: Annotated[bool, Option("--staged")] = False,
    whole: Annotated[bool, Option("--all")] = False,
    baseline: Annotated[str | None, Option("--baseline", metavar="FILE")] = None,
    write_baseline: Annotated[str | None, Option("--write-baseline", metavar="FILE")] = None,
    select: Annotated[list[str] | None, Option("--select", autocompletion=completion.rules)] = None,
    ignore: Annotated[list[str] | None, Option("--ignore", autocompletion=completion.rules)] = None,
    fail_on: Annotated[Literal["error", "warning", "note"] | None, Option("--fail-on")] = None,
    format: Annotated[Literal["text", "json", "github", "sarif"] | None, Option("--format")] = None,  # noqa: A002
    json: Json = False,
    stdin_filename: Annotated[str | None, Option("--stdin-filename")] = None,
    jobs: Annotated[int | None, Option("--jobs", "-j", min=1)] = None,
    root: Root = "",
    lang: Lang = None,
    no_cache: Annotated[bool, Option("--no-cache")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q")] = False,
) -> int:
    """Check memory files, and return 1 for findings."""
    return linting.run(
        paths=paths or [], fix=fix, diff=diff, staged=staged, whole=whole, baseline=baseline,
        write_baseline=write_baseline, select=select, ignore=ignore, fail_on=fail_on, format=format, json=json,
        stdin_filename=stdin_filename, jobs=jobs, root=root, lang=lang, no_cache=no_cache, quiet=quiet,
    )  # fmt: skip
