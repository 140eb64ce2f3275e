"""What is particular to the payloads of Gemini CLI: the files in a prompt, and what surrounds the output of a tool."""

from __future__ import annotations

from typing import NamedTuple

from mdmem.text.pattern import pattern

NO_REPLY = "[no response text]"  # stands for the reply where the model said nothing
_FILES, _FILES_END = "--- Content from referenced files ---", "--- End of content ---"
_BEGIN, _END = "<untrusted_context>\n", "\n</untrusted_context>"
_ESCAPED_END = "&lt;/untrusted_context&gt;"
_OUTPUT, _EMPTY = "Output: ", "(empty)"
# What the shell's tool tells below an output, a line each.
_BELOW = pattern(r"(Exit Code|Signal|Background PIDs|Process Group PGID): (.*)")


class ShellOutput(NamedTuple):
    """The output of a tool, as it was printed."""

    text: str
    exit_code: int | None = None  # only a failed command of the shell has one


def without_files(prompt: str) -> str:
    """Return a prompt without the contents of the files that it names with `@`."""
    said, files, after = prompt.partition(_FILES)
    _, end, more = after.rpartition(_FILES_END)
    return said.rstrip() + (more if end else "") if files else prompt


def shell_output(text: str) -> ShellOutput:
    """Return what a tool printed, without what Gemini CLI writes around it for the model."""
    if text.startswith(_BEGIN) and text.endswith(_END):
        text = text[len(_BEGIN) : -len(_END)].replace(_ESCAPED_END, _END.strip())
    if not text.startswith(_OUTPUT):
        return ShellOutput(text)
    lines, code = text.removeprefix(_OUTPUT).split("\n"), None
    while len(lines) > 1 and (below := _BELOW.fullmatch(lines[-1])):
        if below.group(1) == "Exit Code" and below.group(2).isdecimal():
            code = int(below.group(2))
        lines.pop()
    return ShellOutput("" if lines == [_EMPTY] else "\n".join(lines), code)
