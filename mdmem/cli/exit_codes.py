"""What each exit code means, in both languages: the table of `mdmem --help` and of the README."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.errors import ExitCode
from mdmem.messages.entries import Both

MEANINGS: Mapping[ExitCode, Both] = {
    ExitCode.OK: Both("成功", "done; lint: clean"),
    ExitCode.NOTHING: Both("有检查结果，或什么都没做", "findings, or nothing was done"),
    ExitCode.USAGE: Both("命令写错了", "the call makes no sense"),
    ExitCode.STOPPED: Both("没有记忆文件夹，或无法继续", "no memory folder, or stopped"),
    ExitCode.CONFIG: Both("设置或模板有错", "settings or a template are wrong"),
    ExitCode.UNREADABLE: Both("文件读不了", "a file cannot be read"),
    ExitCode.EDIT: Both("改动互相重叠", "edits overlap"),
    ExitCode.VERIFICATION: Both("改动会影响别处", "a change would touch more"),
    ExitCode.WRITE: Both("文件写不了", "a file could not be written"),
    ExitCode.GIT: Both("git 不能用", "git is missing or refused"),
    ExitCode.REFUSED: Both("拒绝写入：密钥、隐藏文字等", "refused: a secret, hidden text"),
    ExitCode.CONFLICT: Both("别人也改了同一处", "somebody changed the same"),
    ExitCode.TARGET: Both("没有找到，或不止一处", "not found, or more than one"),
    ExitCode.LOCKED: Both("文件被别的程序占用", "another writer held the file"),
    ExitCode.CONFIRM: Both("需要先确认", "needs a word first: --yes"),
    ExitCode.MEMORY_OFF: Both("记忆已关闭", "memory is switched off"),
    ExitCode.MODEL: Both("模型没有回答", "a model gave no answer"),
    ExitCode.INTERRUPTED: Both("按 Ctrl-C 中断", "interrupted with Ctrl-C"),
    ExitCode.PIPE_CLOSED: Both("读取方提前结束", "the reader stopped early"),
}
