"""The text of a block in an instruction file: a pack without what such a file must not hold."""

from __future__ import annotations

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.context.inputs import PackRequest
from mdmem.context.safe_text import safe_text
from mdmem.context.service import build_pack
from mdmem.errors import UnreadableFileError
from mdmem.messages.catalog import say


def block_text(config: WorkspaceConfig) -> str:
    """Return the text of a block.

    Raises:
        UnreadableFileError: a memory file cannot be read; the block would say less than the memory.
    """
    settings, lang = config.settings, config.lang
    request = PackRequest(token_counter(settings.tokens), None, "", None, None, (), {}, None, lambda *_: None)
    pack = build_pack(config, settings.agents.file_recipe, request)
    for one in pack.left:
        if one.why == "unreadable":
            hint = say(lang, "instructions.unread.hint")
            raise UnreadableFileError(say(lang, "instructions.unread"), path=one.path, hint=hint)
    text = safe_text(config, pack.text).text
    return "\n\n".join(filter(None, (say(lang, "instructions.note"), text)))
