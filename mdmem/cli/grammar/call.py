"""The call of a verb, which typer hands to a parameter with this annotation, as in `def next_(call: Call) -> int`.

The facade, and what prints outcomes, are imported when needed: other verbs load neither.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from typer import Context

from mdmem.cli import output
from mdmem.cli.console import Paint, folded, table
from mdmem.cli.opened import open_workspace
from mdmem.cli.usage import is_key, nearest, usage_error
from mdmem.errors import ConfirmError, TargetError
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from rich.text import Text

    from mdmem import Outcome, Workspace

Item = TypeVar("Item")


class Call(Context):
    """The common options of a call, its workspace, and its output."""

    @property
    def root(self) -> str:
        """The folder of `--root`; empty without it."""
        return self.params.get("root") or ""

    @property
    def json(self) -> bool:
        """Whether a program reads the output."""
        return bool(self.params.get("json"))

    @property
    def lang(self) -> str | None:
        """The language of `--lang`; None without it."""
        return self.params.get("lang")

    @property
    def user(self) -> str:
        """The user of `--user`; empty without it."""
        return self.params.get("user") or ""

    @cached_property
    def work(self) -> Workspace:
        """The workspace of `--root`, around the verb's FILE, or around the current folder."""
        folder = os.path.dirname(str(self.params.get("file") or ""))
        start = folder if os.path.isdir(folder) else "."
        return open_workspace(self.root, self.lang, self.user, start=start)

    def lenient(self, passes_over: Literal["keys", "file", "held"] = "file") -> Workspace:
        """Open the workspace also if its settings have mistakes; tell these, and what holds, on the standard error."""
        self.work.config.lenient = passes_over
        _ = self.work.config.settings
        for mistake in self.work.config.mistakes:
            output.warn(mistake)
        for one in self.work.config.held:
            print(one.told(self.work.lang), file=sys.stderr)
        return self.work

    def path(self, file: str) -> str:
        """Return a file's path from the root, for a kind or a path; a path is relative to `--root` if that is given."""
        return self.work.file(self.known_name(file))

    def known_name(self, file: str) -> str:
        """Return the same as `path_or_kind`, unless it is one word that is neither a file nor a kind.

        Raises:
            TargetError: it is such a word.
        """
        from mdmem.cli.grammar.misplaced_section import section_alone

        name = self.path_or_kind(file)
        if self.is_file(file):
            return name
        if found := section_alone(self.work, name):
            raise found
        if is_key(name):
            raise usage_error("key-no-file", kind=TargetError, name=name)
        if name.isidentifier():
            kinds = self.work.config.schemas.kinds
            raise usage_error("no-kind", nearest(name, kinds), kind=TargetError, name=name, kinds=", ".join(kinds))
        return name

    def is_file(self, file: str) -> bool:
        """Return whether a word that stands for a file is one, or a kind, or the name of a Markdown file."""
        name = self.path_or_kind(file)
        is_there = self.work.kind(name) or os.path.lexists(os.path.join(self.work.root, name))
        return bool(is_there) or name.casefold().endswith((".md", ".markdown"))

    def path_or_kind(self, file: str) -> str:
        """Return a path from the root, or the name of a kind unchanged."""
        if self.root or (self.work.kind(file) and not os.path.isfile(file)):
            return file
        if not (os.path.lexists(file) or os.path.isdir(os.path.dirname(file))):
            return file
        return self.from_here(file)

    def from_here(self, file: str) -> str:
        """Return the path from the root of a path from the current folder."""
        return os.path.relpath(os.path.abspath(file), self.work.root).replace(os.sep, "/")

    def tell_waiting(self) -> None:
        """Print to standard error how many settings of the folder wait for trust, if any."""
        if self.work.config.trust_content is None or self.work.config.trusted:
            return
        if tables := self.work.trust_requests().tables:
            print(self.say("cli.status.trust", count=sum(map(len, tables.values()))), file=sys.stderr)

    def say(self, key: str, **facts: object) -> str:
        """Return a message in the language of the workspace."""
        return say(self.work.lang, key, **facts)

    def print_list(
        self,
        name: str,
        found: Sequence[Item],
        columns: Mapping[str, str],
        row: Callable[[Item], Sequence[str | Text]],
        *,
        none: str = "",
        fields: Callable[[Item], object] = asdict,  # type: ignore[assignment]  # what is listed is a dataclass
        whole: bool = False,
    ) -> None:
        """Print a table, or for a program the list with all fields of each item.

        Args:
            name: the key of the list.
            found: the items.
            columns: the messages above the columns, each with the style of its column.
            row: the cells of an item.
            none: the message if there are no items.
            fields: the fields of an item.
            whole: whether the last cell of a row is folded where it does not fit, and not cut.
        """
        if self.json:
            output.json({name: [fields(one) for one in found]})
        elif found:
            titles, styles = [self.say(key) for key in columns], tuple(columns.values())
            print("\n".join(table(titles, [row(one) for one in found], styles, whole=whole)))
        else:
            print(self.say(none))

    def print(self, outcome: Outcome, *, diff: bool = True) -> int:
        """Print an outcome, with the changed lines if `diff`; return the exit code: 0 for done, 1 for unchanged."""
        from mdmem.cli.outcome import as_dict, lines

        if self.json:
            output.json(as_dict(outcome))
        else:
            print("\n".join(lines(outcome, self.work.lang, Paint(sys.stdout), diff=diff)))
        return int(outcome.status == "unchanged")

    def print_all(self, outcomes: Sequence[Outcome]) -> int:
        """Print several outcomes with their changed lines; return 0 if at least one was done."""
        from mdmem.cli.outcome import as_dict, lines

        if self.json:
            output.json({"outcomes": [as_dict(one) for one in outcomes]})
        else:
            paint = Paint(sys.stdout)
            printed = [line for one in outcomes for line in lines(one, self.work.lang, paint, diff=True)]
            print("\n".join(printed) or self.say("cli.no-inbox"))
        return int(not any(one.status == "done" for one in outcomes))

    def confirmed(self, question: str, look: str = "") -> bool:
        """Ask the person at the terminal; return True only for a yes, and not at the end of the input.

        Args:
            question: the question, without the choices.
            look: the option that only shows what would happen, for the hint of the error.

        Raises:
            ConfirmError: there is no terminal, or a program reads the output.
        """
        if self.json or not sys.stdin.isatty():
            raise usage_error("nobody-look" if look else "nobody", kind=ConfirmError, look=look)
        try:
            asked = f"{question} [{self.say('cli.yes-or-no')}]"
            answer = input(f"{folded(asked, 2)} ")
        except EOFError:  # Ctrl-D
            print()
            return False
        return answer.strip().casefold() in self.say("cli.yes-words").split()
