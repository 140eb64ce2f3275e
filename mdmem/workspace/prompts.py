"""The keeper's prompts: those of the workspace's own `prompts/` first, then the shipped ones in its language."""

from __future__ import annotations

import os

from mdmem.errors import UnreadableFileError
from mdmem.keeper.chat import Chat
from mdmem.keeper.plan import Task
from mdmem.keeper.prompt import CHAT, chat_values, fill, name_of, values
from mdmem.store.bundled import templates_folder
from mdmem.store.files import read_bytes
from mdmem.store.root import Root, read
from mdmem.workspace.config import Config

FOLDER = "prompts"
ENDS = (".md", ".txt")  # the second is what the older systems call theirs (F025)


def prompt(config: Config, task: Task) -> str:
    """Give the prompt of a task; raises ConfigError where the workspace's own version is wrong."""
    text, path = source(config, name_of(task), task.template.lang or config.lang)
    return fill(text, values(task), path)


def chat_prompt(config: Config, chat: Chat, lang: str) -> str:
    """Give the prompt of a conversation; raises ConfigError where the workspace's own version is wrong."""
    text, path = source(config, CHAT, lang)
    return fill(text, chat_values(chat), path)


def source(config: Config, name: str, lang: str) -> tuple[str, str]:
    """Give a prompt's template and its path as messages name it."""
    own = [f"{FOLDER}/{folder}{name}{end}" for folder in (f"{lang}/", "") for end in ENDS]
    with Root(config.root) as root:
        for path in own:
            try:
                version = read(root.place(path), config.settings.lint.max_bytes)
            except (FileNotFoundError, UnreadableFileError):
                continue
            if version:
                return version.data.decode("utf-8", "replace"), path
    path = f"{lang}/{FOLDER}/{name}{ENDS[0]}"
    return read_bytes(os.path.join(templates_folder(), path), f"templates/{path}").decode(), f"templates/{path}"
