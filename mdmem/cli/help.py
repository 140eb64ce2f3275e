"""Format the help of the command line for the width of the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

from mdmem.cli.exit_codes import meaning
from mdmem.cli.parser.declare import Command, Group, brief
from mdmem.cli.parser.options import COMMON, GLOBAL, Parameter, shown
from mdmem.cli.parser.verbs import CHAPTERS, VERBS
from mdmem.cli.terminal import Paint, fold, width
from mdmem.errors import ExitCode
from mdmem.messages.catalog import label, say

WIDEST = 100  # columns; longer lines are hard to read
_EDGES = 4  # blanks before and after the name of a row


class Help:
    """Formats help pages in one language."""

    def __init__(self, lang: str, paint: Paint) -> None:
        self.lang, self.paint = lang, paint
        self.columns = min(WIDEST, shutil.get_terminal_size().columns)

    def overview(self) -> Iterator[str]:
        """Yield the help of mdmem itself: one line for each verb, grouped by purpose."""
        yield f"{self._say('usage')}mdmem {self._metavar(self._say('verb'))} …"
        yield f"\n{self._say('about')}\n{self._say('more')}"
        wide = max(map(width, VERBS))
        for chapter in CHAPTERS:
            yield f"\n{self._title(say(self.lang, f'help.chapter.{chapter.key}'))}"
            for verb in chapter.verbs:
                yield from self._row(verb.name, self._short(self._about([verb.name]), wide), wide)
        yield f"\n{self._title(self._say('anywhere'))}"
        yield from self._table((*GLOBAL, *COMMON), ())
        yield f"\n{self._title(self._say('exits'))}"
        yield from self._exits()

    def group(self, name: str, group: Group) -> Iterator[str]:
        """Yield the help of a noun: its verbs, and the options of its own command."""
        usage = self._metavar(self._say("verb"))
        yield f"{self._say('usage')}mdmem {name} {f'[{usage}]' if group.default else usage} …"
        yield f"\n{self._text(self._about([name]))}"
        yield f"\n{self._title(self._say('verbs'))}"
        wide = max(map(width, group.names))
        for one in group.names:
            yield from self._row(one, self._short(self._about([name, one]), wide), wide)
        yield f"\n{self._title(self._say('options'))}"
        yield from self._table((*(group.default.parameters if group.default else ()), *COMMON), [name])

    def command(self, path: Sequence[str], command: Command) -> Iterator[str]:
        """Yield the help of one command: usage, description, arguments and options."""
        arguments = [one for one in command.parameters if not one.flags]
        options = [one for one in command.parameters if one.flags]
        needed = [f"{one.flags[0]} {self._value(one)}" for one in options if one.required]
        pieces = [*map(_piece, arguments), *needed, self._say("optional")]
        usage = self._say("usage")
        yield usage + "\n".join(fold(" ".join(["mdmem", *path, *pieces]), self.columns, width(usage)))
        yield f"\n{self._text(self._about(path))}"
        if arguments:
            yield f"\n{self._title(self._say('arguments'))}"
            yield from self._table(arguments, path)
        yield f"\n{self._title(self._say('options'))}"
        yield from self._table((*options, *COMMON), path)

    def _about(self, path: Sequence[str]) -> str:
        """Return the description of a command."""
        return say(self.lang, f"help.{'.'.join(path)}.about")

    def _parameter_about(self, path: Sequence[str], parameter: Parameter) -> str:
        """Return the description of a parameter, from its command, its noun, or the common options."""
        scopes = [".".join(path), *path[:1], "option"]
        found = (label(self.lang, f"help.{scope}.{parameter.name}", "") for scope in scopes)
        return next(filter(None, found), "")

    def _table(self, parameters: Sequence[Parameter], path: Sequence[str]) -> Iterator[str]:
        names = [self._name(one) for one in parameters]
        wide = min(26, max(map(width, names)))
        for one, name in zip(parameters, names, strict=True):
            yield from self._row(name, self._parameter_about(path, one), wide)

    def _row(self, name: str, text: str, wide: int) -> Iterator[str]:
        """Yield a name with its text beside it, folded to the width; a long name has its own line."""
        indent = wide + _EDGES
        first, *rest = fold(text, self.columns, indent)
        pad = " " * (wide - width(name))
        if width(name) > wide:
            yield f"  {self.paint('path', name)}"
            yield f"{' ' * indent}{first}"
        else:
            yield f"  {self.paint('path', name)}{pad}  {first}"
        yield from rest

    def _short(self, text: str, wide: int) -> str:
        """Return a description for a list: all of it if it fits into one line, or else the part up to a semicolon."""
        text = text.partition("\n")[0].rstrip(".。")
        return text if width(text) <= self.columns - wide - _EDGES else brief(text)

    def _exits(self) -> Iterator[str]:
        rows = [(str(int(code)), meaning(self.lang, code)) for code in ExitCode]
        half = (len(rows) + 1) // 2
        wide = max(width(text) for _, text in rows[:half])
        for left, right in zip(rows[:half], [*rows[half:], ("", "")][:half], strict=True):
            pad = " " * (wide - width(left[1]))
            yield f"  {left[0]:>3}  {left[1]}{pad}  {right[0]:>3}  {right[1]}".rstrip()

    def _name(self, parameter: Parameter) -> str:
        if not parameter.flags:
            return _piece(parameter)
        short = min(parameter.flags, key=len) if min(map(len, parameter.flags)) == 2 else ""
        long = next((flag for flag in parameter.flags if flag.startswith("--")), "")
        value = "" if parameter.type == "flag" else f" {self._value(parameter)}"
        return ", ".join(part for part in (short, long) if part) + value

    def _value(self, parameter: Parameter) -> str:
        if parameter.choices and width("|".join(parameter.choices)) <= 20:
            return "|".join(parameter.choices)
        if parameter.metavar:
            return parameter.metavar
        return (
            "N"
            if parameter.type == "number"
            else (parameter.flags[0] if parameter.flags else parameter.name).lstrip("-").upper()
        )

    def _text(self, text: str) -> str:
        paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
        return "\n\n".join("\n".join(fold(part, self.columns, 0)) for part in paragraphs)

    def _title(self, text: str) -> str:
        return self.paint("bold", text)

    def _metavar(self, text: str) -> str:
        return self.paint("dim", text)

    def _say(self, key: str) -> str:
        return say(self.lang, f"cli.help.{key}")


def _piece(parameter: Parameter) -> str:
    """Return an argument in the form of the usage line."""
    name = shown(parameter) + ("…" if parameter.type == "texts" else "")
    return name if parameter.required or name.startswith("[") else f"[{name}]"
